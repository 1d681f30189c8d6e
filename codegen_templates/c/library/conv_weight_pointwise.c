/* Per image and group: sums (out_channels × in_channels) += g (out_channels × positions) · transposed x. */
#include "conv_weight_pointwise.h"

#include "gemm_blocks.h"

enum { FEW_CHANNELS = 8, FEW_POSITIONS = 32, CACHED_BYTES = 1 << 20 };

static i64 position_count(const weight_blocks *w)
{
    return product(w->g.sizes + 2, w->the.rank);
}

/* Whether each image would add so few products to a sum that this is loaded and stored about as long as it is added to:
   blocks take several images at a time. */
static i32 has_small_images(const weight_blocks *w)
{
    i64 positions = position_count(w), sums = element_count(&w->out) * w->with->itemsize;
    if (w->x.sizes[0] == 1 || w->in_channels < w->with->lanes)
        return 0;
    return positions < w->with->lanes || (positions < FEW_POSITIONS && sums >= CACHED_BYTES);
}

i32 lg_has_pointwise_weights(const weight_blocks *w)
{
    for (i32 a = 0; a < w->the.rank; a++)
        if (w->out.sizes[2 + a] != 1 || w->the.stride[a] != 1 || w->the.before[a] != 0 ||
            w->g.sizes[2 + a] != w->x.sizes[2 + a])
            return 0;
    return !has_small_images(w) && lg_is_stored_as_computed(w->out.dtype) && is_row_major_from(&w->g, 2) &&
           is_row_major_from(&w->x, 2);
}

i64 lg_pointwise_weights_bytes(const weight_blocks *w)
{
    return most(lg_packing_bytes(w->with, w->out_channels, w->in_channels, position_count(w)),
                FEW_CHANNELS * w->in_channels * w->with->itemsize);
}

/* Whether g's channels, which lie side by side, are few enough to meet x where it lies. */
static i32 has_vectors(const weight_blocks *w)
{
    return w->out_channels <= FEW_CHANNELS && w->g.strides[1] == position_count(w);
}

static void add_vectors(const strided_product *p, char *memory)
{
    matrix channels_of_x = {p->right.data, p->right.column_stride, p->right.row_stride};
    p->with->multiply_vectors(memory, p->columns, channels_of_x, p->columns, p->depth, p->left.data, p->rows);
    p->with->add(p->out, memory, p->rows * p->columns);
}

void lg_add_pointwise_weights(const weight_blocks *w, i64 image, i64 begin, i64 end, char *sums, char *memory)
{
    i64 itemsize = w->with->itemsize;
    for (i64 channel = begin, last; channel < end; channel = last) {
        i64 group = channel / w->out_channels;
        last = least(end, (group + 1) * w->out_channels);
        i64 in = image * w->x.strides[0] + group * w->in_channels * w->x.strides[1];
        i64 out = image * w->g.strides[0] + channel * w->g.strides[1];
        strided_product p = {
            .with = w->with,
            .left = {(const char *)w->g.data + out * itemsize, w->g.strides[1], 1},
            .right = {(const char *)w->x.data + in * itemsize, 1, w->x.strides[1]},
            .rows = last - channel,
            .columns = w->in_channels,
            .depth = position_count(w),
            .out = sums + channel * w->in_channels * itemsize,
            .out_stride = w->in_channels,
            .accumulate = 1,
        };
        if (has_vectors(w))
            add_vectors(&p, memory);
        else
            lg_multiply(&p, memory, 0);
    }
}
