/* Per image and group: out (out_channels × positions) = kernel (out_channels × in_channels) · in.

   Threads share the images; where there are too few of them, the positions of each. */
#include "conv_pointwise.h"

#include "arrays.h"
#include "gemm_blocks.h"

enum { FEW_POSITIONS = 64, CACHED_BYTES = 1 << 20 };

/* Whether images have so few positions that they should share their vectors, or each reading of a large kernel. */
static i32 has_small_images(const arithmetic *with, const correlation *c)
{
    i64 positions = lg_correlation_positions(c);
    i64 kernel = c->groups * c->out_channels * c->in_channels * with->itemsize;
    if (c->out.sizes[0] == 1)
        return 0;
    return positions < with->lanes || (positions < FEW_POSITIONS && kernel > CACHED_BYTES);
}

static i32 is_pointwise_axis(const correlation *c, i32 a)
{
    const correlation_axis *axis = &c->axes[a];
    return axis->taps == 1 && axis->step == 1 && axis->first == 0 && axis->out_step == 1 && axis->kernel_first == 0 &&
           axis->positions == c->in.sizes[2 + a];
}

i32 lg_is_pointwise(const arithmetic *with, const correlation *c)
{
    for (i32 a = 0; a < c->rank; a++)
        if (!is_pointwise_axis(c, a))
            return 0;
    return c->in_channels > 0 && !has_small_images(with, c) && is_row_major_from(&c->in, 2) &&
           lg_is_stored_as_computed(c->in.dtype) && lg_is_stored_as_computed(c->weight.dtype) &&
           lg_is_stored_as_computed(c->out.dtype);
}

/* Positions [begin, end) of one image, all groups. */
static void multiply_positions(const arithmetic *with, const correlation *c, i64 image, i64 begin, i64 end,
                               char *memory)
{
    for (i64 group = 0; group < c->groups; group++) {
        i64 in = image * c->in.strides[0] + group * c->in_channels * c->in.strides[1] + begin;
        i64 out = image * c->out.strides[0] + group * c->out_channels * c->out.strides[1] + begin;
        const char *weight = (const char *)c->weight.data + group * c->weight.strides[0] * with->itemsize;
        strided_product p = {
            .with = with,
            .left = {weight, c->weight.strides[1], c->weight.strides[2]},
            .right = {(const char *)c->in.data + in * with->itemsize, c->in.strides[1], 1},
            .rows = c->out_channels,
            .columns = end - begin,
            .depth = c->in_channels,
            .out = (char *)c->out.data + out * with->itemsize,
            .out_stride = c->out.strides[1],
        };
        lg_multiply(&p, memory, 0);
    }
}

typedef struct {
    const arithmetic *with;
    const correlation *c;
} pointwise_call;

static char *packing_memory(const pointwise_call *call)
{
    const correlation *c = call->c;
    i64 positions = lg_correlation_positions(c);
    return lg_private_scratch(lg_packing_bytes(call->with, c->out_channels, positions, c->in_channels));
}

static void multiply_images(void *closure, i64 begin, i64 end)
{
    const pointwise_call *call = closure;
    const correlation *c = call->c;
    char *memory = packing_memory(call);
    for (i64 image = begin; image < end; image++) {
        multiply_positions(call->with, c, image, 0, lg_correlation_positions(c), memory);
        lg_finish_images(c, image, image + 1);
    }
}

static void multiply_columns(void *closure, i64 begin, i64 end)
{
    const pointwise_call *call = closure;
    char *memory = packing_memory(call);
    for (i64 image = 0; image < call->c->out.sizes[0]; image++)
        multiply_positions(call->with, call->c, image, begin, end, memory);
}

void lg_correlate_pointwise(const team *team, const arithmetic *with, const correlation *c)
{
    pointwise_call call = {with, c};
    if (lg_shares_images(team, c)) {
        lg_share(team, c->out.sizes[0], 1, multiply_images, &call);
        return;
    }
    lg_share(team, lg_correlation_positions(c), with->tile_columns, multiply_columns, &call);
    lg_finish_all_images(team, c);
}
