#include "conv_weight_dots.h"

#include <string.h>

#include "arrays.h"
#include "gemm_operands.h"

enum {
    PLANE_BYTES = 1 << 18,   /* slab and g; read once per kernel offset, so they should be near */
    CHANNELS_TOGETHER = 4,   /* of g, with which an element of the slab is multiplied when it is loaded */
};

static i64 slab_size(const weight_dots *w)
{
    return w->forward.in_channels * w->slab.channel_size;
}

static i64 channels_together(const weight_dots *w)
{
    return least(w->forward.out_channels, CHANNELS_TOGETHER);
}

static i64 planes_size(const weight_dots *w)
{
    return channels_together(w) * w->slab.positions;
}

weight_dots lg_plan_weight_dots(const arithmetic *with, const correlation *forward)
{
    weight_dots w = {.with = with, .forward = *forward, .rows = forward->axes[0].positions};
    w.slab = lg_slab_layout(with, &w.forward, w.rows);
    while ((slab_size(&w) + planes_size(&w)) * with->itemsize > PLANE_BYTES && w.rows > 1) {
        w.rows = (w.rows + 1) / 2;
        w.slab = lg_slab_layout(with, &w.forward, w.rows);
    }
    return w;
}

i64 lg_weight_dots_bytes(const weight_dots *w)
{
    i64 depth = lg_correlation_depth(&w->forward), dots = channels_together(w) * depth;
    return aligned_bytes(depth * (i64)sizeof(i64)) + aligned_bytes(slab_size(w) * w->with->itemsize) +
           aligned_bytes(planes_size(w) * w->with->itemsize) + aligned_bytes(dots * w->with->itemsize);
}

void lg_divide_weight_dots_memory(weight_dots *w, char *memory)
{
    i64 depth = lg_correlation_depth(&w->forward);
    w->slab.correlation = &w->forward;
    w->offsets = take(&memory, depth * (i64)sizeof(i64));
    w->planes = take(&memory, slab_size(w) * w->with->itemsize);
    w->g_planes = take(&memory, planes_size(w) * w->with->itemsize);
    w->dots = take(&memory, channels_together(w) * depth * w->with->itemsize);
    lg_slab_offsets(&w->slab, w->offsets);
}

/* `rows` positions of axis a and all of those behind it. */
static void spread_axis(const weight_dots *w, i32 a, i64 rows, const char *source, char *target)
{
    const array *g = &w->forward.out;
    i32 last = w->forward.rank - 1;
    elements to = {target, w->slab.axes[a].pitch};
    stored from = {(char *)source, g->dtype, g->strides[2 + a], g->strides[2 + last]};
    if (a == last)
        w->with->load(to, from, 1, rows);
    else if (a == last - 1)
        w->with->load(to, from, rows, g->sizes[2 + last]);
    else
        for (i64 row = 0; row < rows; row++)
            spread_axis(w, a + 1, g->sizes[3 + a], source + row * g->strides[2 + a] * itemsize_of(g->dtype),
                        target + row * w->slab.axes[a].pitch * w->with->itemsize);
}

/* Dot products of `channels` planes of g with the input through every tap k = (channel, taps). Taps that a slab holds
   side by side go together: they read the same elements of g. */
static void dot_taps(const weight_dots *w, i64 channels, i64 positions)
{
    const correlation *c = &w->forward;
    const correlation_axis *last = &c->axes[c->rank - 1];
    i64 depth = lg_correlation_depth(c), together = last->step == 1 ? last->taps : 1;
    for (i64 k = 0; k < depth; k += together) {
        matrix shifted = {w->planes + w->offsets[k] * w->with->itemsize, last->tap_step, 1};
        w->with->multiply_vectors(w->dots + k * w->with->itemsize, depth, shifted, together, positions, w->g_planes,
                                  channels);
    }
}

static i32 has_nan(const arithmetic *with, const void *data, i64 count)
{
    i32 found = 0;
    for (i64 i = 0; i < count && with->dtype == F32; i++)
        found |= __builtin_isnan(((const f32 *)data)[i]);
    for (i64 i = 0; i < count && with->dtype == F64; i++)
        found |= __builtin_isnan(((const f64 *)data)[i]);
    return found;
}

/* The same, one line of the last axis after the other, without what lies between them. */
static void dot_taps_by_lines(const weight_dots *w, i64 channels, i64 positions, i64 rows)
{
    const correlation *c = &w->forward;
    i32 last = c->rank - 1;
    i64 depth = lg_correlation_depth(c), length = last ? c->axes[last].positions : rows, itemsize = w->with->itemsize;
    i64 lines = last ? lg_correlation_positions(c) / c->axes[0].positions * rows / length : 1;
    memset(w->dots, 0, channels * depth * itemsize);
    for (i64 line = 0; line < lines; line++) {
        i64 offset = 0, rest = line;
        for (i32 a = last - 1; a >= 0; a--) {
            i64 size = a == 0 ? rows : c->axes[a].positions;
            offset += rest % size * w->slab.axes[a].pitch;
            rest /= size;
        }
        for (i64 dot = 0; dot < channels * depth; dot++) {
            f64 total;  /* room for an element of any arithmetic */
            const char *g = w->g_planes + (dot / depth * positions + offset) * itemsize;
            matrix shifted = {w->planes + (w->offsets[dot % depth] + offset) * itemsize, 0, 1};
            w->with->multiply_vectors(&total, 0, shifted, 1, length, g, 1);
            w->with->add(w->dots + dot * itemsize, &total, 1);
        }
    }
}

/* Adds dots (in_channels, taps) to a row of sums (taps, in_channels). */
static void add_dots(const weight_dots *w, const char *dots, char *sums)
{
    i64 channels = w->forward.in_channels, itemsize = w->with->itemsize;
    i64 taps = lg_correlation_depth(&w->forward) / channels;
    for (i64 tap = 0; tap < taps; tap++)
        for (i64 channel = 0; channel < channels; channel++)
            w->with->add(sums + (tap * channels + channel) * itemsize, dots + (channel * taps + tap) * itemsize, 1);
}

/* `channels` output channels of one group from `channel` on, whose slab is filled.

   The zeros between the rows of g meet input that no tap reads there. Where that is infinite, 0 · ∞ must not count. */
static void add_channels(const weight_dots *w, i64 image, i64 first, i64 rows, i64 channel, i64 channels, char *sums)
{
    const array *g = &w->forward.out;
    i64 depth = lg_correlation_depth(&w->forward), itemsize = w->with->itemsize;
    i64 positions = w->slab.positions - (w->rows - rows) * w->slab.axes[0].pitch;
    memset(w->g_planes, 0, channels * positions * itemsize);
    for (i64 i = 0; i < channels; i++) {
        i64 element = image * g->strides[0] + (channel + i) * g->strides[1] + first * g->strides[2];
        spread_axis(w, 0, rows, (const char *)g->data + element * itemsize_of(g->dtype),
                    w->g_planes + i * positions * itemsize);
    }
    dot_taps(w, channels, positions);
    if (has_nan(w->with, w->dots, channels * depth))
        dot_taps_by_lines(w, channels, positions, rows);
    for (i64 i = 0; i < channels; i++)
        add_dots(w, w->dots + i * depth * itemsize, sums + (channel + i) * depth * itemsize);
}

void lg_add_weight_dots(weight_dots *w, i64 image, i64 begin, i64 end, char *sums)
{
    i64 all = w->forward.axes[0].positions, of_group = w->forward.out_channels, channels;
    for (i64 first = 0; first < all; first += w->rows) {
        i64 rows = least(all - first, w->rows), filled = -1;
        for (i64 channel = begin; channel < end; channel += channels) {
            i64 group = channel / of_group;
            channels = least(least(end, (group + 1) * of_group) - channel, CHANNELS_TOGETHER);
            if (group != filled)
                lg_fill_slab(&w->slab, image, group, first, w->planes);
            filled = group;
            add_channels(w, image, first, rows, channel, channels, sums);
        }
    }
}
