/* Operands converted to the type they are computed in, each element once however often it is broadcast. */
#include "gemm_operands.h"

/* Axes along which nothing changes are walked once. */
static i64 distinct(const array *x, i32 axis)
{
    return x->strides[axis] ? x->sizes[axis] : least(x->sizes[axis], 1);
}

static i64 distinct_elements(const array *x)
{
    i64 count = 1;
    for (i32 axis = 0; axis < x->rank; axis++)
        count *= distinct(x, axis);
    return count;
}

i64 lg_converted_bytes(const arithmetic *with, const array *x)
{
    return lg_is_stored_as_computed(x->dtype) ? 0 : aligned_bytes(distinct_elements(x) * with->itemsize);
}

/* The axis whose elements lie side by side, or the last one. */
static i32 innermost_axis(const array *x)
{
    for (i32 axis = x->rank - 1; axis >= 0; axis--)
        if (x->strides[axis] == 1 && x->sizes[axis] > 1)
            return axis;
    return x->rank - 1;
}

/* Row-major strides, but with the innermost axis of the source last. */
static array converted_layout(const array *x, i32 inner, void *memory)
{
    array result = *x;
    i64 step = distinct(x, inner);
    result.data = memory;
    for (i32 axis = x->rank - 1; axis >= 0; axis--) {
        i64 size = distinct(x, axis);
        if (axis == inner) {
            result.strides[axis] = size > 1;
        } else {
            result.strides[axis] = size > 1 ? step : 0;
            step *= size;
        }
    }
    return result;
}

typedef struct {
    const arithmetic *with;
    const array *x;
    i32 inner;
    i64 run;
    char *memory;
} conversion;

static void convert_rows(void *closure, i64 begin, i64 end)
{
    const conversion *c = closure;
    const array *x = c->x;
    for (i64 row = begin; row < end; row++) {
        i64 source = 0, rest = row;
        for (i32 axis = x->rank - 1; axis >= 0; axis--) {
            if (axis == c->inner)
                continue;
            source += rest % distinct(x, axis) * x->strides[axis];
            rest /= distinct(x, axis);
        }
        stored from = {(char *)x->data + source * itemsize_of(x->dtype), x->dtype, 0, x->strides[c->inner]};
        c->with->load((elements){c->memory + row * c->run * c->with->itemsize, 0}, from, 1, c->run);
    }
}

array lg_convert(const team *team, const arithmetic *with, const array *x, void *memory)
{
    if (lg_is_stored_as_computed(x->dtype))
        return *x;
    i32 inner = innermost_axis(x);
    conversion c = {with, x, inner, distinct(x, inner), memory};
    lg_share(team, c.run ? distinct_elements(x) / c.run : 0, 1, convert_rows, &c);
    return converted_layout(x, inner, memory);
}
