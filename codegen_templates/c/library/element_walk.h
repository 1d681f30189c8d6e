/* Walking three arrays together element by element: an index tensor, what is read, and what is written. */
#pragma once

#include "arrays.h"

enum { INDEX, READ, WRITTEN, WALKED };

/* The axes to walk, from the outermost to the innermost, which is called a line. Axes of size 1 are gone, and those
   that all three arrays walk as one are merged. A part walks [begin, end) of each axis. */
typedef struct {
    i32 rank;  /* at least 1 */
    i32 axis;  /* the one that the index addresses, or -1 */
    i64 begin[MAX_RANK + 1], end[MAX_RANK + 1];
    i64 strides[WALKED][MAX_RANK + 1];
} element_walk;

static inline i32 merges(const element_walk *w, i32 outer, const i64 *inner_strides, i64 inner_size)
{
    for (i32 i = 0; i < WALKED; i++)
        if (w->strides[i][outer] != inner_strides[i] * inner_size)
            return 0;
    return 1;
}

/* Everything of `sizes`, of which `axis` is addressed by the index. */
static inline element_walk plan_walk(const i64 *sizes, i32 rank, i32 axis, const i64 *strides[WALKED])
{
    element_walk w = {.axis = -1};
    for (i32 a = 0; a < rank; a++) {
        if (sizes[a] == 1)
            continue;
        i64 own[WALKED] = {strides[INDEX][a], strides[READ][a], strides[WRITTEN][a]};
        i32 is_addressed = a == axis, place = w.rank;
        if (w.rank && !is_addressed && w.axis != w.rank - 1 && merges(&w, w.rank - 1, own, sizes[a]))
            place--;
        w.end[place] = place < w.rank ? w.end[place] * sizes[a] : sizes[a];
        for (i32 i = 0; i < WALKED; i++)
            w.strides[i][place] = own[i];
        if (is_addressed)
            w.axis = place;
        w.rank = place + 1;
    }
    if (!w.rank)
        w.end[w.rank++] = 1;
    return w;
}

/* The axis that parts divide: the outermost with work for all threads, or the longest, but not `forbidden`. -1 if there is
   none with any. */
static inline i32 shared_axis(const team *team, const element_walk *w, i32 forbidden)
{
    enum { PARTS = 4 };  /* a thread then has at most a quarter more to do than another */
    i32 chosen = -1;
    for (i32 a = 0; a < w->rank; a++)
        if (a != forbidden && (chosen < 0 || w->end[a] > w->end[chosen])) {
            chosen = a;
            if (w->end[a] >= (i64)PARTS * team->threads)
                break;
        }
    return chosen >= 0 && w->end[chosen] >= team->threads ? chosen : -1;
}

/* Moves to the next line; `offsets` and `position` (of the outer axes) start out as first_line leaves them. Returns
   whether there was one. */
static inline i32 next_line(const element_walk *w, i64 *position, i64 *offsets)
{
    for (i32 a = w->rank - 2; a >= 0; a--) {
        i64 back = position[a] + 1 < w->end[a] ? -1 : w->end[a] - 1 - w->begin[a];
        position[a] -= back;
        for (i32 i = 0; i < WALKED; i++)
            offsets[i] -= back * w->strides[i][a];
        if (back < 0)
            return 1;
    }
    return 0;
}

/* Moves to the first line. Returns whether there is one. */
static inline i32 first_line(const element_walk *w, i64 *position, i64 *offsets)
{
    for (i32 i = 0; i < WALKED; i++)
        offsets[i] = 0;
    for (i32 a = 0; a < w->rank; a++) {
        if (w->begin[a] >= w->end[a])
            return 0;
        position[a] = w->begin[a];
        for (i32 i = 0; i < WALKED; i++)
            offsets[i] += w->begin[a] * w->strides[i][a];
    }
    return 1;
}
