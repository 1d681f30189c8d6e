/* What calls ask about arrays, and which threads take part in a call. */
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
                                              [F16] = 2,  [BF16] = 2, [F32] = 4, [F64] = 8, [U32] = 4,
                                              [C64] = 8,  [C128] = 16};
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

/* A call whose output and inputs have fewer elements than this, counted by their sizes and summed, runs on thread 0
   alone, without barriers: meeting the other threads would take longer. The renderer applies the same rule; tests set
   it to 0. */
#ifndef SERIAL_ELEMENTS
#define SERIAL_ELEMENTS (1 << 14)
#endif

/* The team that runs a call: all threads, or thread 0 alone if there is little to do. The others then find themselves
   in a team of 0 threads, and return. */
static inline team working_team(const team *all, const array *out, const array *inputs, i32 count)
{
    i64 elements = element_count(out);
    for (i32 i = 0; i < count; i++)
        elements += element_count(&inputs[i]);
    team result = *all;
    if (elements < SERIAL_ELEMENTS)
        result.threads = all->thread == 0;
    return result;
}

/* Scratch memory for a working team. That of a lone thread is its own: the others may still be in the call before. */
static inline void *team_scratch(const team *team, i64 bytes)
{
    return team->threads > 1 ? lg_shared_scratch(team, bytes) : lg_private_scratch(bytes);
}

/* Whether every thread of the team says yes; contains barriers. What was in the shared scratch memory is lost. */
static inline i32 team_agrees(const team *team, i32 yes)
{
    if (team->threads == 1)
        return yes;
    enum { APART = 16 };  /* threads write to different cache lines */
    i32 *votes = lg_shared_scratch(team, team->threads * APART * (i64)sizeof(i32));
    votes[team->thread * APART] = yes;
    team_barrier(team);
    i32 all = 1;
    for (i32 thread = 0; thread < team->threads; thread++)
        all &= votes[thread * APART];
    return all;
}
