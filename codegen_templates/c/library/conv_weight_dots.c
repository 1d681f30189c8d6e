#include "conv_weight_dots.h"

#include <string.h>

#include "arrays.h"
#include "gemm_operands.h"

enum { PLANE_BYTES = 1 << 18 };  /* slab and g; read once per kernel offset, so they should be near */

static i64 slab_size(const weight_dots *w)
{
    return w->forward.in_channels * w->slab.channel_size;
}

weight_dots lg_plan_weight_dots(const arithmetic *with, const correlation *forward)
{
    weight_dots w = {.with = with, .forward = *forward, .rows = forward->axes[0].positions};
    w.slab = lg_slab_layout(with, &w.forward, w.rows);
    while ((slab_size(&w) + w.slab.positions) * with->itemsize > PLANE_BYTES && w.rows > 1) {
        w.rows = (w.rows + 1) / 2;
        w.slab = lg_slab_layout(with, &w.forward, w.rows);
    }
    return w;
}

i64 lg_weight_dots_bytes(const weight_dots *w)
{
    i64 elements = slab_size(w) + w->slab.positions + lg_correlation_depth(&w->forward);
    return elements * w->with->itemsize + lg_correlation_depth(&w->forward) * (i64)sizeof(i64) + 4 * aligned_bytes(1);
}

void lg_divide_weight_dots_memory(weight_dots *w, char *memory)
{
    i64 depth = lg_correlation_depth(&w->forward);
    w->slab.correlation = &w->forward;
    w->offsets = take(&memory, depth * (i64)sizeof(i64));
    w->planes = take(&memory, slab_size(w) * w->with->itemsize);
    w->g_plane = take(&memory, w->slab.positions * w->with->itemsize);
    w->dots = take(&memory, depth * w->with->itemsize);
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

/* out[k] = the dot product of g and the input through tap k = (channel, taps). Taps that a slab holds side by side go
   together: they read the same elements of g. */
static void dot_taps(const weight_dots *w, i64 positions)
{
    const correlation *c = &w->forward;
    const correlation_axis *last = &c->axes[c->rank - 1];
    i64 depth = lg_correlation_depth(c), together = last->step == 1 ? last->taps : 1;
    for (i64 k = 0; k < depth; k += together) {
        matrix shifted = {w->planes + w->offsets[k] * w->with->itemsize, last->tap_step, 1};
        w->with->multiply_vectors(w->dots + k * w->with->itemsize, 0, shifted, together, positions, w->g_plane, 1);
    }
}

/* Adds dots (in_channels, taps) to a row of sums (taps, in_channels). */
static void add_dots(const weight_dots *w, char *sums)
{
    i64 channels = w->forward.in_channels, itemsize = w->with->itemsize;
    i64 taps = lg_correlation_depth(&w->forward) / channels;
    for (i64 tap = 0; tap < taps; tap++)
        for (i64 channel = 0; channel < channels; channel++)
            w->with->add(sums + (tap * channels + channel) * itemsize,
                         w->dots + (channel * taps + tap) * itemsize, 1);
}

static void add_rows(weight_dots *w, i64 image, i64 first, i64 rows, i64 begin, i64 end, char *sums)
{
    const correlation *c = &w->forward;
    const array *g = &c->out;
    i64 positions = w->slab.positions - (w->rows - rows) * w->slab.axes[0].pitch;
    for (i64 channel = begin; channel < end; channel++) {
        if (channel == begin || channel % c->out_channels == 0)
            lg_fill_slab(&w->slab, image, channel / c->out_channels, first, w->planes);
        i64 element = image * g->strides[0] + channel * g->strides[1] + first * g->strides[2];
        memset(w->g_plane, 0, positions * w->with->itemsize);
        spread_axis(w, 0, rows, (const char *)g->data + element * itemsize_of(g->dtype), w->g_plane);
        dot_taps(w, positions);
        add_dots(w, sums + channel * lg_correlation_depth(c) * w->with->itemsize);
    }
}

void lg_add_weight_dots(weight_dots *w, i64 image, i64 begin, i64 end, char *sums)
{
    i64 all = w->forward.axes[0].positions;
    for (i64 row = 0; row < all; row += w->rows)
        add_rows(w, image, row, least(all - row, w->rows), begin, end, sums);
}
