/* Matrix products over the last two axes; leading axes broadcast.

   Threads share the items of a batch, or lie over the rows and columns of one product as a grid. */
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
    char *own;           /* a thread's, for packing */
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

static void multiply_part(const product_call *call, const part *part, i32 finishes)
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
    epilogue finished = {finish_rows, &closure};
    lg_multiply(&p, call->own, finishes ? &finished : 0);
}

/* Each thread takes a range of the rows of all items; some of these may begin or end inside it. */
static void multiply_by_items(const product_call *call, const team *team)
{
    i64 begin, end, grain = call->items % team->threads && call->items < 8 * team->threads ? 1 : call->rows;
    team_share(team, call->items * call->rows, grain, &begin, &end);
    for (i64 row = begin; row < end;) {
        i64 item = row / call->rows, base = item * call->rows, last = least(end, base + call->rows);
        part part = {item, row - base, last - base, 0, call->columns};
        multiply_part(call, &part, 1);
        row = last;
    }
}

/* Threads along the rows, in a grid of them over out. Each packs the rows and the columns of its own part: as few of
   both together as possible. */
static i32 grid_rows(const product_call *call, i32 threads)
{
    i32 best = 1;
    for (i32 count = 2; count <= threads; count++)
        if (threads % count == 0 && call->rows / count + call->columns * count / threads <
                                        call->rows / best + call->columns * best / threads)
            best = count;
    return best;
}

static void multiply_by_grid(const product_call *call, const team *all)
{
    i32 rows = grid_rows(call, all->threads), columns = all->threads / rows;
    team along_rows = {all->thread / columns, rows}, along_columns = {all->thread % columns, columns};
    i32 finishes = columns == 1;
    for (i64 item = 0; item < call->items; item++) {
        part part = {.item = item};
        team_share(&along_rows, call->rows, 1, &part.first_row, &part.last_row);
        team_share(&along_columns, call->columns, call->with->tile_columns, &part.first_column, &part.last_column);
        multiply_part(call, &part, finishes);
    }
    if (finishes || (!call->epilogue && !is_converted(call)))
        return;
    i64 begin, end;
    team_barrier(all);
    team_share(all, call->items * call->rows, 1, &begin, &end);
    finish(call, begin, end);
}

/* Rows [row, row + count) of one item between two columns: as many vectors times right, transposed. */
static void multiply_rows(const product_call *call, i64 row, i64 count, i64 begin, i64 end)
{
    const arithmetic *with = call->with;
    matrix left = item_matrix(call, &call->left, row / call->rows);
    matrix right = item_matrix(call, &call->right, row / call->rows);
    stored source = {(char *)left.data + row % call->rows * left.row_stride * with->itemsize, with->dtype,
                     left.row_stride, left.column_stride};
    with->load((elements){call->own, call->depth}, source, count, call->depth);
    const char *data = (const char *)right.data + begin * right.column_stride * with->itemsize;
    matrix transposed = {data, right.column_stride, right.row_stride};
    char *out = call->out_elements + (row * call->columns + begin) * with->itemsize;
    with->multiply_vectors(out, call->columns, transposed, end - begin, call->depth, call->own, count);
}

/* Few rows per item. */
static void multiply_row_vectors(const product_call *call, const team *team)
{
    i64 begin, end;
    if (call->items >= 4 * team->threads || team->threads == 1) {
        team_share(team, call->items, 1, &begin, &end);
        for (i64 item = begin; item < end; item++)
            multiply_rows(call, item * call->rows, call->rows, 0, call->columns);
    } else {
        team_share(team, call->columns, call->with->tile_columns, &begin, &end);
        for (i64 item = 0; item < call->items; item++)
            multiply_rows(call, item * call->rows, call->rows, begin, end);
        team_barrier(team);
        team_share(team, call->items, 1, &begin, &end);
    }
    finish(call, begin * call->rows, end * call->rows);
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
        stored column = {(void *)right.data, with->dtype, 0, right.row_stride};
        with->load((elements){call->own, 0}, column, 1, call->depth);
        left.data = (const char *)left.data + row % call->rows * left.row_stride * with->itemsize;
        char *out = call->out_elements + row * with->itemsize;
        with->multiply_vectors(out, 0, left, last - row, call->depth, call->own, 1);
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
    i64 own = most(lg_packing_bytes(with, call->rows * call->items, call->columns, call->depth),
                   FEW_ROWS_TRANSPOSED * call->depth * with->itemsize);
    i64 left_bytes = lg_converted_bytes(with, &left), right_bytes = lg_converted_bytes(with, &right);
    i64 out_bytes = is_converted(call) ? element_count(call->out) * with->itemsize : 0;
    i64 shared = left_bytes + right_bytes + aligned_bytes(out_bytes);
    call->own = lg_private_scratch(aligned_bytes(own) + (team->threads > 1 ? 0 : shared));
    call->out_elements = call->out->data;
    if (!shared)
        return;
    char *memory = team->threads > 1 ? lg_shared_scratch(team, shared) : call->own + aligned_bytes(own);
    call->left = lg_convert(team, with, &left, take(&memory, left_bytes));
    call->right = lg_convert(team, with, &right, take(&memory, right_bytes));
    call->out_elements = memory;
    team_barrier(team);
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
