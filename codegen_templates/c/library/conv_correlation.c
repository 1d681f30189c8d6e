/* Correlations as products of the packed kernel with the windows of a slab, block after block. */
#include "conv_correlation.h"

#include <string.h>

#include "arrays.h"
#include "conv_slab.h"
#include "conv_weights.h"
#include "gemm_operands.h"

/* What one thread works on at a time, slabs and sums together, should stay in its L2 cache. */
enum { BLOCK_BYTES = 1 << 20 };

typedef struct {
    const correlation *correlation;
    const arithmetic *with;
    slab slab;
    packed_weights weights;
    i64 rows;         /* positions of the first axis in a block */
    i64 images;       /* in a block */
    i64 sums_stride;  /* from one channel to the next */
    i64 *offsets;
    char *slabs;  /* per image */
    char *sums;   /* (images, channels, sums_stride) */
} correlation_run;

i64 lg_correlation_depth(const correlation *c)
{
    i64 depth = c->in_channels;
    for (i32 a = 0; a < c->rank; a++)
        depth *= c->axes[a].taps;
    return depth;
}

i64 lg_correlation_positions(const correlation *c)
{
    i64 positions = 1;
    for (i32 a = 0; a < c->rank; a++)
        positions *= c->axes[a].positions;
    return positions;
}

static i64 rounded_up(i64 value, i64 unit)
{
    return (value + unit - 1) / unit * unit;
}

static i64 slab_bytes(const correlation_run *run)
{
    i64 size = run->correlation->in_channels * run->slab.channel_size;
    return aligned_bytes((size + run->with->tile_columns) * run->with->itemsize);
}

static i64 sums_bytes(const correlation_run *run)
{
    return aligned_bytes(run->correlation->out_channels * run->sums_stride * run->with->itemsize);
}

/* Channels a multiple of a page apart would compete for the same lines of the L1 cache. */
static i64 stride_of_sums(const arithmetic *with, i64 positions)
{
    i64 stride = rounded_up(positions, with->tile_columns);
    return stride * with->itemsize % 1024 ? stride : stride + with->lanes;
}

static void lay_out(correlation_run *run, i64 rows)
{
    run->rows = rows;
    run->slab = lg_slab_layout(run->with, run->correlation, rows);
    run->sums_stride = stride_of_sums(run->with, run->slab.positions);
}

/* As many images as fit a block, or as many rows of one. */
static void plan_blocks(correlation_run *run)
{
    i64 rows = run->correlation->axes[0].positions;
    lay_out(run, rows);
    while (slab_bytes(run) + sums_bytes(run) > BLOCK_BYTES && rows > 1)
        lay_out(run, rows = (rows + 1) / 2);
    run->images = most(BLOCK_BYTES / (slab_bytes(run) + sums_bytes(run)), 1);
}

/* One channel of sums, from its row `first_row` on, to where they belong in out. */
static void store_axis(const correlation_run *run, i32 a, i64 positions, const char *sums, char *target)
{
    const correlation *c = run->correlation;
    const correlation_axis *axis = &c->axes[a];
    i64 stride = c->out.strides[2 + a] * axis->out_step;
    if (a == c->rank - 1) {
        run->with->store(target, c->out.dtype, stride, sums, positions);
        return;
    }
    for (i64 position = 0; position < positions; position++)
        store_axis(run, a + 1, c->axes[a + 1].positions, sums + position * run->slab.axes[a].pitch * run->with->itemsize,
                   target + position * stride * itemsize_of(c->out.dtype));
}

static void store_sums(const correlation_run *run, i64 image, i64 group, i64 first_row, i64 rows, const char *sums)
{
    const correlation *c = run->correlation;
    i64 origin = image * c->out.strides[0] + first_row * c->axes[0].out_step * c->out.strides[2];
    for (i32 a = 0; a < c->rank; a++)
        origin += c->axes[a].out_first * c->out.strides[2 + a];
    for (i64 channel = 0; channel < c->out_channels; channel++) {
        i64 element = origin + (group * c->out_channels + channel) * c->out.strides[1];
        store_axis(run, 0, rows, sums + channel * run->sums_stride * run->with->itemsize,
                   (char *)c->out.data + element * itemsize_of(c->out.dtype));
    }
}

/* Output rows of a group, of all the block's images. */
static void correlate_block(const correlation_run *run, i64 image, i64 images, i64 group, i64 first_row, i64 rows)
{
    const correlation *c = run->correlation;
    i64 depth = lg_correlation_depth(c);
    if (depth == 0)
        memset(run->sums, 0, images * sums_bytes(run));
    for (i64 i = 0; i < images && depth > 0; i++)
        lg_fill_slab(&run->slab, image + i, group, first_row, run->slabs + i * slab_bytes(run));
    block_product block = {
        .rows = c->out_channels,
        .columns = rounded_up(run->slab.positions - (run->rows - rows) * run->slab.axes[0].pitch, run->with->lanes),
        .out_stride = run->sums_stride,
    };
    for (i64 b = 0; b < depth_blocks(depth); b++) {
        i64 first = depth_begin(depth, b);
        block.depth = depth_begin(depth, b + 1) - first;
        block.left = run->weights.memory + group * run->weights.group_bytes + b * run->weights.block_bytes;
        block.offsets = run->offsets + first;
        block.accumulate = b > 0;
        for (i64 i = 0; i < images; i++) {
            block.right = run->slabs + i * slab_bytes(run);
            block.out = run->sums + i * sums_bytes(run);
            run->with->multiply(&block);
        }
    }
    for (i64 i = 0; i < images; i++)
        store_sums(run, image + i, group, first_row, rows, run->sums + i * sums_bytes(run));
}

/* Rows [begin, end) of the first axis, counted through all images. */
static void correlate_rows(const correlation_run *run, i64 begin, i64 end, const epilogue *epilogue)
{
    const correlation *c = run->correlation;
    i64 all = c->axes[0].positions;
    for (i64 row = begin; row < end;) {
        i64 image = row / all, first = row % all;
        i64 rows = least(least(end - row, all - first), run->rows);
        i64 images = rows == all ? least((end - row) / all, run->images) : 1;
        for (i64 group = 0; group < c->groups; group++)
            correlate_block(run, image, images, group, first, rows);
        row += images * rows;
        if (epilogue && first + rows == all)
            epilogue->run(epilogue->closure, image, image + images);
    }
}

void lg_correlate(const team *team, const arithmetic *with, const correlation *c)
{
    correlation_run run = {.correlation = c, .with = with};
    i64 images = c->out.sizes[0], rows = c->axes[0].positions, begin, end;
    if (images * c->groups * c->out_channels * lg_correlation_positions(c) == 0)
        return;
    plan_blocks(&run);
    i64 shared = lg_packed_weights_bytes(with, c), offsets = aligned_bytes(lg_correlation_depth(c) * (i64)sizeof(i64));
    i64 own = offsets + run.images * (slab_bytes(&run) + sums_bytes(&run));
    char *memory = lg_private_scratch(own + (team->threads > 1 ? 0 : shared));
    run.offsets = take(&memory, offsets);
    run.slabs = take(&memory, run.images * slab_bytes(&run));
    run.sums = take(&memory, run.images * sums_bytes(&run));
    lg_slab_offsets(&run.slab, run.offsets);
    run.weights = lg_pack_weights(team, with, c, team->threads > 1 ? lg_shared_scratch(team, shared) : memory);

    i32 whole_images = images % team->threads == 0 || images >= 4 * team->threads;
    team_share(team, images * rows, whole_images ? rows : 1, &begin, &end);
    correlate_rows(&run, begin, end, whole_images ? c->epilogue : 0);
    if (whole_images || !c->epilogue)
        return;
    team_barrier(team);
    team_share(team, images, 1, &begin, &end);
    if (begin < end)
        c->epilogue->run(c->epilogue->closure, begin, end);
}
