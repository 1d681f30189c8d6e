/* The gradients of attention: a strip of probabilities is computed again, and one of their cotangents beside it. */
#include <string.h>

#include "arrays.h"
#include "attention.h"
#include "calls.h"
#include "matmul.h"

/* Few items are cut into chunks of queries, whose sums for keys and values are added up in order. How many chunks there are
   depends on the operands alone. */
enum { LEAST_UNITS = 8 };

typedef struct {
    const attention *attention;
    const array *out;
    i64 chunks;
    i64 own_bytes;
    char *sums;  /* for keys and values, of every chunk of every item; NULL where an item is one chunk */
} gradients_call;

typedef struct {
    char *keys, *turned_keys, *turned_values;  /* packed */
    char *left, *right;                        /* rows of a block, packed */
    char *probabilities, *cotangents, *query_sums, *sums;
    f64 *factors;
} workspace;

static i64 key_stride(const attention *a)
{
    return padded(a, a->width);
}

static i64 value_stride(const attention *a)
{
    return padded(a, a->value_width);
}

static i64 right_bytes(const attention *a)
{
    return lg_packed_bytes(a, a->block_rows, most(a->width, a->value_width));
}

static i64 sums_bytes(const attention *a)
{
    return aligned_bytes(a->keys * (key_stride(a) + value_stride(a)) * a->with->itemsize);
}

static i64 query_sums_bytes(const attention *a)
{
    return aligned_bytes(a->block_rows * key_stride(a) * a->with->itemsize);
}

static i64 workspace_bytes(const attention *a)
{
    return lg_packed_bytes(a, a->keys, a->width) + lg_packed_bytes(a, a->width, a->keys) +
           lg_packed_bytes(a, a->value_width, a->keys) + lg_strip_packing_bytes(a) + right_bytes(a) +
           2 * lg_strip_bytes(a) + query_sums_bytes(a) + sums_bytes(a) + aligned_bytes(a->block_rows * sizeof(f64));
}

static workspace take_workspace(const gradients_call *call)
{
    const attention *a = call->attention;
    char *memory = lg_private_scratch(call->own_bytes);
    return (workspace){
        .keys = take(&memory, lg_packed_bytes(a, a->keys, a->width)),
        .turned_keys = take(&memory, lg_packed_bytes(a, a->width, a->keys)),
        .turned_values = take(&memory, lg_packed_bytes(a, a->value_width, a->keys)),
        .left = take(&memory, lg_strip_packing_bytes(a)),
        .right = take(&memory, right_bytes(a)),
        .probabilities = take(&memory, lg_strip_bytes(a)),
        .cotangents = take(&memory, lg_strip_bytes(a)),
        .query_sums = take(&memory, query_sums_bytes(a)),
        .sums = take(&memory, sums_bytes(a)),
        .factors = take(&memory, a->block_rows * sizeof(f64)),
    };
}

/* Exponentials become probabilities, and the cotangents of these those of the products of query and key. */
static void differentiate_rows(const attention *a, i64 item, i64 begin, i64 end, i64 columns, const workspace *w)
{
    i64 row_bytes = a->pitch * a->with->itemsize;
    for (i64 query = begin; query < end; query++) {
        char *cotangents = w->cotangents + (query - begin) * row_bytes;
        i64 visible = visible_keys(a, query + 1);
        a->rows->differentiate(cotangents, w->probabilities + (query - begin) * row_bytes, a->scale,
                               whole_vectors(a, visible));
        row_mask mask = lg_row_mask(a, item, query);
        mask.fill = 0;
        if (mask.masking == SHOWN || mask.masking == HIDDEN)
            a->rows->mask(cotangents, &mask, visible);
        memset(cotangents + visible * a->with->itemsize, 0, (columns - visible) * a->with->itemsize);
    }
}

static void store(const attention *a, char *to, const char *from, i64 stride, i64 rows, i64 columns)
{
    i64 itemsize = a->with->itemsize;
    for (i64 row = 0; row < rows; row++)
        memcpy(to + row * columns * itemsize, from + row * stride * itemsize, columns * itemsize);
}

/* Where an item's gradients lie in out: those of its queries, then of its keys, then of its values. */
static char *item_gradients(const gradients_call *call, i64 item)
{
    const attention *a = call->attention;
    i64 elements = (a->queries + a->keys) * a->width + a->keys * a->value_width;
    return (char *)call->out->data + item * elements * a->with->itemsize;
}

/* The queries [begin, end) of an item: their own gradients, and what they add to those of keys and values. */
static void differentiate_block(const gradients_call *call, i64 item, i64 begin, i64 end, const workspace *w,
                                const packed_operand packed[3], char *key_sums, char *value_sums)
{
    const attention *a = call->attention;
    i64 rows = end - begin, columns = visible_keys(a, end), row_bytes = a->pitch * a->with->itemsize;
    matrix query = rows_from(a, lg_attention_matrix(a, &a->query, item), begin);
    matrix cotangent = rows_from(a, lg_attention_matrix(a, &a->cotangent, item), begin);
    matrix probabilities = {w->probabilities, a->pitch, 1}, cotangents = {w->cotangents, a->pitch, 1};
    lg_fill_strip(a, query, rows, &packed[1], columns, a->scale, w->left, w->probabilities);
    lg_exponentials(a, item, begin, end, columns, w->probabilities, w->factors);
    for (i64 row = 0; row < rows; row++) {
        char *of_row = w->probabilities + row * row_bytes;
        a->rows->scale(of_row, of_row, w->factors[row], columns);
    }
    packed_operand right = lg_packed(a, cotangent, rows, a->value_width, w->right);
    lg_multiply_packed(a, turned(probabilities), columns, &right, rows, value_sums, value_stride(a), 1);
    lg_fill_strip(a, cotangent, rows, &packed[2], columns, 1, w->left, w->cotangents);
    differentiate_rows(a, item, begin, end, columns, w);
    right = lg_packed(a, query, rows, a->width, w->right);
    lg_multiply_packed(a, turned(cotangents), columns, &right, rows, key_sums, key_stride(a), 1);
    lg_multiply_packed(a, cotangents, rows, &packed[0], columns, w->query_sums, key_stride(a), 0);
    char *out = item_gradients(call, item) + begin * a->width * a->with->itemsize;
    store(a, out, w->query_sums, key_stride(a), rows, a->width);
}

static void store_sums(const gradients_call *call, i64 item, const char *sums)
{
    const attention *a = call->attention;
    i64 itemsize = a->with->itemsize;
    char *out = item_gradients(call, item) + a->queries * a->width * itemsize;
    store(a, out, sums, key_stride(a), a->keys, a->width);
    store(a, out + a->keys * a->width * itemsize, sums + a->keys * key_stride(a) * itemsize, value_stride(a), a->keys,
          a->value_width);
}

/* Chunks [begin, end), counted through all items. */
static void differentiate_chunks(void *closure, i64 begin, i64 end)
{
    const gradients_call *call = closure;
    const attention *a = call->attention;
    workspace w = take_workspace(call);
    for (i64 unit = begin; unit < end; unit++) {
        i64 item = unit / call->chunks, chunk = unit % call->chunks;
        char *key_sums = call->sums ? call->sums + unit * sums_bytes(a) : w.sums;
        char *value_sums = key_sums + a->keys * key_stride(a) * a->with->itemsize;
        matrix key = lg_attention_matrix(a, &a->key, item), value = lg_attention_matrix(a, &a->value, item);
        const packed_operand packed[] = {
            lg_packed(a, key, a->keys, a->width, w.keys),
            lg_packed(a, turned(key), a->width, a->keys, w.turned_keys),
            lg_packed(a, turned(value), a->value_width, a->keys, w.turned_values),
        };
        memset(key_sums, 0, sums_bytes(a));
        for (i64 block = a->blocks * chunk / call->chunks; block < a->blocks * (chunk + 1) / call->chunks; block++)
            differentiate_block(call, item, block_begin(a, block), block_begin(a, block + 1), &w, packed, key_sums, value_sums);
        if (!call->sums)
            store_sums(call, item, key_sums);
    }
}

/* The sums of all chunks of items [begin, end). */
static void add_chunks(void *closure, i64 begin, i64 end)
{
    const gradients_call *call = closure;
    const attention *a = call->attention;
    for (i64 item = begin; item < end; item++) {
        char *sums = call->sums + item * call->chunks * sums_bytes(a);
        for (i64 chunk = 1; chunk < call->chunks; chunk++)
            a->with->add(sums, sums + chunk * sums_bytes(a), sums_bytes(a) / a->with->itemsize);
        store_sums(call, item, sums);
    }
}

/* The gradients of attend in query, key and value: one after another in each item of out, whose leading axes are those of
   the result of attend. Inputs: the cotangent of that result, then those of attend; the attributes too are those of attend. */
i32 lg_attend_gradients(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    attention a = lg_attention_of(out, out->rank - 1, inputs + 1, count - 1, attributes);
    a.cotangent = inputs[0];
    if (a.keys == 0)
        memset(out->data, 0, element_count(out) * itemsize_of(out->dtype));
    if (element_count(out) == 0 || a.keys == 0)
        return OK;
    team workers = *all;
    if (lg_is_serial_product(a.queries, a.keys, 2 * (a.width + a.value_width), a.items))
        workers.threads = 1;
    gradients_call call = {.attention = &a, .out = out, .own_bytes = workspace_bytes(&a)};
    call.chunks = most(least((LEAST_UNITS + a.items - 1) / a.items, a.blocks), 1);
    if (call.chunks > 1)
        call.sums = lg_shared_scratch(a.items * call.chunks * sums_bytes(&a));
    lg_share(&workers, a.items * call.chunks, 1, differentiate_chunks, &call);
    if (call.chunks > 1)
        lg_share(&workers, a.items, 1, add_chunks, &call);
    return OK;
}
