/* Data movements that need a copy: joining, strided views of flat memory, counting. */
#include "calls.h"
#include "dtypes.h"
#include "strided_copy.h"

#define BODY "layout.inc"
#include "each_dtype.inc"

typedef void count_up(void *to, i64 begin, i64 end);
static count_up *const count_up_of[] = DTYPE_TABLE(count_up);

static void count_part(void *closure, i64 begin, i64 end)
{
    const array *out = closure;
    count_up_of[out->dtype](out->data, begin, end);
}

/* 0, 1, … in out's dtype, which has rank 1. No inputs, no attributes. */
i32 lg_iota(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    enum { LINE = 64 };
    (void)attributes;
    team team = working_team(all, out, inputs, count);
    lg_share(&team, element_count(out), LINE, count_part, (void *)out);
    return OK;
}

/* The inputs, of one dtype, one after another along an axis. Attributes: [axis]. */
i32 lg_concat(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    i64 itemsize = itemsize_of(out->dtype), axis = attributes[0], done = 0;
    for (i32 i = 0; i < count; i++) {
        const array *part = &inputs[i];
        copy_plan plan = lg_plan_copy(itemsize, part->rank, part->sizes, out->strides, part->strides);
        lg_copy_together(&team, &plan, (char *)out->data + done * out->strides[axis] * itemsize, part->data);
        done += part->sizes[axis];
    }
    return OK;
}

/* x moved along an axis by a number, the second input, with its ends joined. Attributes: [axis, whether towards the front]. */
i32 lg_roll(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)count;
    const array *x = &inputs[0];
    i64 axis = attributes[0], size = x->sizes[axis], itemsize = itemsize_of(x->dtype);
    if (!size)
        return OK;
    i64 distance = *(const i64 *)inputs[1].data % size, cut = attributes[1] ? distance : -distance;
    cut += cut < 0 ? size : 0;
    array ends[] = {*x, *x};
    ends[0].data = (char *)x->data + cut * x->strides[axis] * itemsize;
    ends[0].sizes[axis] = size - cut;
    ends[1].sizes[axis] = cut;
    return lg_concat(all, out, ends, 2, attributes);
}

/* The attributes [rank, sizes…, strides…, offset] of a view of flat memory. */
typedef struct {
    i32 rank;
    const i64 *sizes, *strides;
    i64 offset;
} view;

/* A number, the input after the first ``arrays``, is added to the offset. */
static view view_of(const i64 *attributes, const array *inputs, i32 count, i32 arrays)
{
    i64 rank = attributes[0], shift = count > arrays ? *(const i64 *)inputs[arrays].data : 0;
    return (view){(i32)rank, attributes + 1, attributes + 1 + rank, attributes[1 + 2 * rank] + shift};
}

/* Whether each stride is longer than everything that the shorter ones reach, so that no element is named twice. */
static i32 names_elements_once(const view *v)
{
    i64 reached = 0;
    i32 is_used[MAX_RANK] = {0};
    for (i32 n = 0; n < v->rank; n++) {
        i32 next = -1;
        for (i32 axis = 0; axis < v->rank; axis++)
            if (!is_used[axis] && (next < 0 || magnitude(v->strides[axis]) < magnitude(v->strides[next])))
                next = axis;
        is_used[next] = 1;
        if (v->sizes[next] == 1)
            continue;
        if (magnitude(v->strides[next]) <= reached)
            return 0;
        reached += magnitude(v->strides[next]) * (v->sizes[next] - 1);
    }
    return 1;
}

/* base with the elements of a strided view of it replaced: inputs are base and the values, in the shape of the view.
   out may be base. A third input, a number, is added to the offset. Attributes: [rank of the view, sizes…, strides…, offset], in elements of base as if row-major. */
i32 lg_update_view(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    const array *base = &inputs[0], *values = &inputs[1];
    lg_start_from(&team, out, base);
    view v = view_of(attributes, inputs, count, 2);
    if (!names_elements_once(&v))  /* parts might write to one element */
        team.threads = 1;
    i64 itemsize = itemsize_of(out->dtype);
    copy_plan plan = lg_plan_copy(itemsize, v.rank, v.sizes, v.strides, values->strides);
    lg_copy_together(&team, &plan, (char *)out->data + v.offset * itemsize, values->data);
    return OK;
}

/* The elements of a strided view of base, in row-major order. Attributes and a number as of lg_update_view. */
i32 lg_read_view(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    const array *base = &inputs[0];
    i64 itemsize = itemsize_of(out->dtype);
    const char *memory = base->data;
    if (!is_row_major(base)) {
        char *flat = lg_shared_scratch(element_count(base) * itemsize);
        lg_copy_array(&team, flat, base);
        memory = flat;
    }
    view v = view_of(attributes, inputs, count, 1);
    copy_plan plan = lg_plan_copy(itemsize, v.rank, v.sizes, out->strides, v.strides);
    lg_copy_together(&team, &plan, out->data, memory + v.offset * itemsize);
    return OK;
}

/* The bytes of x, whatever they are called: its elements in row-major order. No attributes. */
i32 lg_reinterpret(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)attributes;
    team team = working_team(all, out, inputs, count);
    lg_copy_array(&team, out->data, &inputs[0]);
    return OK;
}
