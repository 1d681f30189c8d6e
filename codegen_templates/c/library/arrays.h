/* What calls ask about arrays, and how many threads take part in a call. */
#pragma once

#include "library.h"

static inline i64 product(const i64 *sizes, i32 rank)
{
    i64 result = 1;
    for (i32 axis = 0; axis < rank; axis++)
        result *= sizes[axis];
    return result;
}

static inline i64 element_count(const array *x)
{
    return product(x->sizes, x->rank);
}

static inline i64 least(i64 a, i64 b)
{
    return a < b ? a : b;
}

static inline i64 most(i64 a, i64 b)
{
    return a > b ? a : b;
}

static inline i64 magnitude(i64 x)
{
    return x < 0 ? -x : x;
}

static inline i64 greatest_common_divisor(i64 a, i64 b)
{
    a = magnitude(a);
    while (b) {
        i64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline i64 itemsize_of(i32 dtype)
{
    static const unsigned char itemsizes[] = {[BOOL] = 1, [U8] = 1,  [I8] = 1,   [I16] = 2, [I32] = 4, [I64] = 8,
                                              [F16] = 2,  [BF16] = 2, [F32] = 4, [F64] = 8, [W32] = 4,
                                              [C64] = 8,  [C128] = 16, [U16] = 2, [U32] = 4, [U64] = 8,
                                              [F8E4M3FN] = 1, [F8E5M2] = 1, [F8E4M3FNUZ] = 1, [F8E5M2FNUZ] = 1,
                                              [F8E8M0FNU] = 1};
    return itemsizes[dtype];
}

static inline i32 is_half(i32 dtype)
{
    return dtype == F16 || dtype == BF16;
}

/* Whether the axes [first, rank) lie in memory as a row-major array does; axes of size 1 lie as one likes. */
static inline i32 is_row_major_from(const array *x, i32 first)
{
    i64 expected = 1;
    for (i32 axis = x->rank - 1; axis >= first; axis--) {
        if (x->sizes[axis] != 1 && x->strides[axis] != expected)
            return 0;
        expected *= x->sizes[axis];
    }
    return 1;
}

static inline i32 is_row_major(const array *x)
{
    return element_count(x) == 0 || is_row_major_from(x, 0);
}

static inline void row_major_strides(const i64 *sizes, i32 rank, i64 *strides)
{
    i64 step = 1;
    for (i32 axis = rank - 1; axis >= 0; axis--) {
        strides[axis] = step;
        step *= sizes[axis];
    }
}

/* A call whose output and inputs have fewer elements than this, counted by their sizes and summed, is not handed out to
   other threads: that would take longer. The renderer applies the same rule; tests set it to 0. */
#ifndef SERIAL_ELEMENTS
#define SERIAL_ELEMENTS (1 << 14)
#endif

/* The team that does a call: all threads, or the calling one alone if there is little to do. */
static inline team working_team(const team *all, const array *out, const array *inputs, i32 count)
{
    i64 elements = element_count(out);
    for (i32 i = 0; i < count; i++)
        elements += element_count(&inputs[i]);
    return elements < SERIAL_ELEMENTS ? (team){1} : *all;
}

/* An outcome that parts share: each may refuse. */
static inline void refuse(i32 *outcome)
{
    __atomic_store_n(outcome, REFUSED, __ATOMIC_RELAXED);
}
