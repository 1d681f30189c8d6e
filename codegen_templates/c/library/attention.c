/* What attention and its gradients share, and the forward pass. */
#include "attention.h"

#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "matmul.h"

enum {
    FEW_QUERIES = 4,          /* up to here, keys and values are read in place, as by products with vectors */
    STRIP_BYTES = 1 << 17,    /* a quarter of a second-level cache, or half of a smaller one */
    LEAST_ROWS = 12,
    MOST_ROWS = 96,
};

static f64 number_of(const array *x)
{
    return x->dtype == F32 ? *(const f32 *)x->data : *(const f64 *)x->data;
}

attention lg_attention_of(const array *out, i32 lead_rank, const array *inputs, i32 count, const i64 *attributes)
{
    const array *query = &inputs[0], *key = &inputs[1], *value = &inputs[2];
    attention a = {
        .with = lg_arithmetic_of(query->dtype),
        .rows = query->dtype == F64 ? &lg_attention_rows_f64 : &lg_attention_rows_f32,
        .query = *query,
        .key = *key,
        .value = *value,
        .lead_rank = lead_rank,
        .items = product(out->sizes, lead_rank),
        .queries = query->sizes[query->rank - 2],
        .keys = key->sizes[key->rank - 2],
        .width = query->sizes[query->rank - 1],
        .value_width = value->sizes[value->rank - 1],
        .scale = number_of(&inputs[3]),
        .is_causal = (i32)attributes[0],
        .masking = count > 4 ? (i32)attributes[1] : NOT_MASKED,
        .nothing_is_zero = (i32)attributes[2],
    };
    memcpy(a.lead, out->sizes, lead_rank * sizeof(i64));
    if (count > 4)
        a.mask = inputs[4];
    if (count > 5)
        a.fill = number_of(&inputs[5]);
    i64 row_bytes = most(a.keys, 1) * a.with->itemsize;
    i64 rows = most(least(STRIP_BYTES / row_bytes, MOST_ROWS), LEAST_ROWS);
    a.blocks = (a.queries + rows - 1) / rows;
    a.block_rows = a.blocks ? (a.queries + a.blocks - 1) / a.blocks : 0;
    a.pitch = padded(&a, a.keys) + a.with->tile_columns;  /* rows a page apart would share a place in the cache */
    return a;
}

matrix lg_attention_matrix(const attention *a, const array *x, i64 item)
{
    i64 offset = 0;
    for (i32 axis = a->lead_rank - 1; axis >= 0; axis--) {
        i32 own = axis - (a->lead_rank + 2 - x->rank);
        if (own >= 0 && x->sizes[own] != 1)
            offset += item % a->lead[axis] * x->strides[own];
        item /= a->lead[axis];
    }
    i32 row = x->rank - 2, column = x->rank - 1;
    const char *data = (const char *)x->data + offset * itemsize_of(x->dtype);
    return (matrix){data, x->sizes[row] == 1 ? 0 : x->strides[row], x->sizes[column] == 1 ? 0 : x->strides[column]};
}

/* Packed operands. */

i64 lg_packed_bytes(const attention *a, i64 depth, i64 columns)
{
    return aligned_bytes((depth * padded(a, columns) + PACKING_SLACK) * a->with->itemsize);
}

packed_operand lg_packed(const attention *a, matrix right, i64 depth, i64 columns, char *memory)
{
    const arithmetic *with = a->with;
    i64 tile = with->tile_columns;
    char *to = memory;
    for (i64 first = 0; first < depth; first += BLOCK_DEPTH) {
        i64 together = least(BLOCK_DEPTH, depth - first);
        for (i64 column = 0; column < columns; column += tile, to += together * tile * with->itemsize) {
            matrix part = rows_from(a, right, first);
            part.data = (const char *)part.data + column * right.column_stride * with->itemsize;
            with->pack_right(to, part, together, least(columns - column, tile));
        }
    }
    return (packed_operand){memory, depth, columns};
}

/* out (+)= the rows [first, first + depth) of right, after left's columns from `first` on. */
static block_product product_of_block(const attention *a, i64 rows, const packed_operand *right, i64 first, i64 depth,
                                      i64 columns, void *out, i64 out_stride, i64 *offsets)
{
    i64 tile = a->with->tile_columns;
    for (i64 k = 0; k < depth; k++)
        offsets[k] = k * tile;
    return (block_product){
        .rows = rows,
        .columns = aligned_to(columns, a->with->lanes),
        .depth = depth,
        .right = right->data + first * padded(a, right->columns) * a->with->itemsize,
        .offsets = offsets,
        .tile_stride = tile * least(BLOCK_DEPTH, right->depth - first),
        .out = out,
        .out_stride = out_stride,
    };
}

void lg_multiply_packed(const attention *a, matrix left, i64 rows, const packed_operand *right, i64 depth, void *out,
                        i64 out_stride, i32 accumulate)
{
    i64 offsets[BLOCK_DEPTH];
    for (i64 first = 0; first < depth; first += BLOCK_DEPTH) {
        i64 together = least(BLOCK_DEPTH, depth - first);
        block_product p = product_of_block(a, rows, right, first, together, right->columns, out, out_stride, offsets);
        p.left = (const char *)left.data + first * left.column_stride * a->with->itemsize;
        p.accumulate = accumulate || first > 0;
        a->with->multiply_unpacked(&p, left.row_stride, left.column_stride);
    }
}

i64 lg_strip_bytes(const attention *a)
{
    return aligned_bytes(a->block_rows * a->pitch * a->with->itemsize);
}

i64 lg_strip_packing_bytes(const attention *a)
{
    return aligned_bytes((a->block_rows * most(a->width, a->value_width) + PACKING_SLACK) * a->with->itemsize);
}

void lg_fill_strip(const attention *a, matrix left, i64 rows, const packed_operand *right, i64 columns, f64 factor,
                   char *memory, char *strip)
{
    i64 offsets[BLOCK_DEPTH], depth = right->depth;
    if (depth == 0)
        memset(strip, 0, rows * a->pitch * a->with->itemsize);
    for (i64 first = 0; first < depth; first += BLOCK_DEPTH) {
        i64 together = least(BLOCK_DEPTH, depth - first);
        matrix part = left;
        part.data = (const char *)left.data + first * left.column_stride * a->with->itemsize;
        a->with->pack_left(memory, part, rows, together);
        if (factor != 1)
            a->rows->scale(memory, memory, factor, rows * together);
        block_product p = product_of_block(a, rows, right, first, together, columns, strip, a->pitch, offsets);
        p.left = memory;
        p.accumulate = first > 0;
        a->with->multiply(&p);
    }
}

/* Rows of a strip. */

row_mask lg_row_mask(const attention *a, i64 item, i64 query)
{
    if (a->masking == NOT_MASKED)
        return (row_mask){0};
    matrix mask = lg_attention_matrix(a, &a->mask, item);
    const char *data = (const char *)mask.data + query * mask.row_stride * itemsize_of(a->mask.dtype);
    return (row_mask){data, a->mask.dtype, a->masking, mask.column_stride, a->fill};
}

void lg_exponentials(const attention *a, i64 item, i64 begin, i64 end, i64 columns, char *strip, f64 *factors)
{
    i64 itemsize = a->with->itemsize;
    for (i64 query = begin; query < end; query++) {
        char *row = strip + (query - begin) * a->pitch * itemsize;
        i64 visible = visible_keys(a, query + 1);
        row_mask mask = lg_row_mask(a, item, query);
        if (mask.masking != NOT_MASKED)
            a->rows->mask(row, &mask, visible);
        i64 whole = whole_vectors(a, visible);
        factors[query - begin] = a->rows->exponentiate(row, visible, whole, a->nothing_is_zero);
        if (whole < columns)
            memset(row + whole * itemsize, 0, (columns - whole) * itemsize);
    }
}

/* Forward. */

typedef struct {
    const attention *attention;
    const array *out;
    i64 own_bytes;
} attend_call;

/* What a part keeps in its own memory. */
typedef struct {
    char *keys, *values, *left, *strip, *sums;
    f64 *factors;
} workspace;

static i64 sums_stride(const attention *a)
{
    return padded(a, a->value_width);
}

static workspace take_workspace(const attend_call *call)
{
    const attention *a = call->attention;
    char *memory = lg_private_scratch(call->own_bytes);
    i64 itemsize = a->with->itemsize;
    return (workspace){
        .keys = take(&memory, lg_packed_bytes(a, a->width, a->keys)),
        .values = take(&memory, lg_packed_bytes(a, a->keys, a->value_width)),
        .left = take(&memory, lg_strip_packing_bytes(a)),
        .strip = take(&memory, lg_strip_bytes(a)),
        .sums = take(&memory, a->block_rows * sums_stride(a) * itemsize),
        .factors = take(&memory, a->block_rows * sizeof(f64)),
    };
}

static i64 workspace_bytes(const attention *a)
{
    return lg_packed_bytes(a, a->width, a->keys) + lg_packed_bytes(a, a->keys, a->value_width) +
           lg_strip_packing_bytes(a) + lg_strip_bytes(a) +
           aligned_bytes(a->block_rows * sums_stride(a) * a->with->itemsize) + aligned_bytes(a->block_rows * sizeof(f64));
}

/* Sums of values become rows of out. */
static void store_rows(const attend_call *call, i64 item, i64 begin, i64 end, const workspace *w)
{
    const attention *a = call->attention;
    i64 itemsize = a->with->itemsize, width = a->value_width;
    char *out = (char *)call->out->data + (item * a->queries + begin) * width * itemsize;
    for (i64 row = 0; row < end - begin; row++)
        a->rows->scale(out + row * width * itemsize, w->sums + row * sums_stride(a) * itemsize, w->factors[row], width);
}

/* Blocks [begin, end) of queries, counted through all items. */
static void attend_blocks(void *closure, i64 begin, i64 end)
{
    const attend_call *call = closure;
    const attention *a = call->attention;
    workspace w = take_workspace(call);
    packed_operand keys = {0}, values = {0};
    i64 packed_item = -1;
    for (i64 unit = begin; unit < end; unit++) {
        i64 item = unit / a->blocks, first = block_begin(a, unit % a->blocks), last = block_begin(a, unit % a->blocks + 1);
        if (item != packed_item) {
            keys = lg_packed(a, turned(lg_attention_matrix(a, &a->key, item)), a->width, a->keys, w.keys);
            values = lg_packed(a, lg_attention_matrix(a, &a->value, item), a->keys, a->value_width, w.values);
            packed_item = item;
        }
        i64 columns = visible_keys(a, last);
        matrix query = rows_from(a, lg_attention_matrix(a, &a->query, item), first);
        matrix strip = {w.strip, a->pitch, 1};
        lg_fill_strip(a, query, last - first, &keys, columns, a->scale, w.left, w.strip);
        lg_exponentials(a, item, first, last, columns, w.strip, w.factors);
        lg_multiply_packed(a, strip, last - first, &values, columns, w.sums, sums_stride(a), 0);
        store_rows(call, item, first, last, &w);
    }
}

/* Few queries: keys and values are read once, where they lie. */
static void attend_items(void *closure, i64 begin, i64 end)
{
    const attend_call *call = closure;
    const attention *a = call->attention;
    const arithmetic *with = a->with;
    workspace w = take_workspace(call);
    for (i64 item = begin; item < end; item++) {
        matrix query = lg_attention_matrix(a, &a->query, item);
        stored source = {(void *)query.data, with->dtype, query.row_stride, query.column_stride};
        with->load((elements){w.left, a->width}, source, a->queries, a->width);
        a->rows->scale(w.left, w.left, a->scale, a->queries * a->width);
        with->multiply_vectors(w.strip, a->pitch, lg_attention_matrix(a, &a->key, item), a->keys, a->width, w.left, a->queries);
        lg_exponentials(a, item, 0, a->queries, a->keys, w.strip, w.factors);
        matrix values = turned(lg_attention_matrix(a, &a->value, item));
        with->multiply_vectors(w.sums, sums_stride(a), values, a->value_width, a->keys, w.strip, a->queries);
        store_rows(call, item, 0, a->queries, &w);
    }
}

static void clear(const array *out)
{
    memset(out->data, 0, element_count(out) * itemsize_of(out->dtype));
}

/* out = softmax(query · keyᵀ · scale + mask) · value over the last two axes; leading axes broadcast. Inputs: query, key and
   value of out's dtype, f32 or f64, the number scale; then what masks, of any rank from 2 on, and if it is not added the
   number that hidden scores are. Attributes: [whether query i sees no key behind i, then without a mask, how is masked (see `masking`), whether
   the result for a query that sees no key is 0 rather than NaN]. */
i32 lg_attend(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    attention a = lg_attention_of(out, out->rank - 2, inputs, count, attributes);
    if (element_count(out) == 0)
        return OK;
    if (a.keys == 0) {
        clear(out);
        return OK;
    }
    team workers = *all;
    if (lg_is_serial_product(a.queries, a.keys, a.width + a.value_width, a.items))
        workers.threads = 1;
    if (a.queries <= FEW_QUERIES) {
        a.pitch = a.keys;
        attend_call call = {&a, out, workspace_bytes(&a)};
        lg_share(&workers, a.items, 1, attend_items, &call);
        return OK;
    }
    attend_call call = {&a, out, workspace_bytes(&a)};
    i32 whole_items = a.items >= 4 * workers.threads;
    lg_share(&workers, a.items * a.blocks, whole_items ? a.blocks : 1, attend_blocks, &call);
    return OK;
}
