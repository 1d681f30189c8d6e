#include "strided_copy.h"

#include <string.h>

#include "dtypes.h"

/* A copy of two axes; strides in elements. */
typedef struct {
    i64 rows, columns, to_row, to_column, from_row, from_column;
} plane;

#define BODY "strided_copy.inc"
#include "each_size.inc"

static void (*const copy_plane[])(void *to, const void *from, const plane *) = SIZE_TABLE(copy_plane);

static void swap_axes(copy_plan *plan, i32 a, i32 b)
{
    i64 size = plan->sizes[a], to = plan->to[a], from = plan->from[a];
    plan->sizes[a] = plan->sizes[b], plan->to[a] = plan->to[b], plan->from[a] = plan->from[b];
    plan->sizes[b] = size, plan->to[b] = to, plan->from[b] = from;
}

/* Puts the axes in the order in which the target lies in memory. */
static void order_axes(copy_plan *plan)
{
    for (i32 end = 1; end < plan->rank; end++)
        for (i32 axis = end; axis > 0 && magnitude(plan->to[axis]) > magnitude(plan->to[axis - 1]); axis--)
            swap_axes(plan, axis, axis - 1);
}

static void merge_axes(copy_plan *plan)
{
    i32 kept = 0;
    for (i32 axis = 1; axis < plan->rank; axis++) {
        i64 size = plan->sizes[axis];
        if (plan->to[kept] == plan->to[axis] * size && plan->from[kept] == plan->from[axis] * size)
            size *= plan->sizes[kept];
        else
            kept++;
        plan->sizes[kept] = size, plan->to[kept] = plan->to[axis], plan->from[kept] = plan->from[axis];
    }
    plan->rank = kept + 1;
}

/* Moves an axis along which the source lies densely next to the last one, so that both form planes to transpose. */
static void pair_axes(copy_plan *plan)
{
    i32 last = plan->rank - 1;
    if (magnitude(plan->from[last]) <= 1)
        return;
    for (i32 axis = 0; axis < last - 1; axis++)
        if (magnitude(plan->from[axis]) == 1)
            swap_axes(plan, axis, last - 1);
}

copy_plan lg_plan_copy(i64 itemsize, i32 rank, const i64 *sizes, const i64 *to_strides, const i64 *from_strides)
{
    copy_plan plan = {.itemsize = itemsize, .is_empty = product(sizes, rank) == 0};
    for (i32 axis = 0; axis < rank; axis++)
        if (sizes[axis] != 1) {
            plan.sizes[plan.rank] = sizes[axis];
            plan.to[plan.rank] = to_strides[axis];
            plan.from[plan.rank++] = from_strides[axis];
        }
    order_axes(&plan);
    if (plan.rank > 1)
        merge_axes(&plan);
    pair_axes(&plan);
    while (plan.rank < 2) {  /* axes of size 1 in front */
        memmove(plan.sizes + 1, plan.sizes, sizeof(i64) * plan.rank);
        memmove(plan.to + 1, plan.to, sizeof(i64) * plan.rank);
        memmove(plan.from + 1, plan.from, sizeof(i64) * plan.rank);
        plan.sizes[0] = 1, plan.to[0] = plan.from[0] = plan.rank ? 0 : 1;
        plan.rank++;
    }
    return plan;
}

/* Copies the rows [begin, end), numbered over all axes but the last, and the columns [left, right). */
static void copy_part(const copy_plan *plan, char *to, const char *from, i64 begin, i64 end, i64 left, i64 right)
{
    i32 last = plan->rank - 1;
    i64 rows = plan->sizes[last - 1], itemsize = plan->itemsize;
    to += left * plan->to[last] * itemsize;
    from += left * plan->from[last] * itemsize;
    while (begin < end) {
        i64 row = begin % rows, count = least(rows - row, end - begin);
        i64 to_offset = row * plan->to[last - 1], from_offset = row * plan->from[last - 1];
        i64 rest = begin / rows;
        for (i32 axis = last - 2; axis >= 0; axis--) {
            i64 position = rest % plan->sizes[axis];
            rest /= plan->sizes[axis];
            to_offset += position * plan->to[axis];
            from_offset += position * plan->from[axis];
        }
        plane p = {count, right - left, plan->to[last - 1], plan->to[last], plan->from[last - 1], plan->from[last]};
        copy_plane[itemsize](to + to_offset * itemsize, from + from_offset * itemsize, &p);
        begin += count;
    }
}

void lg_copy_block(const copy_plan *plan, void *to, const void *from)
{
    if (!plan->is_empty)
        copy_part(plan, to, from, 0, product(plan->sizes, plan->rank - 1), 0, plan->sizes[plan->rank - 1]);
}

typedef struct {
    const copy_plan *plan;
    char *to;
    const char *from;
} copy;

static void copy_rows(void *closure, i64 begin, i64 end)
{
    const copy *of = closure;
    copy_part(of->plan, of->to, of->from, begin, end, 0, of->plan->sizes[of->plan->rank - 1]);
}

static void copy_columns(void *closure, i64 left, i64 right)
{
    const copy *of = closure;
    copy_part(of->plan, of->to, of->from, 0, product(of->plan->sizes, of->plan->rank - 1), left, right);
}

void lg_copy_together(const team *team, const copy_plan *plan, void *to, const void *from)
{
    enum { LINE = 64 };  /* elements: parts write to different cache lines */
    if (plan->is_empty)
        return;
    i64 rows = product(plan->sizes, plan->rank - 1), columns = plan->sizes[plan->rank - 1];
    copy of = {plan, to, from};
    if (rows > columns || rows >= 8 * team->threads)
        lg_share(team, rows, 1, copy_rows, &of);
    else
        lg_share(team, columns, LINE, copy_columns, &of);
}

void lg_copy_array(const team *team, void *to, const array *x)
{
    i64 to_strides[MAX_RANK];
    row_major_strides(x->sizes, x->rank, to_strides);
    copy_plan plan = lg_plan_copy(itemsize_of(x->dtype), x->rank, x->sizes, to_strides, x->strides);
    lg_copy_together(team, &plan, to, x->data);
}

void lg_start_from(const team *team, const array *out, const array *base)
{
    if (out->data != base->data)
        lg_copy_array(team, out->data, base);
}
