/* The adjoint of sliding windows. */
#include "arrays.h"
#include "calls.h"
#include "dtypes.h"

enum { COLUMN_BLOCK = 1024 };  /* outputs summed at a time */

/* Window o adds its value k to position o · stride + k · dilation of each spatial axis. */
typedef struct {
    i32 rank;  /* spatial axes */
    const i64 *size, *stride, *dilation;
    const i64 *counts;                      /* windows per axis */
    const i64 *window_strides, *tap_strides; /* of g, over windows and over their values */
} windows;

/* The last axis: columns [first, last) of a row of the output. */
typedef struct {
    i64 first, last;
} columns;

#define BODY "windows_adjoint.inc"
#include "each_dtype.inc"

typedef void start_sums(void *total, i64 count);
typedef void add_windows(const windows *w, const columns *c, const void *g, void *total);
typedef void store_sums(void *out, const void *total, i64 count);
static start_sums *const start_sums_of[] = DTYPE_TABLE(start_sums);
static add_windows *const add_windows_of[] = DTYPE_TABLE(add_windows);
static store_sums *const store_sums_of[] = DTYPE_TABLE(store_sums);

/* Sums everything that windows add to some columns of one row; `place` is the row's position along the other spatial
   axes, g the windows of its plane. */
static void sum_columns(const windows *w, const i64 *place, const columns *c, const char *g, i32 dtype, void *total)
{
    i64 offset[MAX_RANK] = {0}, itemsize = itemsize_of(dtype);
    i32 last = w->rank - 1, axis;
    do {
        i64 address = 0, is_outside = 0;
        for (i32 a = 0; a < last; a++) {
            i64 start = place[a] - offset[a] * w->dilation[a], window = start / w->stride[a];
            is_outside |= start < 0 || start % w->stride[a] != 0 || window >= w->counts[a];
            address += window * w->window_strides[a] + offset[a] * w->tap_strides[a];
        }
        if (!is_outside)
            add_windows_of[dtype](w, c, g + address * itemsize, total);
        for (axis = last - 1; axis >= 0 && ++offset[axis] == w->size[axis]; axis--)
            offset[axis] = 0;
    } while (axis >= 0);
}

typedef struct {
    windows windows;
    const array *out, *g;
    i32 lead;
} adjoint_call;

static i64 column_blocks(const array *out)
{
    return (out->sizes[out->rank - 1] + COLUMN_BLOCK - 1) / COLUMN_BLOCK;
}

static void sum_part(void *closure, i64 begin, i64 end)
{
    const adjoint_call *call = closure;
    const windows *w = &call->windows;
    const array *out = call->out, *g = call->g;
    _Alignas(64) char total[COLUMN_BLOCK * sizeof(i64)];
    i32 last = out->rank - 1;
    i64 itemsize = itemsize_of(out->dtype), width = out->sizes[last], blocks = column_blocks(out);
    for (i64 part = begin; part < end; part++) {
        columns c = {part % blocks * COLUMN_BLOCK, least(width, (part % blocks + 1) * COLUMN_BLOCK)};
        i64 place[MAX_RANK], rest = part / blocks, address = 0;
        for (i32 axis = last - 1; axis >= 0; axis--) {
            i64 position = rest % out->sizes[axis];
            rest /= out->sizes[axis];
            if (axis >= call->lead)
                place[axis - call->lead] = position;
            else
                address += position * g->strides[axis];
        }
        start_sums_of[out->dtype](total, c.last - c.first);
        if (product(w->size, w->rank))
            sum_columns(w, place, &c, (const char *)g->data + address * itemsize, out->dtype, total);
        store_sums_of[out->dtype]((char *)out->data + (part / blocks * width + c.first) * itemsize, total,
                                  c.last - c.first);
    }
}

/* Windows' values added where the windows read them: the input is (*lead, *windows, *size), out (*lead, *spatial).
   Attributes: [spatial rank, size…, stride…, dilation…]. Each element is summed in one part, over the windows' values
   in row-major order; 16-bit floats in f32. */
i32 lg_windows_adjoint(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    if (element_count(out) == 0)
        return OK;
    const array *g = &inputs[0];
    i32 rank = (i32)attributes[0], lead = out->rank - rank;
    const i64 *a = attributes + 1;
    adjoint_call call = {{rank, a, a + rank, a + 2 * rank, g->sizes + lead, g->strides + lead,
                          g->strides + lead + rank}, out, g, lead};
    lg_share(&team, element_count(out) / out->sizes[out->rank - 1] * column_blocks(out), 1, sum_part, &call);
    return OK;
}
