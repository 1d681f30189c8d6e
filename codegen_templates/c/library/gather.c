/* Reading elements through an index tensor along one axis. */
#include <string.h>

#include "calls.h"
#include "dtypes.h"
#include "element_walk.h"

/* A line of a gather: element k is read from from[at · axis_step + k · from_step], where at is index[k · index_step],
   increased by turn if it is negative. */
typedef struct {
    i64 count, index_step, from_step, to_step;
    i64 extent, turn, axis_step;
} gather_line;

#define BODY "gather.inc"
#include "each_size.inc"

typedef u64 gather_elements(void *to, const void *from, const i64 *index, const gather_line *line);
static gather_elements *const gather_elements_of[] = SIZE_TABLE(gather_elements);

typedef struct {
    const array *out, *x, *index;
    element_walk walk;
    i32 shared;  /* the axis that parts divide, or -1 */
    i64 extent, turn, axis_step;
    i32 outcome;
} gather_call;

static void gather_part(void *closure, i64 begin, i64 end)
{
    gather_call *call = closure;
    element_walk walk = call->walk;
    if (call->shared >= 0)
        walk.begin[call->shared] = begin, walk.end[call->shared] = end;
    i32 last = walk.rank - 1;
    i64 itemsize = itemsize_of(call->x->dtype), position[MAX_RANK + 1], at[WALKED];
    gather_line line = {walk.end[last] - walk.begin[last], walk.strides[INDEX][last], walk.strides[READ][last],
                        walk.strides[WRITTEN][last], call->extent, call->turn, call->axis_step};
    u64 outside = 0;
    for (i32 more = first_line(&walk, position, at); more; more = next_line(&walk, position, at))
        outside |= gather_elements_of[itemsize]((char *)call->out->data + at[WRITTEN] * itemsize,
                                                (const char *)call->x->data + at[READ] * itemsize,
                                                (const i64 *)call->index->data + at[INDEX], &line);
    if (outside)
        refuse(&call->outcome);
}

/* out[.., i, ..] = x[.., index[.., i, ..], ..] along an axis: inputs are x and the int64 index, whose shape out has.
   Attributes: [axis, wraps]. Refuses indices outside [0, size), or outside [-size, size) if it wraps. */
i32 lg_gather(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    if (element_count(out) == 0)
        return OK;
    const array *x = &inputs[0], *index = &inputs[1];
    i32 axis = x->rank ? (i32)attributes[0] : -1;
    i64 read[MAX_RANK];
    for (i32 a = 0; a < x->rank; a++)
        read[a] = a == axis ? 0 : x->strides[a];
    gather_call call = {
        .out = out,
        .x = x,
        .index = index,
        .walk = plan_walk(index->sizes, index->rank, axis, (const i64 *[]){index->strides, read, out->strides}),
        .extent = axis < 0 ? 1 : x->sizes[axis],
        .axis_step = axis < 0 ? 0 : x->strides[axis],
    };
    if (call.extent == 0)
        return REFUSED;
    call.turn = attributes[1] ? call.extent : 0;
    call.shared = shared_axis(&team, &call.walk, -1);
    lg_share(&team, call.shared < 0 ? 1 : call.walk.end[call.shared], 1, gather_part, &call);
    return call.outcome;
}
