/* Correlations as products of the packed kernel with the windows of a slab, block after block.

   A tile of the product takes its columns from the slab as they lie there. Some of them stand between two rows of
   output positions, or behind the last one, and are computed for nothing. Where that would be more work than copying,
   for small images with many channels, the columns of each tile are gathered instead. */
#include "conv_correlation.h"

#include <string.h>

#include "arrays.h"
#include "conv_planes.h"
#include "conv_pointwise.h"
#include "conv_slab.h"
#include "conv_sums.h"
#include "conv_weights.h"
#include "gemm_operands.h"

/* What one thread works on at a time, slabs and sums together, should stay in its L2 cache. */
enum {
    BLOCK_BYTES = 1 << 20,
    GATHERED_BLOCK_BYTES = 1 << 22,  /* of which each tile then reads little, but all of the kernel */
};

typedef struct {
    const correlation *correlation;
    const arithmetic *with;
    slab slab;
    packed_weights weights;
    i64 rows;     /* positions of the first axis in a block */
    i64 images;   /* in a block */
    i64 depth;
    i32 gathers;
    sums sums;
    i64 *offsets;  /* where the rows of the right operand begin in a slab */
    i64 *columns;  /* where output positions lie in a block's slabs, if it gathers */
    char *slabs, *gathered;
    i32 finishes;  /* images, as soon as they are computed */
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

static i64 slab_size(const correlation_run *run)
{
    return run->correlation->in_channels * run->slab.channel_size + run->with->tile_columns;
}

/* Output positions in `rows` rows. */
static i64 dense_positions(const correlation_run *run, i64 rows)
{
    return lg_correlation_positions(run->correlation) / run->correlation->axes[0].positions * rows;
}

/* The same, and everything between them in a slab. */
static i64 spread_positions(const correlation_run *run, i64 rows)
{
    return run->slab.positions - (run->rows - rows) * run->slab.axes[0].pitch;
}

static i64 block_bytes(const correlation_run *run)
{
    i64 sums = run->correlation->out_channels * run->slab.positions;
    return (slab_size(run) + sums) * run->with->itemsize;
}

/* Whether multiplying the columns in between takes longer than gathering the others, at about a cycle per element. */
static i32 prefers_gathering(const correlation_run *run)
{
    i64 spread = spread_positions(run, run->rows), dense = dense_positions(run, run->rows);
    i64 products_per_cycle = run->with->tile_columns;
    return (spread - dense) * run->correlation->out_channels > dense * products_per_cycle;
}

/* As many images as fit a block, or as many rows of one. */
static void plan_blocks(correlation_run *run)
{
    const correlation *c = run->correlation;
    run->rows = c->axes[0].positions;
    run->slab = lg_slab_layout(run->with, c, run->rows);
    while (block_bytes(run) > BLOCK_BYTES && run->rows > 1) {
        run->rows = (run->rows + 1) / 2;
        run->slab = lg_slab_layout(run->with, c, run->rows);
    }
    i32 whole = run->rows == c->axes[0].positions;
    run->gathers = prefers_gathering(run);
    i64 images = (run->gathers ? GATHERED_BLOCK_BYTES : BLOCK_BYTES) / block_bytes(run);
    run->images = whole ? most(least(images, c->out.sizes[0]), 1) : 1;
    run->sums = run->gathers ? lg_dense_sums(run->with, c, run->rows, run->images)
                             : lg_spread_sums(run->with, c, &run->slab);
}

static void fill_columns(const correlation_run *run)
{
    const correlation *c = run->correlation;
    i64 positions = dense_positions(run, run->rows);
    for (i64 index = 0; index < run->images * positions; index++) {
        i64 rest = index % positions, offset = index / positions * slab_size(run);
        for (i32 a = c->rank - 1; a >= 0; a--) {
            i64 size = a == 0 ? run->rows : c->axes[a].positions;
            offset += rest % size * run->slab.axes[a].pitch;
            rest /= size;
        }
        run->columns[index] = offset;
    }
}

/* One block of depth of the product, for all images of the block. */
static void multiply_spread(const correlation_run *run, block_product *product, i64 images, i64 rows)
{
    product->columns = aligned_to(spread_positions(run, rows), run->with->lanes);
    for (i64 i = 0; i < images; i++) {
        product->right = run->slabs + i * slab_size(run) * run->with->itemsize;
        product->out = run->sums.memory + i * run->sums.image * run->with->itemsize;
        run->with->multiply(product);
    }
}

static void multiply_gathered(const correlation_run *run, block_product *product, i64 images, i64 rows)
{
    const arithmetic *with = run->with;
    i64 columns = images * dense_positions(run, rows), packed_rows[BLOCK_DEPTH];
    const i64 *offsets = product->offsets;
    for (i64 k = 0; k < product->depth; k++)
        packed_rows[k] = k * with->tile_columns;
    product->offsets = packed_rows;
    product->right = run->gathered;
    for (i64 column = 0; column < columns; column += with->tile_columns) {
        product->columns = least(columns - column, with->tile_columns);
        product->out = run->sums.memory + column * with->itemsize;
        with->gather_right(run->gathered, run->slabs, offsets, product->depth, run->columns + column, product->columns);
        with->multiply(product);
    }
}

/* Output rows of a group, of all the block's images. */
static void correlate_block(const correlation_run *run, i64 image, i64 images, i64 group, i64 first_row, i64 rows)
{
    const correlation *c = run->correlation;
    if (run->depth == 0)
        memset(run->sums.memory, 0, lg_sums_bytes(run->with, c, &run->sums, run->images));
    else
        for (i64 i = 0; i < images; i++)
            lg_fill_slab(&run->slab, image + i, group, first_row,
                         run->slabs + i * slab_size(run) * run->with->itemsize);
    for (i64 b = 0; b < depth_blocks(run->depth); b++) {
        i64 first = depth_begin(run->depth, b);
        block_product product = {
            .rows = c->out_channels,
            .depth = depth_begin(run->depth, b + 1) - first,
            .left = run->weights.memory + group * run->weights.group_bytes + b * run->weights.block_bytes,
            .offsets = run->offsets + first,
            .tile_stride = run->with->tile_columns,
            .out_stride = run->sums.channel,
            .accumulate = b > 0,
        };
        (run->gathers ? multiply_gathered : multiply_spread)(run, &product, images, rows);
    }
    for (i64 i = 0; i < images; i++)
        lg_store_sums(run->with, c, &run->sums, i, image + i, group, first_row, rows);
}

/* Rows [begin, end) of the first axis, counted through all images. */
static void correlate_rows(const correlation_run *run, i64 begin, i64 end)
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
        if (run->finishes && first + rows == all)
            lg_finish_images(c, image, image + images);
    }
}

/* A part, in memory of the thread that does it. */
static void correlate_part(void *closure, i64 begin, i64 end)
{
    correlation_run run = *(const correlation_run *)closure;
    const arithmetic *with = run.with;
    i64 slabs = aligned_bytes(run.images * slab_size(&run) * with->itemsize);
    i64 sums = lg_sums_bytes(with, run.correlation, &run.sums, run.images);
    i64 gathered = run.gathers ? BLOCK_DEPTH * with->tile_columns * with->itemsize : 0;
    char *memory = lg_private_scratch(slabs + sums + gathered);
    run.slabs = take(&memory, slabs);
    run.sums.memory = take(&memory, sums);
    run.gathered = take(&memory, gathered);
    correlate_rows(&run, begin, end);
}

/* Parts are whole blocks of images where that leaves each thread a few of them. */
static i64 images_of_part(const correlation_run *run, const team *team)
{
    enum { PARTS = 4 };
    return least(run->images, most(run->correlation->out.sizes[0] / (PARTS * team->threads), 1));
}

/* What all parts read: the packed kernel, and where it meets a slab. */
static void prepare(correlation_run *run, const team *team)
{
    i64 weights = lg_packed_weights_bytes(run->with, run->correlation);
    i64 offsets = aligned_bytes(run->depth * (i64)sizeof(i64));
    i64 columns = run->gathers ? aligned_bytes(run->images * dense_positions(run, run->rows) * (i64)sizeof(i64)) : 0;
    char *memory = lg_shared_scratch(aligned_bytes(weights) + offsets + columns);
    char *packed = take(&memory, weights);
    run->offsets = take(&memory, offsets);
    run->columns = take(&memory, columns);
    lg_slab_offsets(&run->slab, run->offsets);
    if (run->gathers)
        fill_columns(run);
    run->weights = lg_pack_weights(team, run->with, run->correlation, packed);
}

i32 lg_shares_images(const team *team, const correlation *c)
{
    i64 images = c->out.sizes[0];
    return images % team->threads == 0 || images >= 4 * team->threads;
}

static i64 channel_count(const correlation *c)
{
    return c->groups * c->out_channels;
}

/* Whether the epilogue's units are the channels of all images. */
static i32 finishes_channels(const correlation *c)
{
    return c->epilogue && c->epilogue->extent == c->out.sizes[0] * channel_count(c);
}

void lg_finish_images(const correlation *c, i64 begin, i64 end)
{
    i64 units = finishes_channels(c) ? channel_count(c) : 1;
    if (c->epilogue)
        c->epilogue->run(c->epilogue->closure, begin * units, end * units);
}

static void finish_images(void *closure, i64 begin, i64 end)
{
    lg_finish_images(closure, begin, end);
}

void lg_run_epilogue_on_images(const team *team, const correlation *c)
{
    if (c->epilogue)
        lg_share(team, c->out.sizes[0], 1, finish_images, (void *)c);
}

typedef struct {
    const correlation *c;
    const arithmetic *with;
} groups_call;

/* Groups of all images; a few at a time are finished while they are in the cache, if the epilogue can be cut so. */
static void correlate_groups(void *closure, i64 begin, i64 end)
{
    enum { OUTPUT_BYTES = 1 << 16 };
    const groups_call *call = closure;
    const correlation *c = call->c;
    i64 bytes = c->out_channels * product(c->out.sizes + 2, c->rank) * call->with->itemsize;
    i64 together = finishes_channels(c) ? most(OUTPUT_BYTES / most(bytes, 1), 1) : most(end - begin, 1);
    for (i64 group = begin; group < end; group += together) {
        i64 last = least(group + together, end);
        lg_correlate_groups(call->with, c, 1, group, last);
        if (finishes_channels(c))
            c->epilogue->run(c->epilogue->closure, group * c->out_channels, last * c->out_channels);
    }
}

static void correlate_groups_of_images(void *closure, i64 begin, i64 end)
{
    const groups_call *call = closure;
    for (i64 image = begin; image < end; image++) {
        lg_correlate_groups(call->with, call->c, 1, image * call->c->groups, (image + 1) * call->c->groups);
        lg_finish_images(call->c, image, image + 1);
    }
}

static void share_groups(const team *team, const arithmetic *with, const correlation *c)
{
    groups_call call = {c, with};
    if (c->epilogue && !finishes_channels(c) && lg_shares_images(team, c)) {
        lg_share(team, c->out.sizes[0], 1, correlate_groups_of_images, &call);
        return;
    }
    lg_share(team, c->out.sizes[0] * c->groups, 1, correlate_groups, &call);
    if (!finishes_channels(c))
        lg_run_epilogue_on_images(team, c);
}

void lg_correlate(const team *team, const arithmetic *with, const correlation *c)
{
    correlation_run run = {.correlation = c, .with = with, .depth = lg_correlation_depth(c)};
    i64 images = c->out.sizes[0], rows = c->axes[0].positions;
    if (images * c->groups * c->out_channels * lg_correlation_positions(c) == 0)
        return;
    if (lg_is_pointwise(c)) {
        lg_correlate_pointwise(team, with, c);
        return;
    }
    if (lg_has_few_channels(c)) {
        share_groups(team, with, c);
        return;
    }
    plan_blocks(&run);
    prepare(&run, team);
    i32 whole_images = lg_shares_images(team, c);
    run.finishes = whole_images;
    lg_share(team, images * rows, whole_images ? rows * images_of_part(&run, team) : 1, correlate_part, &run);
    if (!whole_images)
        lg_run_epilogue_on_images(team, c);
}
