/* The loops of Goto and van de Geijn: blocks of depth, then blocks of left rows, then panels of right. */
#include "gemm_blocks.h"

enum {
    FEW_ROWS = 48,      /* up to here, packing right costs more than it saves */
    FEW_COLUMNS = 64,   /* as FEW_ROWS, for left */
};

i32 lg_reads_right_in_place(matrix right, i64 rows)
{
    return right.column_stride == 1 && rows <= FEW_ROWS;
}

static const char *at(const arithmetic *with, const void *data, i64 index)
{
    return (const char *)data + index * with->itemsize;
}

i64 lg_right_panels(const strided_product *p)
{
    return (p->columns + p->with->tile_columns - 1) / p->with->tile_columns;
}

i64 lg_packed_right_bytes(const arithmetic *with, i64 columns, i64 depth)
{
    i64 panels = (columns + with->tile_columns - 1) / with->tile_columns;
    return aligned_bytes((panels * with->tile_columns * depth + PACKING_SLACK) * with->itemsize);
}

i64 lg_packed_left_bytes(const arithmetic *with)
{
    return aligned_bytes((MOST_ROWS * BLOCK_DEPTH + PACKING_SLACK) * with->itemsize);
}

/* Where a panel's rows [first, first + depth) are packed. */
static char *packed_panel(const strided_product *p, i64 panel, i64 first, i64 depth)
{
    i64 width = p->with->tile_columns;
    return p->packed_right + (first * lg_right_panels(p) + depth * panel) * width * p->with->itemsize;
}

static i64 panel_columns(const strided_product *p, i64 panel)
{
    return least(p->columns - panel * p->with->tile_columns, p->with->tile_columns);
}

/* A panel that ends inside a vector cannot be read in place: the vector may end behind the matrix. */
static i32 is_packed(const strided_product *p, i64 panel)
{
    return !p->right_in_place || panel_columns(p, panel) % p->with->lanes;
}

void lg_pack_right_panels(const strided_product *p, i64 begin, i64 end)
{
    for (i64 block = 0; block < depth_blocks(p->depth); block++) {
        i64 first = depth_begin(p->depth, block), depth = depth_begin(p->depth, block + 1) - first;
        for (i64 panel = begin; panel < end; panel++) {
            matrix part = p->right;
            part.data = at(p->with, part.data,
                           first * part.row_stride + panel * p->with->tile_columns * part.column_stride);
            if (is_packed(p, panel))
                p->with->pack_right(packed_panel(p, panel, first, depth), part, depth, panel_columns(p, panel));
        }
    }
}

/* One block of left rows times a block of depth of right. */
static void multiply_block(const strided_product *p, i64 row, i64 rows, i64 first, i64 depth, i32 accumulate)
{
    const arithmetic *with = p->with;
    i64 packed_rows[BLOCK_DEPTH], rows_in_place[BLOCK_DEPTH];
    for (i64 k = 0; k < depth; k++) {
        packed_rows[k] = k * with->tile_columns;
        rows_in_place[k] = k * p->right.row_stride;
    }
    matrix left = p->left;
    left.data = at(with, left.data, row * left.row_stride + first * left.column_stride);
    i32 pack = p->columns > FEW_COLUMNS;
    if (pack)
        with->pack_left(p->packed_left, left, rows, depth);
    block_product block = {
        .rows = rows,
        .depth = depth,
        .left = pack ? p->packed_left : left.data,
        .out_stride = p->out_stride,
        .accumulate = accumulate,
    };
    for (i64 panel = 0; panel < lg_right_panels(p); panel++) {
        i64 column = panel * with->tile_columns;
        i32 packed = is_packed(p, panel);
        block.columns = panel_columns(p, panel);
        block.right = packed ? packed_panel(p, panel, first, depth)
                             : at(with, p->right.data, first * p->right.row_stride + column);
        block.offsets = packed ? packed_rows : rows_in_place;
        block.out = (char *)p->out + (row * p->out_stride + column) * with->itemsize;
        if (pack)
            with->multiply(&block);
        else
            with->multiply_unpacked(&block, left.row_stride, left.column_stride);
    }
}

void lg_multiply_rows(const strided_product *p, i64 begin, i64 end)
{
    for (i64 block = 0; block < depth_blocks(p->depth); block++) {
        i64 first = depth_begin(p->depth, block), depth = depth_begin(p->depth, block + 1) - first;
        multiply_block(p, begin, end - begin, first, depth, p->accumulate || block > 0);
    }
}
