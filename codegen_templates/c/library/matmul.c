/* Matrix products over the last two axes; leading axes broadcast. See matmul.h.

   The right operand is packed first, all of it or as much as PACKED_ELEMENTS allow, then multiplied with one block of
   left rows after another, so that finished rows are still in the cache. How threads share the work:

   BY_ITEMS     each takes a range of the rows of all items, and packs the right operands that it meets;
   BY_ROWS      each takes a range of rows; all pack the right operand together;
   BY_COLUMNS   each takes a range of columns, and packs those. */
#include "matmul.h"

#include <string.h>

#include "arrays.h"
#include "gemm_blocks.h"

enum { PACKED_ELEMENTS = 1 << 22, FEW_ROWS = 3 };



typedef struct {
    const arithmetic *with;
    const array *out;
    array left, right;
    i64 items, rows, columns, depth;
    char *out_elements;  /* row-major; out itself if it is stored as it is computed */
    char *shared, *own;  /* for packed operands */
    const epilogue *epilogue;
} product_call;

i32 lg_is_serial_product(i64 rows, i64 columns, i64 depth, i64 items)
{
    return 2 * rows * columns * depth * items < SERIAL_OPERATIONS;
}

static i32 is_converted(const product_call *call)
{
    return !lg_is_stored_as_computed(call->out->dtype);
}

/* The matrix that an item of the batch reads; x has the last axes of out's rank, sizes 1 broadcast. */
static matrix item_matrix(const product_call *call, const array *x, i64 item)
{
    i64 offset = 0;
    for (i32 axis = call->out->rank - 3; axis >= 0; axis--) {
        i32 own = axis - (call->out->rank - x->rank);
        if (own >= 0 && x->sizes[own] != 1)
            offset += item % call->out->sizes[axis] * x->strides[own];
        item /= call->out->sizes[axis];
    }
    const char *data = (const char *)x->data + offset * call->with->itemsize;
    return (matrix){data, x->strides[x->rank - 2], x->strides[x->rank - 1]};
}

/* Rows [begin, end) of out, counted through all items, are complete. */
static void finish(const product_call *call, i64 begin, i64 end)
{
    i64 columns = call->columns;
    if (is_converted(call))
        call->with->store((char *)call->out->data + begin * columns * itemsize_of(call->out->dtype), call->out->dtype, 1,
                          call->out_elements + begin * columns * call->with->itemsize, (end - begin) * columns);
    if (call->epilogue && begin < end)
        call->epilogue->run(call->epilogue->closure, begin, end);
}

/* Rows × columns of one item. */
typedef struct {
    i64 item, first_row, last_row, first_column, last_column;
} part;

static strided_product product_of(const product_call *call, const part *part, i64 rows_each)
{
    strided_product p = {
        .with = call->with,
        .left = item_matrix(call, &call->left, part->item),
        .right = item_matrix(call, &call->right, part->item),
        .packed_left = call->own,
        .out_stride = call->columns,
    };
    p.right_in_place = lg_reads_right_in_place(p.right, rows_each);
    return p;
}

static i64 chunk_depth(const product_call *call)
{
    return most(least(call->depth, PACKED_ELEMENTS >> 10), 1);
}

static i64 chunk_columns(const product_call *call)
{
    i64 tile = call->with->tile_columns;
    return most(PACKED_ELEMENTS / chunk_depth(call) / tile, 1) * tile;
}

static void multiply_row_blocks(const product_call *call, const part *part, const strided_product *p, i32 finishes)
{
    i64 rows = part->last_row - part->first_row, blocks = (rows + MOST_ROWS - 1) / MOST_ROWS;
    for (i64 block = 0; block < blocks; block++) {
        i64 begin = part->first_row + rows * block / blocks, end = part->first_row + rows * (block + 1) / blocks;
        lg_multiply_rows(p, begin, end);
        if (finishes)
            finish(call, part->item * call->rows + begin, part->item * call->rows + end);
    }
}

/* `packers` pack the right operand into `packed` together; each then multiplies its own part. */
static void multiply_part(const product_call *call, const part *part, const team *packers, char *packed, i32 finishes)
{
    i64 rows_together = packers->threads > 1 ? call->rows : part->last_row - part->first_row;
    strided_product p = product_of(call, part, rows_together / packers->threads);
    matrix left = p.left, right = p.right;
    i64 most_columns = chunk_columns(call), most_depth = chunk_depth(call), itemsize = call->with->itemsize;
    char *out = call->out_elements + part->item * call->rows * call->columns * itemsize;
    p.packed_right = packed;
    for (i64 column = part->first_column; column < part->last_column; column += most_columns)
        for (i64 k = 0; k < call->depth; k += most_depth) {
            i64 begin, end;
            i32 last = column + most_columns >= part->last_column && k + most_depth >= call->depth;
            p.columns = least(part->last_column - column, most_columns);
            p.depth = least(call->depth - k, most_depth);
            p.left.data = (const char *)left.data + k * left.column_stride * itemsize;
            p.right.data = (const char *)right.data + (k * right.row_stride + column * right.column_stride) * itemsize;
            p.out = out + column * itemsize;
            p.accumulate = k > 0;
            team_share(packers, lg_right_panels(&p), 1, &begin, &end);
            lg_pack_right_panels(&p, begin, end);
            team_barrier(packers);
            multiply_row_blocks(call, part, &p, finishes && last);
            if (!last)
                team_barrier(packers);
        }
}

static const team alone = {0, 1};

/* A range of the rows of all items, some of which may begin or end inside it. */
static void multiply_items(const product_call *call, i64 begin, i64 end, char *packed)
{
    for (i64 row = begin; row < end;) {
        i64 item = row / call->rows, base = item * call->rows, last = least(end, base + call->rows);
        part part = {item, row - base, last - base, 0, call->columns};
        multiply_part(call, &part, &alone, packed, 1);
        row = last;
    }
}

static void multiply_by_items(const product_call *call, const team *team)
{
    i64 begin, end;
    i64 grain = call->items % team->threads && call->items < 8 * team->threads ? 1 : call->rows;
    team_share(team, call->items * call->rows, grain, &begin, &end);
    multiply_items(call, begin, end, call->own + lg_packed_left_bytes(call->with));
}

static void multiply_by_rows(const product_call *call, const team *team)
{
    for (i64 item = 0; item < call->items; item++) {
        part part = {.item = item, .last_column = call->columns};
        team_share(team, call->rows, 1, &part.first_row, &part.last_row);
        multiply_part(call, &part, team, call->shared, 1);
        if (item + 1 < call->items)
            team_barrier(team);
    }
}

static void multiply_by_columns(const product_call *call, const team *team)
{
    i64 begin, end;
    for (i64 item = 0; item < call->items; item++) {
        part part = {.item = item, .last_row = call->rows};
        team_share(team, call->columns, call->with->tile_columns, &part.first_column, &part.last_column);
        multiply_part(call, &part, &alone, call->own + lg_packed_left_bytes(call->with), 0);
    }
    if (!call->epilogue && !is_converted(call))
        return;
    team_barrier(team);
    team_share(team, call->items * call->rows, 1, &begin, &end);
    finish(call, begin, end);
}

/* A row of out, counted through all items, between two columns: its row of left times right. */
static void multiply_row(const product_call *call, i64 row, i64 begin, i64 end)
{
    const arithmetic *with = call->with;
    matrix left = item_matrix(call, &call->left, row / call->rows);
    matrix right = item_matrix(call, &call->right, row / call->rows);
    const char *source = (const char *)left.data + row % call->rows * left.row_stride * with->itemsize;
    with->load(call->own, source, with->dtype, left.column_stride, call->depth);
    const char *data = (const char *)right.data + begin * right.column_stride * with->itemsize;
    matrix transposed = {data, right.column_stride, right.row_stride};
    with->multiply_vector(call->out_elements + (row * call->columns + begin) * with->itemsize, transposed, end - begin,
                          call->depth, call->own);
}

/* Few rows per item. */
static void multiply_row_vectors(const product_call *call, const team *team)
{
    i64 rows = call->items * call->rows, begin, end;
    if (rows >= 4 * team->threads || team->threads == 1) {
        team_share(team, rows, 1, &begin, &end);
        for (i64 row = begin; row < end; row++)
            multiply_row(call, row, 0, call->columns);
    } else {
        team_share(team, call->columns, call->with->tile_columns, &begin, &end);
        for (i64 row = 0; row < rows; row++)
            multiply_row(call, row, begin, end);
        team_barrier(team);
        team_share(team, rows, 1, &begin, &end);
    }
    finish(call, begin, end);
}

/* One column per item. */
static void multiply_column_vectors(const product_call *call, const team *team)
{
    const arithmetic *with = call->with;
    i64 begin, end;
    team_share(team, call->items * call->rows, 1, &begin, &end);
    for (i64 row = begin; row < end;) {
        i64 item = row / call->rows, last = least(end, (item + 1) * call->rows);
        matrix left = item_matrix(call, &call->left, item), right = item_matrix(call, &call->right, item);
        with->load(call->own, right.data, with->dtype, right.row_stride, call->depth);
        left.data = (const char *)left.data + row % call->rows * left.row_stride * with->itemsize;
        with->multiply_vector(call->out_elements + row * with->itemsize, left, last - row, call->depth, call->own);
        row = last;
    }
    finish(call, begin, end);
}

static void multiply_nothing(const product_call *call, const team *team)
{
    i64 rows = call->items * call->rows, begin, end, row_bytes = call->columns * call->with->itemsize;
    team_share(team, rows, 1, &begin, &end);
    memset(call->out_elements + begin * row_bytes, 0, (end - begin) * row_bytes);
    finish(call, begin, end);
}

typedef void (*route)(const product_call *call, const team *team);

static route choose_route(const product_call *call, const team *team)
{
    if (call->columns == 0 || call->depth == 0)
        return multiply_nothing;
    if (call->columns == 1)
        return multiply_column_vectors;
    if (call->rows <= FEW_ROWS)
        return multiply_row_vectors;
    if (team->threads == 1 || call->items >= 2 * team->threads)
        return multiply_by_items;
    return call->rows >= call->columns ? multiply_by_rows : multiply_by_columns;
}

/* One tall product instead of a batch of them, where every item meets the same right operand. */
static void fold_items(product_call *call)
{
    const array *left = &call->left, *right = &call->right;
    for (i32 axis = 0; axis < right->rank - 2; axis++)
        if (right->sizes[axis] != 1 && right->strides[axis])
            return;
    if (left->rank != call->out->rank)
        return;
    for (i32 axis = 0; axis < left->rank - 2; axis++)
        if (left->sizes[axis] != call->out->sizes[axis] ||
            left->strides[axis] != left->strides[axis + 1] * left->sizes[axis + 1])
            return;
    call->rows *= call->items;
    call->items = 1;
}

/* Scratch memory for the packed operands, and for whatever has to be converted. */
static void prepare_memory(product_call *call, const team *team)
{
    const arithmetic *with = call->with;
    array left = call->left, right = call->right;
    i64 packed_right = lg_packed_right_bytes(with, least(call->columns, chunk_columns(call)), chunk_depth(call));
    i64 own = lg_packed_left_bytes(with) + most(packed_right, aligned_bytes(call->depth * with->itemsize));
    i64 left_bytes = lg_converted_bytes(with, &left), right_bytes = lg_converted_bytes(with, &right);
    i64 out_bytes = is_converted(call) ? element_count(call->out) * with->itemsize : 0;
    i64 shared = left_bytes + right_bytes + aligned_bytes(out_bytes) + packed_right;
    char *memory;
    if (team->threads > 1) {
        memory = lg_shared_scratch(team, shared);
        call->own = lg_private_scratch(own);
    } else {
        memory = lg_private_scratch(shared + own);
        call->own = memory + shared;
    }
    call->left = lg_convert(team, with, &left, take(&memory, left_bytes));
    call->right = lg_convert(team, with, &right, take(&memory, right_bytes));
    call->out_elements = out_bytes ? take(&memory, out_bytes) : call->out->data;
    call->shared = memory;
    if (left_bytes || right_bytes)
        team_barrier(team);
}

i32 lg_matmul_epilogue(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes,
                       const epilogue *epilogue)
{
    (void)count, (void)attributes;
    product_call call = {
        .with = lg_arithmetic_of(out->dtype),
        .out = out,
        .left = inputs[0],
        .right = inputs[1],
        .items = product(out->sizes, out->rank - 2),
        .rows = out->sizes[out->rank - 2],
        .columns = out->sizes[out->rank - 1],
        .depth = inputs[0].sizes[inputs[0].rank - 1],
        .epilogue = epilogue,
    };
    if (!call.with)
        return REFUSED;
    team workers = *all;
    if (lg_is_serial_product(call.rows, call.columns, call.depth, call.items)) {
        if (all->thread > 0)
            return OK;
        workers.threads = 1;
    }
    prepare_memory(&call, &workers);
    if (call.items > 1)
        fold_items(&call);
    if (call.items > 0 && call.rows > 0)
        choose_route(&call, &workers)(&call, &workers);
    return OK;
}

i32 lg_matmul(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    return lg_matmul_epilogue(team, out, inputs, count, attributes, 0);
}
