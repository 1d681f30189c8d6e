/* Products of strided matrices: the loops around the kernel. */
#pragma once

#include "gemm.h"
#include "gemm_operands.h"

/* out = left · right, or out += left · right, for out of rows × columns, its rows out_stride apart. */
typedef struct {
    const arithmetic *with;
    matrix left, right;
    i64 rows, columns, depth;
    void *out;
    i64 out_stride;
    i32 accumulate;
} strided_product;

/* Bytes of a thread's own memory that `lg_multiply` needs. */
i64 lg_packing_bytes(const arithmetic *with, i64 rows, i64 columns, i64 depth);

/* Computes the product; `finished(closure, begin, end)`, if there is one, is called for each block of rows that is
   complete. */
void lg_multiply(const strided_product *p, char *memory, const epilogue *finished);
