/* Index arrays that together name rows: x[i0, i1, …] with the indices broadcast against each other. */
#pragma once

#include "arrays.h"

enum { ADDRESS_BLOCK = 512 };  /* addresses computed at a time */

typedef struct {
    i32 indices;             /* how many leading axes are addressed */
    i32 rank;                /* of the broadcast shape */
    i64 sizes[MAX_RANK];     /* the broadcast shape */
    i64 count;               /* its elements */
    const array *index;      /* one per axis, int64 */
    i64 strides[MAX_RANK][MAX_RANK];  /* of each index over the broadcast shape; 0 where it is repeated */
    i64 extents[MAX_RANK];   /* of the axes addressed */
    i64 steps[MAX_RANK];     /* what one step along each of them adds to an address */
    i32 from_zero;           /* whether negative indices are out of range; otherwise they count from the end */
} addressing;

/* Addresses of rows of x, over a broadcast shape that is the first axes of `shape` that are not axes of a row. The
   steps are row numbers; callers that want something else set them. */
static inline addressing address_rows(const array *x, const array *shape, const array *index, i32 indices)
{
    addressing a = {.indices = indices, .rank = shape->rank - (x->rank - indices), .index = index};
    i64 step = 1;
    for (i32 axis = 0; axis < a.rank; axis++)
        a.sizes[axis] = shape->sizes[axis];
    a.count = product(a.sizes, a.rank);
    for (i32 i = indices - 1; i >= 0; i--) {
        a.extents[i] = x->sizes[i];
        a.steps[i] = step;
        step *= x->sizes[i];
        i32 ahead = a.rank - index[i].rank;
        for (i32 axis = 0; axis < index[i].rank; axis++)
            a.strides[i][ahead + axis] = index[i].sizes[axis] == 1 ? 0 : index[i].strides[axis];
    }
    return a;
}

/* Adds to each address what one index contributes along a line, `turn` being added to negative entries; returns nonzero
   when one is out of range. */
static inline u64 add_line(i64 *addresses, i64 count, const i64 *index, i64 stride, i64 extent, i64 turn, i64 step)
{
    u64 outside = 0;
    if (stride == 1) {
        for (i64 k = 0; k < count; k++) {
            i64 at = index[k] + (index[k] < 0 ? turn : 0);
            outside |= (u64)at >= (u64)extent;
            addresses[k] += (i64)((u64)at * (u64)step);
        }
        return outside;
    }
    for (i64 k = 0; k < count; k++) {
        i64 at = index[k * stride] + (index[k * stride] < 0 ? turn : 0);
        outside |= (u64)at >= (u64)extent;
        addresses[k] += (i64)((u64)at * (u64)step);
    }
    return outside;
}

/* The addresses of the positions [begin, begin + count) of the broadcast shape in row-major order. Returns whether all
   indices are in range; otherwise the addresses mean nothing. */
static inline i32 find_addresses(const addressing *a, i64 begin, i64 count, i64 *addresses)
{
    u64 outside = 0;
    i64 columns = a->rank ? a->sizes[a->rank - 1] : 1;
    for (i64 k = 0; k < count; k++)
        addresses[k] = 0;
    for (i64 done = 0; done < count;) {
        i64 column = (begin + done) % columns, line = least(columns - column, count - done);
        for (i32 i = 0; i < a->indices; i++) {
            i64 rest = (begin + done) / columns, offset = a->rank ? column * a->strides[i][a->rank - 1] : 0;
            for (i32 axis = a->rank - 2; axis >= 0; axis--) {
                offset += rest % a->sizes[axis] * a->strides[i][axis];
                rest /= a->sizes[axis];
            }
            i64 stride = a->rank ? a->strides[i][a->rank - 1] : 0;
            outside |= add_line(addresses + done, line, (const i64 *)a->index[i].data + offset, stride, a->extents[i],
                                a->from_zero ? 0 : a->extents[i], a->steps[i]);
        }
        done += line;
    }
    return !outside;
}

/* Whether the entries [begin, end) of an index, in row-major order, are in range for an axis of that extent. */
static inline i32 entries_in_range(const array *index, i64 extent, i64 begin, i64 end, i32 from_zero)
{
    addressing a = {.indices = 1, .rank = index->rank, .index = index, .extents = {extent}, .from_zero = from_zero};
    for (i32 axis = 0; axis < index->rank; axis++) {
        a.sizes[axis] = index->sizes[axis];
        a.strides[0][axis] = index->strides[axis];
    }
    i64 addresses[ADDRESS_BLOCK];
    for (; begin < end; begin += ADDRESS_BLOCK)
        if (!find_addresses(&a, begin, least(ADDRESS_BLOCK, end - begin), addresses))
            return 0;
    return 1;
}

/* Whether all entries of all indices are in range; for when the broadcast shape or the rows are empty, and so no
   address is looked at. */
static inline i32 indices_in_range(const addressing *a)
{
    for (i32 i = 0; i < a->indices; i++)
        if (!entries_in_range(&a->index[i], a->extents[i], 0, element_count(&a->index[i]), a->from_zero))
            return 0;
    return 1;
}
