/* Operands and results whose dtype is not the one computed in. */
#pragma once

#include "arrays.h"
#include "gemm.h"

static inline i64 aligned_to(i64 value, i64 unit)
{
    return (value + unit - 1) / unit * unit;
}

static inline i64 aligned_bytes(i64 bytes)
{
    return aligned_to(bytes, 64);
}

/* Takes bytes off the front of a piece of memory, which stays aligned. */
static inline void *take(char **memory, i64 bytes)
{
    void *taken = *memory;
    *memory += aligned_bytes(bytes);
    return taken;
}

/* Bytes that `lg_convert` writes, 0 if the array is stored as it is computed with; a multiple of the alignment. */
i64 lg_converted_bytes(const arithmetic *with, const array *x);

/* `x` as elements of the arithmetic, copied into memory by a team unless it holds them already. */
array lg_convert(const team *team, const arithmetic *with, const array *x, void *memory);
