/* A tile of the product takes its columns from the slab as they lie there. Some of them stand between two rows of
   output positions, or behind the last one, and are computed for nothing. Where that would be more work than copying,
   the columns are gathered instead, so many at a time that they stay in the L2 cache beside their sums. */
#include "conv_blocks.h"

#include <string.h>

#include "arrays.h"
#include "conv_gather.h"
#include "conv_slab.h"
#include "conv_sums.h"
#include "conv_weights.h"
#include "gemm_operands.h"

/* What one thread works on at a time, slabs and sums together, should stay in its L2 cache. */
enum {
    BLOCK_BYTES = 1 << 20,
    GATHERED_BLOCK_BYTES = 1 << 22,  /* of which each group of tiles reads a part */
    GROUP = 8,                       /* tiles gathered together */
    MOVE_CYCLES = 2,                 /* for each vector that is gathered, where a vector of products takes one */
};

typedef struct {
    const correlation *correlation;
    const arithmetic *with;
    slab slab;
    kernel_blocks kernel;
    i64 rows;     /* positions of the first axis in a block */
    i64 images;   /* in a block */
    i64 depth;
    i32 gathers;
    sums sums;
    i64 *offsets;  /* where the rows of the right operand begin in a slab */
    gathered_columns columns;
    char *slabs, *gathered;
    i32 finishes;  /* images, as soon as they are computed */
} correlation_run;

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

/* Whether multiplying the columns in between, and what an image's last vector has too many, takes longer than gathering
   the others. */
static i32 prefers_gathering(const correlation_run *run)
{
    i64 between = aligned_to(spread_positions(run, run->rows), run->with->lanes) - dense_positions(run, run->rows);
    i64 gathering = MOVE_CYCLES * lg_gathered_vectors(&run->slab, run->rows) * run->with->lanes;
    return between * run->correlation->out_channels > gathering;
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

/* The product of a block of depth, without its right operand and its columns. */
static block_product product_of_block(const correlation_run *run, i64 group, i64 b)
{
    i64 first = depth_begin(run->depth, b);
    return (block_product){
        .rows = run->correlation->out_channels,
        .depth = depth_begin(run->depth, b + 1) - first,
        .left = lg_kernel_block(&run->kernel, group, b),
        .offsets = run->offsets + first,
        .tile_stride = run->with->tile_columns,
        .out_stride = run->sums.channel,
        .accumulate = b > 0,
    };
}

static void multiply(const correlation_run *run, const block_product *product)
{
    if (run->kernel.row_stride)
        run->with->multiply_unpacked(product, run->kernel.row_stride, 1);
    else
        run->with->multiply(product);
}

static void multiply_spread(const correlation_run *run, i64 group, i64 images, i64 rows)
{
    for (i64 b = 0; b < depth_blocks(run->depth); b++) {
        block_product product = product_of_block(run, group, b);
        product.columns = aligned_to(spread_positions(run, rows), run->with->lanes);
        for (i64 i = 0; i < images; i++) {
            product.right = run->slabs + i * slab_size(run) * run->with->itemsize;
            product.out = run->sums.memory + i * run->sums.image * run->with->itemsize;
            multiply(run, &product);
        }
    }
}

/* Tiles [first, last) of the columns, one behind the other. */
static void gather(const correlation_run *run, const block_product *product, i64 first, i64 last)
{
    const arithmetic *with = run->with;
    char *to = run->gathered;
    for (i64 tile = first; tile < last; tile++, to += product->depth * with->tile_columns * with->itemsize) {
        i64 move = run->columns.first_moves[tile], count = run->columns.first_moves[tile + 1] - move;
        with->gather_right(to, with->tile_columns, run->slabs, product->offsets, product->depth,
                           run->columns.moves + move, count);
    }
}

static void multiply_gathered(const correlation_run *run, i64 group, i64 images, i64 rows)
{
    const arithmetic *with = run->with;
    i64 columns = images * dense_positions(run, rows), step = GROUP * with->tile_columns, packed_rows[BLOCK_DEPTH];
    for (i64 k = 0; k < BLOCK_DEPTH; k++)
        packed_rows[k] = k * with->tile_columns;
    for (i64 column = 0; column < columns; column += step)
        for (i64 b = 0; b < depth_blocks(run->depth); b++) {
            block_product product = product_of_block(run, group, b);
            product.columns = least(columns - column, step);
            i64 first = column / with->tile_columns, tiles = (product.columns - 1) / with->tile_columns + 1;
            gather(run, &product, first, first + tiles);
            product.right = run->gathered;
            product.offsets = packed_rows;
            product.tile_stride = product.depth * with->tile_columns;
            product.out = run->sums.memory + column * with->itemsize;
            multiply(run, &product);
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
    (run->gathers ? multiply_gathered : multiply_spread)(run, group, images, rows);
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
    i64 depth = least(run.depth, BLOCK_DEPTH);
    i64 gathered = run.gathers ? (GROUP * depth * with->tile_columns + with->lanes) * with->itemsize : 0;
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
    i64 positions = dense_positions(run, run->rows);
    i64 kernel = lg_kernel_blocks_bytes(run->with, run->correlation);
    i64 offsets = aligned_bytes(run->depth * (i64)sizeof(i64));
    i64 columns = run->gathers ? lg_gathered_columns_bytes(run->with, run->images * positions) : 0;
    char *memory = lg_shared_scratch(aligned_bytes(kernel) + offsets + columns);
    char *packed = take(&memory, kernel);
    run->offsets = take(&memory, offsets);
    lg_slab_offsets(&run->slab, run->offsets);
    if (run->gathers)
        run->columns = lg_plan_gathered_columns(&run->slab, run->rows, run->images, slab_size(run), memory);
    run->kernel = lg_pack_kernel(team, run->with, run->correlation, packed);
}

void lg_correlate_blocks(const team *team, const arithmetic *with, const correlation *c)
{
    correlation_run run = {.correlation = c, .with = with, .depth = lg_correlation_depth(c)};
    i64 rows = c->axes[0].positions;
    plan_blocks(&run);
    prepare(&run, team);
    run.finishes = lg_shares_images(team, c);
    lg_share(team, c->out.sizes[0] * rows, run.finishes ? rows * images_of_part(&run, team) : 1, correlate_part, &run);
    if (!run.finishes)
        lg_finish_all_images(team, c);
}
