#include "conv_weight_dots.h"

#include <string.h>

#include "arrays.h"
#include "gemm_operands.h"

enum { PLANE_BYTES = 24 << 10 };  /* slab and g; both are read once for a few kernel offsets, so they should be near */

static i64 slab_size(const weight_dots *w)
{
    return w->forward.in_channels * w->slab.channel_size + w->with->tile_columns;
}

/* Elements of g from one row to the next, in whole vectors. */
static i64 g_pitch(const weight_dots *w)
{
    i32 last = w->forward.rank - 1;
    return aligned_to(last ? w->forward.axes[last].positions : w->rows, w->with->lanes);
}

static i64 planes_size(const weight_dots *w)
{
    i64 lines = 1;
    for (i32 a = 0; a < w->forward.rank - 1; a++)
        lines *= a == 0 ? w->rows : w->forward.axes[a].positions;
    return lines * g_pitch(w);
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
    i64 depth = lg_correlation_depth(&w->forward);
    return aligned_bytes(depth * (i64)sizeof(i64)) + aligned_bytes(slab_size(w) * w->with->itemsize) +
           aligned_bytes(planes_size(w) * w->with->itemsize) + aligned_bytes(depth * w->with->itemsize);
}

void lg_divide_weight_dots_memory(weight_dots *w, char *memory)
{
    i64 depth = lg_correlation_depth(&w->forward);
    w->slab.correlation = &w->forward;
    w->offsets = take(&memory, depth * (i64)sizeof(i64));
    w->planes = take(&memory, slab_size(w) * w->with->itemsize);
    w->g_planes = take(&memory, planes_size(w) * w->with->itemsize);
    w->dots = take(&memory, depth * w->with->itemsize);
    lg_slab_offsets(&w->slab, w->offsets);
}

/* One output channel's rows [first, first + rows) of g, plane after plane, to rows of whole vectors. */
static void read_g(const weight_dots *w, i64 image, i64 channel, i64 first, i64 rows)
{
    const array *g = &w->forward.out;
    i32 last = w->forward.rank - 1;
    i64 element = image * g->strides[0] + channel * g->strides[1] + first * g->strides[2];
    for (i64 plane = 0; plane < lg_slab_planes(&w->slab, rows); plane++) {
        windows shape = lg_slab_windows(&w->slab, rows, plane, 0, 0, 0);
        i64 at = element, rest = plane;
        for (i32 a = last - 2; a >= 0; a--) {
            i64 positions = a == 0 ? rows : g->sizes[2 + a];
            at += rest % positions * g->strides[2 + a];
            rest /= positions;
        }
        stored from = {(char *)g->data + at * itemsize_of(g->dtype), g->dtype, last ? g->strides[1 + last] : 0,
                       g->strides[2 + last]};
        char *target = w->g_planes + plane * shape.rows * g_pitch(w) * w->with->itemsize;
        w->with->load((elements){target, g_pitch(w)}, from, shape.rows, shape.columns);
    }
}

/* Adds dots (in_channels, taps) to a row of sums (taps, in_channels). */
static void add_dots(const weight_dots *w, const char *dots, char *sums)
{
    i64 channels = w->forward.in_channels, itemsize = w->with->itemsize;
    i64 taps = lg_correlation_depth(&w->forward) / channels;
    if (channels == 1) {
        w->with->add(sums, dots, taps);
        return;
    }
    for (i64 tap = 0; tap < taps; tap++)
        for (i64 channel = 0; channel < channels; channel++)
            w->with->add(sums + (tap * channels + channel) * itemsize, dots + (channel * taps + tap) * itemsize, 1);
}

/* One output channel of the group whose slab is filled. */
static void add_channel(const weight_dots *w, i64 image, i64 first, i64 rows, i64 channel, char *sums)
{
    i64 depth = lg_correlation_depth(&w->forward), itemsize = w->with->itemsize;
    read_g(w, image, channel, first, rows);
    memset(w->dots, 0, depth * itemsize);
    for (i64 plane = 0; plane < lg_slab_planes(&w->slab, rows); plane++) {
        windows shifted = lg_slab_windows(&w->slab, rows, plane, w->planes, w->offsets, depth);
        const char *g = w->g_planes + plane * shifted.rows * g_pitch(w) * itemsize;
        lg_windows_of(w->with)->dot(&shifted, g, g_pitch(w), w->dots);
    }
    add_dots(w, w->dots, sums + channel * depth * itemsize);
}

static void read_input(const weight_dots *w, const slab_copies *copies, i64 image, i64 group, i64 first)
{
    if (copies->count)
        lg_copy_to_slab(&w->slab, copies, image, group, w->planes);
    else
        lg_fill_slab(&w->slab, image, group, first, w->planes);
}

void lg_add_weight_dots(weight_dots *w, i64 image, i64 begin, i64 end, char *sums)
{
    i64 all = w->forward.axes[0].positions;
    for (i64 first = 0; first < all; first += w->rows) {
        slab_copies copies = lg_plan_slab_copies(&w->slab, first);
        i64 rows = least(all - first, w->rows), filled = -1;
        memset(w->planes, 0, slab_size(w) * w->with->itemsize);
        for (i64 channel = begin; channel < end; channel++) {
            i64 group = channel / w->forward.out_channels;
            if (group != filled)
                read_input(w, &copies, image, group, first);
            filled = group;
            add_channel(w, image, first, rows, channel, sums);
        }
    }
}
