/* Two arrays of equal shape as lines along one axis, for calls that work along it. */
#pragma once

#include "arrays.h"

typedef struct {
    i64 length, x_step, out_step;          /* along a line */
    i32 rank;                              /* of the other axes, at least 1, merged where both arrays allow it */
    i64 sizes[MAX_RANK + 1], x_strides[MAX_RANK + 1], out_strides[MAX_RANK + 1];
    i64 count;                             /* lines: product of sizes */
} lines;

/* A position in x and the corresponding one in out. */
typedef struct {
    i64 x, out;
} line_start;

/* Lines of x along an axis; out has the same shape, or size 1 along the axis. A number is one line of length 1. */
static inline lines lines_along(const array *x, const array *out, i64 axis)
{
    lines l = {.length = 1};
    for (i32 a = 0; a < x->rank; a++) {
        i64 size = x->sizes[a], x_stride = x->strides[a], out_stride = out->strides[a];
        i32 before = l.rank - 1;
        if (a == axis) {
            l.length = size, l.x_step = x_stride, l.out_step = out_stride;
            continue;
        }
        if (size == 1)
            continue;
        if (l.rank && l.x_strides[before] == x_stride * size && l.out_strides[before] == out_stride * size)
            size *= l.sizes[before];
        else
            l.rank++;
        l.sizes[l.rank - 1] = size, l.x_strides[l.rank - 1] = x_stride, l.out_strides[l.rank - 1] = out_stride;
    }
    if (!l.rank)
        l.sizes[l.rank++] = 1;
    l.count = product(l.sizes, l.rank);
    return l;
}

/* Where a line starts; lines are numbered in row-major order. */
static inline line_start line_at(const lines *l, i64 line)
{
    line_start start = {0, 0};
    for (i32 a = l->rank - 1; a >= 0; a--) {
        i64 position = line % l->sizes[a];
        line /= l->sizes[a];
        start.x += position * l->x_strides[a];
        start.out += position * l->out_strides[a];
    }
    return start;
}

/* Neighbouring lines that lie closer together than the elements of one line are walked side by side, in blocks of at
   most `width` lanes. */
static inline i32 has_lanes(const lines *l)
{
    i32 last = l->rank - 1;
    return l->sizes[last] > 1 && l->length > 1 && magnitude(l->x_strides[last]) < magnitude(l->x_step);
}

static inline i64 lane_blocks(const lines *l, i64 width)
{
    i64 lanes = l->sizes[l->rank - 1];
    return l->count / lanes * ((lanes + width - 1) / width);
}

/* The first line of a block of lanes, and how many there are. */
static inline i64 lane_block(const lines *l, i64 block, i64 width, i64 *first)
{
    i64 lanes = l->sizes[l->rank - 1], blocks = (lanes + width - 1) / width, lane = block % blocks * width;
    *first = block / blocks * lanes + lane;
    return least(width, lanes - lane);
}

/* A width for which all threads have two blocks, if there are lanes enough; no less than a cache line's worth. */
static inline i64 lane_width(const team *team, const lines *l, i64 widest)
{
    enum { NARROWEST = 32 };
    while (widest > NARROWEST && lane_blocks(l, widest) < 2 * team->threads)
        widest /= 2;
    return widest;
}
