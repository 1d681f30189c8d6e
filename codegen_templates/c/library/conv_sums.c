#include "conv_sums.h"

#include "arrays.h"
#include "gemm_operands.h"

/* Channels a multiple of a page apart would compete for the same lines of the L1 cache. */
static i64 channel_stride(const arithmetic *with, i64 positions)
{
    i64 stride = aligned_to(positions, with->tile_columns);
    return stride * with->itemsize % 1024 ? stride : stride + with->lanes;
}

sums lg_spread_sums(const arithmetic *with, const correlation *c, const slab *slab)
{
    sums s = {.channel = channel_stride(with, slab->positions)};
    s.image = s.channel * c->out_channels;
    for (i32 a = 0; a < c->rank; a++)
        s.pitch[a] = slab->axes[a].pitch;
    return s;
}

sums lg_dense_sums(const arithmetic *with, const correlation *c, i64 rows, i64 images)
{
    sums s = {.image = 1};
    for (i32 a = c->rank - 1; a >= 0; a--) {
        s.pitch[a] = s.image;
        s.image *= a == 0 ? rows : c->axes[a].positions;
    }
    s.channel = channel_stride(with, images * s.image);
    return s;
}

i64 lg_sums_bytes(const arithmetic *with, const correlation *c, const sums *s, i64 images)
{
    return aligned_bytes((images * s->image + c->out_channels * s->channel) * with->itemsize);
}

/* Whether `positions` positions of axis a, and all of those behind it, lie side by side on both sides. */
static i32 is_one_run(const correlation *c, const sums *s, i32 a)
{
    i64 size = 1;
    for (i32 axis = c->rank - 1; axis >= a; axis--) {
        if (s->pitch[axis] != size || c->out.strides[2 + axis] * c->axes[axis].out_step != size)
            return 0;
        size *= c->axes[axis].positions;
    }
    return 1;
}

static void store_axis(const arithmetic *with, const correlation *c, const sums *s, i32 a, i64 positions, char *from,
                       char *to)
{
    i32 last = c->rank - 1;
    i64 stride = c->out.strides[2 + a] * c->axes[a].out_step, run = c->out.strides[2 + last] * c->axes[last].out_step;
    stored target = {to, c->out.dtype, stride, run};
    if (is_one_run(c, s, a)) {
        with->store(target, (elements){from, 0}, 1, positions * s->pitch[a]);
    } else if (a == last) {
        with->store(target, (elements){from, 0}, 1, positions);
    } else if (a == last - 1) {
        with->store(target, (elements){from, s->pitch[a]}, positions, c->axes[last].positions);
    } else {
        for (i64 position = 0; position < positions; position++)
            store_axis(with, c, s, a + 1, c->axes[a + 1].positions, from + position * s->pitch[a] * with->itemsize,
                       to + position * stride * itemsize_of(c->out.dtype));
    }
}

void lg_store_sums(const arithmetic *with, const correlation *c, const sums *s, i64 index, i64 image, i64 group,
                   i64 first_row, i64 rows)
{
    i64 origin = image * c->out.strides[0] + first_row * c->axes[0].out_step * c->out.strides[2];
    for (i32 a = 0; a < c->rank; a++)
        origin += c->axes[a].out_first * c->out.strides[2 + a];
    for (i64 channel = 0; channel < c->out_channels; channel++) {
        i64 element = origin + (group * c->out_channels + channel) * c->out.strides[1];
        store_axis(with, c, s, 0, rows, s->memory + (index * s->image + channel * s->channel) * with->itemsize,
                   (char *)c->out.data + element * itemsize_of(c->out.dtype));
    }
}
