/* The loops around the kernel.

   A block of left rows is packed and stays in the L2 cache. Right is packed right before it meets all of that block:
   one panel at a time, which never leaves the L1 cache, or a group of panels if there are many rows. So nothing packed
   goes through memory, and threads with different parts of out need not wait for each other: what they pack twice is
   little beside what they multiply. */
#include "gemm_blocks.h"

#include "arrays.h"

enum {
    MOST_ROWS = 1024,    /* × BLOCK_DEPTH: packed, half an L2 cache */
    FEW_ROWS = 16,       /* up to here, packing right costs more than it saves */
    FEW_COLUMNS = 128,   /* as FEW_ROWS, for left */
    MANY_ROWS = 256,     /* from here on, visiting every row's page of out once per panel misses in the TLB */
    GROUP = 8,           /* panels packed together then: they stay in the L2 cache beside the block of left */
    ROWS_TOGETHER = 16,  /* of these panels */
};

static const char *at(const arithmetic *with, const void *data, i64 index)
{
    return (const char *)data + index * with->itemsize;
}

static i64 most_depth(i64 depth)
{
    return least(depth, BLOCK_DEPTH);
}

static i64 left_bytes(const arithmetic *with, i64 rows, i64 depth)
{
    return aligned_bytes((least(rows, MOST_ROWS) * most_depth(depth) + PACKING_SLACK) * with->itemsize);
}

static i64 group_columns(const arithmetic *with, i64 rows)
{
    return with->tile_columns * (rows >= MANY_ROWS ? GROUP : 1);
}

i64 lg_packing_bytes(const arithmetic *with, i64 rows, i64 columns, i64 depth)
{
    i64 left = columns > FEW_COLUMNS ? left_bytes(with, rows, depth) : 0;
    return left + aligned_bytes(group_columns(with, rows) * most_depth(depth) * with->itemsize);
}

/* How many columns of right, from the first on, are read where they lie: whole vectors of them. */
static i64 columns_in_place(const strided_product *p)
{
    i32 in_place = p->right.column_stride == 1 && p->rows <= FEW_ROWS;
    return in_place ? p->columns / p->with->lanes * p->with->lanes : 0;
}

/* Panels side by side, a few rows of all of them at a time where those lie together in memory. */
static void pack_group(const arithmetic *with, char *packed, matrix right, i64 depth, i64 columns)
{
    i64 tile = with->tile_columns, step = columns > tile && right.column_stride == 1 ? ROWS_TOGETHER : depth;
    for (i64 k = 0; k < depth; k += step)
        for (i64 column = 0; column < columns; column += tile) {
            matrix part = right;
            part.data = at(with, right.data, k * right.row_stride + column * right.column_stride);
            with->pack_right(packed + (column * depth + k * tile) * with->itemsize, part, least(step, depth - k),
                             least(columns - column, tile));
        }
}

/* Left rows [begin, end) and `depth` elements of each from `first` on, times right. They begin the sums in out, or are
   added to them. */
static void multiply_block(const strided_product *p, i64 begin, i64 end, i64 first, i64 depth, char *memory)
{
    const arithmetic *with = p->with;
    i64 packed_rows[BLOCK_DEPTH], rows_in_place[BLOCK_DEPTH];
    for (i64 k = 0; k < depth; k++) {
        packed_rows[k] = k * with->tile_columns;
        rows_in_place[k] = k * p->right.row_stride;
    }
    matrix left = p->left;
    left.data = at(with, left.data, begin * left.row_stride + first * left.column_stride);
    i32 pack_left = p->columns > FEW_COLUMNS;
    char *packed_left = pack_left ? take(&memory, left_bytes(with, end - begin, depth)) : 0;
    if (pack_left)
        with->pack_left(packed_left, left, end - begin, depth);
    block_product block = {
        .rows = end - begin,
        .depth = depth,
        .left = pack_left ? packed_left : left.data,
        .out_stride = p->out_stride,
        .accumulate = p->accumulate || first > 0,
    };
    i64 group = group_columns(with, end - begin), together = columns_in_place(p);
    for (i64 column = 0; column < p->columns; column += block.columns) {
        matrix right = p->right;
        right.data = at(with, right.data, first * right.row_stride + column * right.column_stride);
        i32 in_place = column < together;
        block.columns = in_place ? together : least(p->columns - column, group);
        if (!in_place)
            pack_group(with, memory, right, depth, block.columns);
        block.right = in_place ? right.data : memory;
        block.offsets = in_place ? rows_in_place : packed_rows;
        block.tile_stride = with->tile_columns * (in_place ? 1 : depth);
        block.out = (char *)p->out + (begin * p->out_stride + column) * with->itemsize;
        if (pack_left)
            with->multiply(&block);
        else
            with->multiply_unpacked(&block, left.row_stride, left.column_stride);
    }
}

void lg_multiply(const strided_product *p, char *memory, const epilogue *finished)
{
    i64 blocks = (p->rows + MOST_ROWS - 1) / MOST_ROWS;
    for (i64 block = 0; block < blocks; block++) {
        i64 begin = p->rows * block / blocks, end = p->rows * (block + 1) / blocks;
        for (i64 b = 0; b < depth_blocks(p->depth); b++) {
            i64 first = depth_begin(p->depth, b);
            multiply_block(p, begin, end, first, depth_begin(p->depth, b + 1) - first, memory);
        }
        if (finished)
            finished->run(finished->closure, begin, end);
    }
}
