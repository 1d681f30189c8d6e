/* Copies between strided blocks of memory of equal shape. */
#pragma once

#include "arrays.h"

/* How to walk two blocks together: axes of size 1 are gone, axes that both blocks walk as one are merged, and the
   last axis is the one along which the target advances least. */
typedef struct {
    i64 itemsize;
    i32 rank;  /* at least 2; axis rank - 2 may have size 1 */
    i32 is_empty;
    i64 sizes[MAX_RANK + 2], to[MAX_RANK + 2], from[MAX_RANK + 2];
} copy_plan;

/* Strides count elements, and may be 0 in the source or negative in both. */
copy_plan lg_plan_copy(i64 itemsize, i32 rank, const i64 *sizes, const i64 *to_strides, const i64 *from_strides);

/* Copies all of a block. */
void lg_copy_block(const copy_plan *plan, void *to, const void *from);

/* Copies a block with a team. */
void lg_copy_together(const team *team, const copy_plan *plan, void *to, const void *from);

/* Copies x into the row-major memory `to` with a team. */
void lg_copy_array(const team *team, void *to, const array *x);

/* Makes out a copy of base, unless base was given away to be updated in place. */
void lg_start_from(const team *team, const array *out, const array *base);
