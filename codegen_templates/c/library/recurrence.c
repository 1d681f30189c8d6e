/* Recurrent layers, forward and back. */
#include "recurrence.h"

#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "matmul.h"

/* Sequences of a part: their gates stay in a second-level cache. Up to FEW of them meet the weight where it lies. */
enum { LEAST_ROWS = 4, MOST_ROWS = 32, FEW = 3 };

typedef struct {
    const arithmetic *with;
    const cell_rows *rows;
    i32 cell, is_reversed;
    array inputs, hidden, weight, memory, bias, lengths;  /* the last three of rank 0 where there is none */
    array cotangent, memory_cotangent, result, out;
    i64 steps, batch, size, gates;
    i64 blocks, own_bytes;
    matrix right;  /* what a state, or the gradient of a product, is multiplied with */
    i64 depth, columns;
    char *packed;  /* right in tiles, or NULL */
} layer;

static i64 itemsize(const layer *a)
{
    return a->with->itemsize;
}

static i64 pitch(const layer *a, i64 columns)
{
    return aligned_to(columns, a->with->tile_columns);
}

static const char *element(const layer *a, const array *x, i64 step, i64 row)
{
    i64 offset = x->rank == 3 ? step * x->strides[0] + row * x->strides[1] : row * x->strides[0];
    return (const char *)x->data + offset * itemsize(a);
}

/* `count` elements of a row from column `first` on, side by side: where they lie, or copied into memory. */
static const void *row_of(const layer *a, const array *x, i64 step, i64 row, i64 first, i64 count, char *memory)
{
    i64 stride = x->strides[x->rank - 1];
    const char *data = element(a, x, step, row) + first * stride * itemsize(a);
    if (stride == 1 || count == 1)
        return data;
    a->with->load((elements){memory, count}, (stored){(void *)data, a->with->dtype, 0, stride}, 1, count);
    return memory;
}

static layer layer_of(const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    i32 cell = (i32)attributes[0], has_more = cell == LSTM || cell == GRU;
    layer a = {
        .with = lg_arithmetic_of(out->dtype),
        .rows = out->dtype == F64 ? &lg_cell_rows_f64 : &lg_cell_rows_f32,
        .cell = cell,
        .is_reversed = (i32)attributes[1],
        .inputs = inputs[0],
        .hidden = inputs[1],
        .weight = inputs[2],
        .out = *out,
        .steps = inputs[0].sizes[0],
        .batch = inputs[0].sizes[1],
        .size = inputs[1].sizes[1],
        .gates = inputs[0].sizes[2],
    };
    if (cell == LSTM)
        a.memory = inputs[3];
    if (cell == GRU)
        a.bias = inputs[3];
    if (count > 3 + has_more)
        a.lengths = inputs[3 + has_more];
    return a;
}

/* Whether a sequence is longer than `step`. */
static i32 is_alive(const layer *a, i64 step, i64 row)
{
    return !a->lengths.rank || step < ((const i64 *)a->lengths.data)[row * a->lengths.strides[0]];
}

/* The sequences [begin, result) hold all of [begin, end) that are longer than `step`. */
static i64 alive_end(const layer *a, i64 step, i64 begin, i64 end)
{
    while (end > begin && !is_alive(a, step, end - 1))
        end--;
    return end;
}

/* The step that comes as number `position`. */
static i64 step_at(const layer *a, i64 position)
{
    return a->is_reversed ? a->steps - 1 - position : position;
}

/* Products. */

static i64 packed_bytes(const layer *a)
{
    return aligned_bytes((a->depth * pitch(a, a->columns) + PACKING_SLACK) * itemsize(a));
}

/* Tiles [begin, end) of right, counted through all blocks of its depth. */
static void pack_tiles(void *closure, i64 begin, i64 end)
{
    const layer *a = closure;
    i64 tile = a->with->tile_columns, tiles = pitch(a, a->columns) / tile;
    for (i64 unit = begin; unit < end; unit++) {
        i64 first = unit / tiles * BLOCK_DEPTH, column = unit % tiles * tile, depth = least(BLOCK_DEPTH, a->depth - first);
        matrix part = a->right;
        part.data = (const char *)part.data + (first * part.row_stride + column * part.column_stride) * itemsize(a);
        char *to = a->packed + (first * pitch(a, a->columns) + column * depth) * itemsize(a);
        a->with->pack_right(to, part, depth, least(a->columns - column, tile));
    }
}

/* out (+)= left · right for some sequences; `memory` holds those of left side by side. */
static void multiply(const layer *a, matrix left, i64 rows, void *out, i64 out_stride, i32 accumulate, char *memory)
{
    const arithmetic *with = a->with;
    if (!a->packed) {
        char *sums = memory + aligned_bytes(FEW * a->depth * itemsize(a));
        with->load((elements){memory, a->depth}, (stored){(void *)left.data, with->dtype, left.row_stride, left.column_stride},
                   rows, a->depth);
        with->multiply_vectors(sums, a->columns, (matrix){a->right.data, a->right.column_stride, a->right.row_stride},
                               a->columns, a->depth, memory, rows);
        for (i64 row = 0; row < rows; row++) {
            char *to = (char *)out + row * out_stride * itemsize(a), *from = sums + row * a->columns * itemsize(a);
            if (accumulate)
                a->rows->add(to, from, a->columns);
            else
                memcpy(to, from, a->columns * itemsize(a));
        }
        return;
    }
    i64 tile = with->tile_columns, offsets[BLOCK_DEPTH];
    for (i64 k = 0; k < BLOCK_DEPTH; k++)
        offsets[k] = k * tile;
    for (i64 first = 0; first < a->depth; first += BLOCK_DEPTH) {
        i64 depth = least(BLOCK_DEPTH, a->depth - first);
        block_product p = {
            .rows = rows,
            .columns = aligned_to(a->columns, with->lanes),
            .depth = depth,
            .left = (const char *)left.data + first * left.column_stride * itemsize(a),
            .right = a->packed + first * pitch(a, a->columns) * itemsize(a),
            .offsets = offsets,
            .tile_stride = tile * depth,
            .out = out,
            .out_stride = out_stride,
            .accumulate = accumulate || first > 0,
        };
        with->multiply_unpacked(&p, left.row_stride, left.column_stride);
    }
}

static i64 block_begin(const layer *a, i64 block)
{
    return a->batch * block / a->blocks;
}

static i64 most_block_rows(const layer *a)
{
    return (a->batch + a->blocks - 1) / a->blocks;
}

static i64 vectors_bytes(const layer *a)
{
    return a->packed ? 0 : aligned_bytes(FEW * a->depth * itemsize(a)) + aligned_bytes(FEW * a->columns * itemsize(a));
}

/* Cuts the batch, packs right, and has the team do all blocks. */
static void run(layer *a, const team *all, i64 own_columns, i64 extra_columns, part_function part)
{
    team workers = *all;
    if (lg_is_serial_product(a->batch, a->columns, a->depth, a->steps))
        workers.threads = 1;
    i64 rows = least(most((a->batch + workers.threads - 1) / workers.threads, LEAST_ROWS), MOST_ROWS);
    a->blocks = (a->batch + rows - 1) / rows;
    if (a->batch > FEW) {
        a->packed = lg_shared_scratch(packed_bytes(a));
        i64 tiles = pitch(a, a->columns) / a->with->tile_columns;
        lg_share(&workers, (a->depth + BLOCK_DEPTH - 1) / BLOCK_DEPTH * tiles, 1, pack_tiles, a);
    }
    a->own_bytes = aligned_bytes(most_block_rows(a) * own_columns * itemsize(a)) +
                   aligned_bytes(extra_columns * itemsize(a)) + vectors_bytes(a);
    lg_share(&workers, a->blocks, 1, part, a);
}

/* Forward. */

static i64 state_columns(const layer *a)
{
    return a->cell == LSTM ? 2 * a->size : a->size;
}

static void copy_states(const layer *a, char *to, const char *hidden, const char *memory)
{
    i64 bytes = a->size * itemsize(a);
    memcpy(to, hidden, bytes);
    if (a->cell == LSTM)
        memcpy(to + bytes, memory, bytes);
}

/* What the gradients need of a step at which nothing happens. */
static void clear_kept(const layer *a, char *to)
{
    i64 columns = a->out.sizes[2] - state_columns(a);
    memset(to + state_columns(a) * itemsize(a), 0, columns * itemsize(a));
}

static void forward_block(const layer *a, i64 begin, i64 end)
{
    i64 bytes = itemsize(a), row_bytes = a->out.sizes[2] * bytes, product_pitch = pitch(a, a->gates);
    char *memory = lg_private_scratch(a->own_bytes);
    char *products = take(&memory, most_block_rows(a) * product_pitch * bytes);
    char *copies = take(&memory, (2 * a->gates + 2 * a->size) * bytes);
    for (i64 position = 0; position < a->steps; position++) {
        i64 step = step_at(a, position), alive = alive_end(a, step, begin, end);
        char *rows = (char *)a->out.data + step * a->batch * row_bytes;
        const char *before = rows + (a->is_reversed ? 1 : -1) * a->batch * row_bytes;
        matrix left = {element(a, &a->hidden, 0, begin), a->hidden.strides[0], a->hidden.strides[1]};
        if (position)
            left = (matrix){before + begin * row_bytes, a->out.sizes[2], 1};
        if (alive > begin)
            multiply(a, left, alive - begin, products, product_pitch, 0, memory);
        for (i64 row = begin; row < end; row++) {
            char *to = rows + row * row_bytes, *own = copies;
            const char *hidden, *cell = 0;
            if (position) {
                hidden = before + row * row_bytes, cell = hidden + a->size * bytes;
            } else {
                hidden = row_of(a, &a->hidden, 0, row, 0, a->size, own);
                if (a->cell == LSTM)
                    cell = row_of(a, &a->memory, 0, row, 0, a->size, own + a->size * bytes);
            }
            own += 2 * a->size * bytes;
            if (row >= alive || !is_alive(a, step, row)) {
                copy_states(a, to, hidden, cell);
                clear_kept(a, to);
                continue;
            }
            cell_step s = {
                .size = a->size,
                .inputs = row_of(a, &a->inputs, step, row, 0, a->gates, own),
                .product = products + (row - begin) * product_pitch * bytes,
                .bias = a->cell == GRU ? row_of(a, &a->bias, 0, 0, 0, a->gates, own + a->gates * bytes) : 0,
                .hidden = hidden,
                .memory = cell,
                .new_hidden = to,
                .new_memory = to + a->size * bytes,
                .kept = to + state_columns(a) * bytes,
            };
            a->rows->forward[a->cell](&s);
        }
    }
}

static void forward_blocks(void *closure, i64 begin, i64 end)
{
    const layer *a = closure;
    for (i64 block = begin; block < end; block++)
        forward_block(a, block_begin(a, block), block_begin(a, block + 1));
}

/* Inputs: what the layer's inputs contribute to its gates (T, B, gates), the first hidden states, the recurrent weight; the
   first cell states of an LSTM, the recurrent bias of a GRU; and the lengths of the sequences, if they are not all T.
   Attributes: [the kind of cell, whether the last step comes first]. In out lie the hidden states (T, B, size); beside them
   the cell states and what the gradients need: an LSTM's gates, or those of a GRU and its own part of the new value. */
i32 lg_recur(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    if (element_count(out) == 0)
        return OK;
    layer a = layer_of(out, inputs, count, attributes);
    a.right = (matrix){a.weight.data, a.weight.strides[1], a.weight.strides[0]};
    a.depth = a.size, a.columns = a.gates;
    run(&a, all, pitch(&a, a.gates), 2 * (a.gates + a.size), forward_blocks);
    return OK;
}

/* Back. */

/* Where the gradients that a block passes from step to step lie. */
typedef struct {
    char *into_hidden, *into_memory, *into_product, *copies;
    i64 hidden_pitch;
} passed;

static void backward_row(const layer *a, const passed *p, i64 position, i64 row, i64 place)
{
    i64 bytes = itemsize(a), n = a->size, step = step_at(a, position);
    char *into_gates = (char *)a->out.data + (step * a->batch + row) * a->gates * bytes, *own = p->copies;
    char *into_hidden = p->into_hidden + place * p->hidden_pitch * bytes;
    const void *cotangent = row_of(a, &a->cotangent, step, row, 0, n, own);
    if (!is_alive(a, step, row)) {
        a->rows->add(into_hidden, cotangent, n);
        memset(into_gates, 0, a->gates * bytes);
        if (p->into_product)
            memset(p->into_product + place * a->gates * bytes, 0, a->gates * bytes);
        return;
    }
    i64 states = state_columns(a), kept = a->result.sizes[2] - states, before = position ? step_at(a, position - 1) : 0;
    const array *hidden_before = position ? &a->result : &a->hidden, *memory_before = position ? &a->result : &a->memory;
    cell_gradients s = {
        .size = n,
        .cotangent = cotangent,
        .kept = kept ? row_of(a, &a->result, step, row, states, kept, own + n * bytes) : 0,
        .hidden = row_of(a, &a->result, step, row, 0, n, own + 5 * n * bytes),
        .memory = a->cell == LSTM ? row_of(a, &a->result, step, row, n, n, own + 6 * n * bytes) : 0,
        .hidden_before = row_of(a, hidden_before, before, row, 0, n, own + 7 * n * bytes),
        .memory_before =
            a->cell == LSTM ? row_of(a, memory_before, before, row, position ? n : 0, n, own + 8 * n * bytes) : 0,
        .into_hidden = into_hidden,
        .into_memory = p->into_memory + place * n * bytes,
        .into_gates = into_gates,
        .into_product = p->into_product ? p->into_product + place * a->gates * bytes : into_gates,
    };
    a->rows->backward[a->cell](&s);
}

static void backward_block(const layer *a, i64 begin, i64 end)
{
    i64 bytes = itemsize(a), n = a->size, most_rows = most_block_rows(a);
    char *memory = lg_private_scratch(a->own_bytes);
    passed p = {.hidden_pitch = pitch(a, n)};
    p.into_hidden = take(&memory, most_rows * p.hidden_pitch * bytes);
    p.into_memory = take(&memory, most_rows * n * bytes);
    p.into_product = take(&memory, a->cell == GRU ? most_rows * a->gates * bytes : 0);
    p.copies = take(&memory, 9 * n * bytes);
    if (a->cell != GRU)
        p.into_product = 0;
    memset(p.into_hidden, 0, (end - begin) * p.hidden_pitch * bytes);
    for (i64 row = begin; a->cell == LSTM && row < end; row++)
        memcpy(p.into_memory + (row - begin) * n * bytes, row_of(a, &a->memory_cotangent, 0, row, 0, n, p.copies), n * bytes);
    for (i64 position = a->steps - 1; position >= 0; position--) {
        i64 step = step_at(a, position), alive = alive_end(a, step, begin, end);
        for (i64 row = begin; row < end; row++)
            backward_row(a, &p, position, row, row - begin);
        matrix left = {(char *)a->out.data + (step * a->batch + begin) * a->gates * bytes, a->gates, 1};
        if (p.into_product)
            left.data = p.into_product;
        if (alive > begin)
            multiply(a, left, alive - begin, p.into_hidden, p.hidden_pitch, 1, memory);
    }
    for (i64 row = begin; row < end; row++) {
        char *last = (char *)a->out.data + (a->steps * a->batch + row) * a->gates * bytes;
        memset(last, 0, a->gates * bytes);
        copy_states(a, last, p.into_hidden + (row - begin) * p.hidden_pitch * bytes, p.into_memory + (row - begin) * n * bytes);
    }
}

static void backward_blocks(void *closure, i64 begin, i64 end)
{
    const layer *a = closure;
    for (i64 block = begin; block < end; block++)
        backward_block(a, block_begin(a, block), block_begin(a, block + 1));
}

/* The gradients of lg_recur: in what inputs contribute, and behind the last step those in the first hidden and cell states.
   Inputs: the cotangents of all hidden states and, of an LSTM, of the cell states after the last step; the result of lg_recur
   and its inputs. The attributes are the same. */
i32 lg_recur_gradients(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    if (element_count(out) == 0)
        return OK;
    i32 known = attributes[0] == LSTM ? 3 : 2;
    layer a = layer_of(out, inputs + known, count - known, attributes);
    a.cotangent = inputs[0], a.result = inputs[known - 1];
    if (a.cell == LSTM)
        a.memory_cotangent = inputs[1];
    a.right = (matrix){a.weight.data, a.weight.strides[0], a.weight.strides[1]};
    a.depth = a.gates, a.columns = a.size;
    i64 own = pitch(&a, a.size) + a.size + (a.cell == GRU ? a.gates : 0);
    run(&a, all, own + 3 * 64 / itemsize(&a), 9 * a.size, backward_blocks);
    return OK;
}
