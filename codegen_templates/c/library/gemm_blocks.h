/* Products of strided matrices, one block of rows after another. */
#pragma once

#include "gemm.h"
#include "gemm_operands.h"

enum { MOST_ROWS = 224 };  /* × BLOCK_DEPTH: a packed block of left fills a good part of an L2 cache */

/* One product out (+)= left · right, for the columns and the depth of right that are packed (or read in place). */
typedef struct {
    const arithmetic *with;
    matrix left, right;
    i64 columns, depth;
    char *packed_right;  /* panels of tile_columns, block of depth after block */
    i32 right_in_place;  /* only the last panel is packed, if it ends inside a vector */
    char *packed_left;   /* a thread's own */
    void *out;
    i64 out_stride;
    i32 accumulate;
} strided_product;

#pragma GCC visibility push(hidden)

/* Whether rows of right are read where they lie, for a product of few rows. */
i32 lg_reads_right_in_place(matrix right, i64 rows);

i64 lg_packed_right_bytes(const arithmetic *with, i64 columns, i64 depth);
i64 lg_packed_left_bytes(const arithmetic *with);

i64 lg_right_panels(const strided_product *p);
void lg_pack_right_panels(const strided_product *p, i64 begin, i64 end);

/* Rows [begin, end), at most MOST_ROWS of them. */
void lg_multiply_rows(const strided_product *p, i64 begin, i64 end);

#pragma GCC visibility pop
