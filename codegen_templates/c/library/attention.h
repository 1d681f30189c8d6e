/* Attention, a few queries at a time: their scores with all keys are a strip of memory, which turns into probabilities and
   meets the values before the next queries begin. So no array of queries × keys exists, and a row of a softmax is seen
   whole, which a gradient computes again instead of reading anything of the forward pass.

   Rabe and Staats, "Self-attention Does Not Need O(n^2) Memory", arXiv:2112.05682, 2021: queries in blocks. Dao et al.,
   "FlashAttention", NeurIPS 2022: gradients from probabilities that are computed again. Cutting the keys too, and correcting
   sums as larger scores turn up, would save what a strip of a second-level cache has room for. */
#pragma once

#include "gemm_operands.h"

enum masking { NOT_MASKED, ADDED, SHOWN, HIDDEN };

/* What masks the scores of one query: numbers that are added, or elements that are not zero where a key is shown, or hidden.
   A hidden key has the score `fill`. */
typedef struct {
    const void *data;
    i32 dtype, masking;
    i64 stride;
    f64 fill;
} row_mask;

/* What is done to a row of elements of one arithmetic. */
typedef struct {
    void (*mask)(void *scores, const row_mask *mask, i64 count);
    i32 (*shows_any)(const row_mask *mask, i64 begin, i64 end);
    /* Scores become their exponentials, up to a factor, with zeros behind the visible ones, up to `count`. Returns what makes
       probabilities of these. Where no key has a score above -inf that is NaN, or 0 with zeros in the row. */
    f64 (*exponentiate)(void *scores, i64 visible, i64 count, i32 nothing_is_zero);
    void (*scale)(void *to, const void *from, f64 factor, i64 count);
    /* Cotangents of probabilities become those of the scores, times a factor. */
    void (*differentiate)(void *cotangents, const void *probabilities, f64 factor, i64 count);
} attention_rows;

typedef struct {
    const arithmetic *with;
    const attention_rows *rows;
    array query, key, value, mask, cotangent;
    i32 lead_rank;  /* of the axes that number items, and their sizes */
    i64 lead[MAX_RANK];
    i64 items, queries, keys, width, value_width;
    f64 scale, fill;
    i32 is_causal, masking, nothing_is_zero;
    i64 blocks;       /* of queries, in an item */
    i64 block_rows;   /* at most, in a block */
    i64 pitch;        /* elements from a row of a strip to the next */
} attention;

/* A right operand of a product, in the order in which a kernel reads it: blocks of depth, in each of them tiles of columns. */
typedef struct {
    char *data;
    i64 depth, columns;
} packed_operand;

extern const attention_rows lg_attention_rows_f32, lg_attention_rows_f64;

/* An attention whose lead is the first axes of out; inputs are query, key, value, scale and what masks, and the attributes
   those of the calls. */
attention lg_attention_of(const array *out, i32 lead_rank, const array *inputs, i32 count, const i64 *attributes);

static inline i64 padded(const attention *a, i64 columns)
{
    return aligned_to(columns, a->with->tile_columns);
}

static inline i64 block_begin(const attention *a, i64 block)
{
    return a->queries * block / a->blocks;
}

/* Elements of a row of a strip up to the end of a vector, if it has room for that. */
static inline i64 whole_vectors(const attention *a, i64 columns)
{
    return least(aligned_to(columns, a->with->lanes), a->pitch);
}

/* Keys that the last of the queries before `end` may look at. */
static inline i64 visible_keys(const attention *a, i64 end)
{
    return a->is_causal ? least(end, a->keys) : a->keys;
}

/* The matrix that an item reads of x; sizes of 1 are repeated. */
matrix lg_attention_matrix(const attention *a, const array *x, i64 item);

/* Bytes of a right operand that is packed, and packing it. */
i64 lg_packed_bytes(const attention *a, i64 depth, i64 columns);
packed_operand lg_packed(const attention *a, matrix right, i64 depth, i64 columns, char *memory);

/* Rows of a strip: those of left, times a factor, times the first `columns` columns of right. Left is packed into `memory`. */
void lg_fill_strip(const attention *a, matrix left, i64 rows, const packed_operand *right, i64 columns, f64 factor,
                   char *memory, char *strip);
i64 lg_strip_bytes(const attention *a);
i64 lg_strip_packing_bytes(const attention *a);

/* out (+)= left · right for few columns and `depth` of right's rows. Whole vectors are written. */
void lg_multiply_packed(const attention *a, matrix left, i64 rows, const packed_operand *right, i64 depth, void *out,
                        i64 out_stride, i32 accumulate);

/* How many keys, from the first on, hold all that the queries [begin, end) may look at; one at least. What lies behind is not
   computed, as if it were finite. */
i64 lg_seen_keys(const attention *a, i64 item, i64 begin, i64 end);

/* Scores of the queries [begin, end) become exponentials, and `factors` what makes probabilities of each row. Behind the
   keys that a query may look at are zeros, up to `columns`. */
void lg_exponentials(const attention *a, i64 item, i64 begin, i64 end, i64 columns, char *strip, f64 *factors);

/* The mask of one query, whose masking is NOT_MASKED without one. */
row_mask lg_row_mask(const attention *a, i64 item, i64 query);

static inline matrix rows_from(const attention *a, matrix x, i64 row)
{
    x.data = (const char *)x.data + row * x.row_stride * a->with->itemsize;
    return x;
}

static inline matrix turned(matrix x)
{
    return (matrix){x.data, x.column_stride, x.row_stride};
}
