/* Matrix products over the last two axes; leading axes broadcast.

   Parts are items of a batch, or lie over the rows and columns of one product as a grid. */
#include "matmul.h"

#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "gemm_blocks.h"

/* Products with so few rows read right once and in place, as products with vectors. Where right lies row by row the
   kernel can do that too, and does it better from a certain number of rows on. */
enum { FEW_ROWS = 3, FEW_ROWS_TRANSPOSED = 8 };

typedef struct {
    const arithmetic *with;
    const array *out;
    array left, right;
    i64 items, rows, columns, depth;
    char *out_elements;  /* row-major; out itself if it is stored as it is computed */
    i64 own_bytes;       /* of a part, for packing */
    i64 grid_rows, grid_columns;
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
    if (is_converted(call)) {
        stored to = {(char *)call->out->data + begin * columns * itemsize_of(call->out->dtype), call->out->dtype, 0, 1};
        elements from = {call->out_elements + begin * columns * call->with->itemsize, 0};
        call->with->store(to, from, 1, (end - begin) * columns);
    }
    if (call->epilogue && begin < end)
        call->epilogue->run(call->epilogue->closure, begin, end);
}

/* Rows × columns of one item. */
typedef struct {
    i64 item, first_row, last_row, first_column, last_column;
} part;

/* What `lg_multiply` reports finished rows of a part to. */
typedef struct {
    const product_call *call;
    i64 first_row;
} finishing;

static void finish_rows(void *closure, i64 begin, i64 end)
{
    const finishing *of = closure;
    finish(of->call, of->first_row + begin, of->first_row + end);
}

static void multiply_part(const product_call *call, const part *part, char *own, i32 finishes)
{
    const arithmetic *with = call->with;
    matrix left = item_matrix(call, &call->left, part->item), right = item_matrix(call, &call->right, part->item);
    i64 row = part->item * call->rows + part->first_row;
    left.data = (const char *)left.data + part->first_row * left.row_stride * with->itemsize;
    right.data = (const char *)right.data + part->first_column * right.column_stride * with->itemsize;
    strided_product p = {
        .with = with,
        .left = left,
        .right = right,
        .rows = part->last_row - part->first_row,
        .columns = part->last_column - part->first_column,
        .depth = call->depth,
        .out = call->out_elements + (row * call->columns + part->first_column) * with->itemsize,
        .out_stride = call->columns,
    };
    finishing closure = {call, row};
    epilogue finished = {.run = finish_rows, .closure = &closure};
    lg_multiply(&p, own, finishes ? &finished : 0);
}

/* Rows [begin, end) of all items; some items may begin or end inside. */
static void multiply_item_rows(void *closure, i64 begin, i64 end)
{
    const product_call *call = closure;
    char *own = lg_private_scratch(call->own_bytes);
    for (i64 row = begin; row < end;) {
        i64 item = row / call->rows, base = item * call->rows, last = least(end, base + call->rows);
        part part = {item, row - base, last - base, 0, call->columns};
        multiply_part(call, &part, own, 1);
        row = last;
    }
}

static void multiply_by_items(product_call *call, const team *team)
{
    i32 halves = call->items % team->threads && call->items < 8 * team->threads;
    lg_share(team, call->items * call->rows, halves ? (call->rows + 1) / 2 : call->rows, multiply_item_rows, call);
}

/* Elements packed for one item: each part packs its own rows and columns. */
static i64 packed_elements(const product_call *call, i64 rows, i64 columns)
{
    return (call->rows * columns + call->columns * rows) * call->depth;
}

/* Parts along the rows, in a grid of them over out that packs as little as possible. */
static i64 best_rows(const product_call *call, i64 parts)
{
    i64 best = 1;
    for (i64 count = 2; count <= parts; count++)
        if (parts % count == 0 &&
            packed_elements(call, count, parts / count) < packed_elements(call, best, parts / best))
            best = count;
    return best;
}

/* A part for each thread, or more of them as long as they are large and pack little more. Where parts are whole rows, the
   epilogue can follow them. */
static void choose_grid(product_call *call, const team *team)
{
    enum { PACKING = 16, MOST_PERCENT = 6, LEAST_PRODUCTS = 1 << 20 };  /* packing an element costs 16 products */
    i64 threads = team->threads, rows = best_rows(call, threads), columns = threads / rows;
    i64 products = call->rows * call->columns * call->depth, packed = packed_elements(call, rows, columns);
    i32 whole_rows = columns == 1;
    call->grid_rows = rows, call->grid_columns = columns;
    for (i64 parts = 2 * threads; parts <= lg_parts(team) && products / parts >= LEAST_PRODUCTS; parts *= 2) {
        rows = whole_rows ? parts : best_rows(call, parts), columns = parts / rows;
        if (100 * PACKING * (packed_elements(call, rows, columns) - packed) > MOST_PERCENT * products)
            break;
        call->grid_rows = rows, call->grid_columns = columns;
    }
}

/* Cells [begin, end) of the grids of all items. */
static void multiply_cells(void *closure, i64 begin, i64 end)
{
    const product_call *call = closure;
    char *own = lg_private_scratch(call->own_bytes);
    i64 tile = call->with->tile_columns, tiles = (call->columns + tile - 1) / tile;
    for (i64 cell = begin; cell < end; cell++) {
        i64 column = cell % call->grid_columns, row = cell / call->grid_columns % call->grid_rows;
        part part = {
            .item = cell / call->grid_columns / call->grid_rows,
            .first_row = call->rows * row / call->grid_rows,
            .last_row = call->rows * (row + 1) / call->grid_rows,
            .first_column = tiles * column / call->grid_columns * tile,
            .last_column = least(tiles * (column + 1) / call->grid_columns * tile, call->columns),
        };
        multiply_part(call, &part, own, call->grid_columns == 1);
    }
}

static void finish_part(void *closure, i64 begin, i64 end)
{
    finish(closure, begin, end);
}

static void multiply_by_grid(product_call *call, const team *team)
{
    choose_grid(call, team);
    lg_share(team, call->items * call->grid_rows * call->grid_columns, 1, multiply_cells, call);
    if (call->grid_columns > 1 && (call->epilogue || is_converted(call)))
        lg_share(team, call->items * call->rows, 1, finish_part, call);
}

/* Rows [row, row + count) of one item between two columns: as many vectors times right, transposed. */
static void multiply_rows(const product_call *call, i64 row, i64 count, i64 begin, i64 end, char *own)
{
    const arithmetic *with = call->with;
    matrix left = item_matrix(call, &call->left, row / call->rows);
    matrix right = item_matrix(call, &call->right, row / call->rows);
    stored source = {(char *)left.data + row % call->rows * left.row_stride * with->itemsize, with->dtype,
                     left.row_stride, left.column_stride};
    with->load((elements){own, call->depth}, source, count, call->depth);
    const char *data = (const char *)right.data + begin * right.column_stride * with->itemsize;
    matrix transposed = {data, right.column_stride, right.row_stride};
    char *out = call->out_elements + (row * call->columns + begin) * with->itemsize;
    with->multiply_vectors(out, call->columns, transposed, end - begin, call->depth, own, count);
}

static void multiply_row_items(void *closure, i64 begin, i64 end)
{
    const product_call *call = closure;
    char *own = lg_private_scratch(call->own_bytes);
    for (i64 item = begin; item < end; item++)
        multiply_rows(call, item * call->rows, call->rows, 0, call->columns, own);
    finish(call, begin * call->rows, end * call->rows);
}

static void multiply_row_columns(void *closure, i64 begin, i64 end)
{
    const product_call *call = closure;
    char *own = lg_private_scratch(call->own_bytes);
    for (i64 item = 0; item < call->items; item++)
        multiply_rows(call, item * call->rows, call->rows, begin, end, own);
}

/* Few rows per item. */
static void multiply_row_vectors(product_call *call, const team *team)
{
    if (call->items >= 4 * team->threads || team->threads == 1) {
        lg_share(team, call->items, 1, multiply_row_items, call);
        return;
    }
    lg_share(team, call->columns, call->with->tile_columns, multiply_row_columns, call);
    if (call->epilogue || is_converted(call))
        lg_share(team, call->items * call->rows, 1, finish_part, call);
}

static void multiply_columns(void *closure, i64 begin, i64 end)
{
    const product_call *call = closure;
    const arithmetic *with = call->with;
    char *own = lg_private_scratch(call->own_bytes);
    for (i64 row = begin; row < end;) {
        i64 item = row / call->rows, last = least(end, (item + 1) * call->rows);
        matrix left = item_matrix(call, &call->left, item), right = item_matrix(call, &call->right, item);
        stored column = {(void *)right.data, with->dtype, 0, right.row_stride};
        with->load((elements){own, 0}, column, 1, call->depth);
        left.data = (const char *)left.data + row % call->rows * left.row_stride * with->itemsize;
        char *out = call->out_elements + row * with->itemsize;
        with->multiply_vectors(out, 0, left, last - row, call->depth, own, 1);
        row = last;
    }
    finish(call, begin, end);
}

/* One column per item. */
static void multiply_column_vectors(product_call *call, const team *team)
{
    lg_share(team, call->items * call->rows, 1, multiply_columns, call);
}

static void clear_rows(void *closure, i64 begin, i64 end)
{
    const product_call *call = closure;
    i64 row_bytes = call->columns * call->with->itemsize;
    memset(call->out_elements + begin * row_bytes, 0, (end - begin) * row_bytes);
    finish(call, begin, end);
}

static void multiply_nothing(product_call *call, const team *team)
{
    lg_share(team, call->items * call->rows, 1, clear_rows, call);
}

typedef void (*route)(product_call *call, const team *team);

static i32 is_transposed(const array *right)
{
    return right->strides[right->rank - 2] == 1 && right->strides[right->rank - 1] != 1;
}

static route choose_route(const product_call *call, const team *team)
{
    if (call->columns == 0 || call->depth == 0)
        return multiply_nothing;
    if (call->columns == 1)
        return multiply_column_vectors;
    if (call->rows <= (is_transposed(&call->right) ? FEW_ROWS_TRANSPOSED : FEW_ROWS))
        return multiply_row_vectors;
    if (team->threads == 1 || call->items >= 2 * team->threads)
        return multiply_by_items;
    return multiply_by_grid;
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

/* Memory for packing, and for whatever has to be converted. */
static void prepare_memory(product_call *call, const team *team)
{
    const arithmetic *with = call->with;
    array left = call->left, right = call->right;
    i64 left_bytes = lg_converted_bytes(with, &left), right_bytes = lg_converted_bytes(with, &right);
    i64 out_bytes = is_converted(call) ? element_count(call->out) * with->itemsize : 0;
    call->own_bytes = most(lg_packing_bytes(with, call->rows * call->items, call->columns, call->depth),
                           FEW_ROWS_TRANSPOSED * call->depth * with->itemsize);
    call->out_elements = call->out->data;
    if (left_bytes + right_bytes + out_bytes == 0)
        return;
    char *memory = lg_shared_scratch(left_bytes + right_bytes + aligned_bytes(out_bytes));
    call->left = lg_convert(team, with, &left, take(&memory, left_bytes));
    call->right = lg_convert(team, with, &right, take(&memory, right_bytes));
    call->out_elements = memory;
}

/* out = left · right, both of out's dtype: f16 and bf16 are multiplied and summed in f32, integers wrap around, bool is
   refused. No attributes. The epilogue's units are the rows of out, counted through all its leading axes. */
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
    if (lg_is_serial_product(call.rows, call.columns, call.depth, call.items))
        workers.threads = 1;
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
