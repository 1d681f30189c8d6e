/* Positions of the maxima of sliding windows. */
#include "arrays.h"
#include "calls.h"
#include "dtypes.h"

enum { SPATIAL_MAX = MAX_RANK, COLUMN_BLOCK = 512 };

/* Window o reads, at offset k, position o · stride + k · dilation - low of each spatial axis. */
typedef struct {
    i32 rank;  /* spatial axes */
    const i64 *size, *stride, *low, *dilation;
    const i64 *extent, *x_strides;  /* of x's spatial axes */
    const i64 *counts;              /* windows per axis */
} pooling;

/* A run of windows along the last axis, at one offset of the other axes. */
typedef struct {
    i64 first, count;             /* windows */
    i64 inner_first, inner_last;  /* those, counted from the first, that read no padding along the last axis */
    i64 position;                 /* in the plane, of the row read */
} window_run;

#define BODY "pool_argmax.inc"
#include "each_dtype.inc"

typedef void start_run(void *best, i64 count);
typedef void visit_row(const pooling *p, const window_run *run, const void *row, void *best, i32 *winners);
static start_run *const start_run_of[] = DTYPE_TABLE(start_run);
static visit_row *const visit_row_of[] = DTYPE_TABLE(visit_row);

static window_run run_of(const pooling *p, i64 first, i64 count)
{
    i32 last = p->rank - 1;
    i64 stride = p->stride[last], start = first * stride - p->low[last];
    i64 room = p->extent[last] - 1 - (p->size[last] - 1) * p->dilation[last] - start;  /* for the last start inside */
    i64 low = least(count, start >= 0 ? 0 : (-start + stride - 1) / stride);
    i64 high = room < 0 ? 0 : least(count, room / stride + 1);
    return (window_run){.first = first, .count = count, .inner_first = low, .inner_last = most(low, high)};
}

/* The first offset at which a window that starts at `start` reads an element and not padding. */
static i64 first_inside(i64 start, i64 dilation)
{
    return start >= 0 ? 0 : (-start + dilation - 1) / dilation;
}

/* The position of the first element that a window reads in its first row, which is at `outer`; 0 if there is none. */
static i32 first_winner(const pooling *p, i64 window, i64 outer)
{
    i32 last = p->rank - 1;
    i64 start = window * p->stride[last] - p->low[last], k = first_inside(start, p->dilation[last]);
    i64 at = start + k * p->dilation[last];
    return k >= p->size[last] || at >= p->extent[last] ? 0 : (i32)(outer + at);
}

/* Winners if all windows of the run were full of the lowest value: the first element each reads. Where it reads nothing
   but padding, that is position 0, as whatever else is found lies later. */
static void start_winners(const pooling *p, const i64 *starts, const window_run *run, i32 *winners)
{
    i32 last = p->rank - 1;
    i64 outer = 0, is_padding = 0;
    for (i32 a = 0; a < last; a++) {
        i64 k = first_inside(starts[a], p->dilation[a]), at = starts[a] + k * p->dilation[a];
        is_padding |= k >= p->size[a] || at >= p->extent[a];
        outer = (outer + at) * p->extent[a + 1];
    }
    for (i64 w = 0; w < run->inner_first; w++)
        winners[w] = is_padding ? 0 : first_winner(p, run->first + w, outer);
    for (i64 w = run->inner_first; w < run->inner_last; w++)
        winners[w] = is_padding ? 0 : (i32)(outer + (run->first + w) * p->stride[last] - p->low[last]);
    for (i64 w = run->inner_last; w < run->count; w++)
        winners[w] = is_padding ? 0 : first_winner(p, run->first + w, outer);
}

/* Visits the rows that a run of windows reads, in row-major order of the offsets. */
static void search_windows(const pooling *p, const i64 *starts, window_run run, const char *plane, i32 dtype,
                           void *best, i32 *winners)
{
    i64 offset[SPATIAL_MAX] = {0}, itemsize = itemsize_of(dtype);
    i32 last = p->rank - 1, axis;
    do {
        i64 address = 0, is_padding = 0;
        run.position = 0;
        for (i32 a = 0; a < last; a++) {
            i64 at = starts[a] + offset[a] * p->dilation[a];
            is_padding |= (u64)at >= (u64)p->extent[a];
            address += at * p->x_strides[a];
            run.position = (run.position + at) * p->extent[a + 1];
        }
        if (!is_padding)
            visit_row_of[dtype](p, &run, plane + address * itemsize, best, winners);
        for (axis = last - 1; axis >= 0 && ++offset[axis] == p->size[axis]; axis--)
            offset[axis] = 0;
    } while (axis >= 0);
}

/* The windows of one row of the output, in runs that stay in the cache. */
static void search_row(const pooling *p, const i64 *starts, const char *plane, i32 dtype, i64 *out)
{
    _Alignas(64) char best[COLUMN_BLOCK * sizeof(i64)];
    _Alignas(64) i32 winners[COLUMN_BLOCK];
    i64 columns = p->counts[p->rank - 1];
    for (i64 first = 0; first < columns; first += COLUMN_BLOCK) {
        window_run run = run_of(p, first, least(COLUMN_BLOCK, columns - first));
        start_run_of[dtype](best, run.count);
        start_winners(p, starts, &run, winners);
        search_windows(p, starts, run, plane, dtype, best, winners);
        for (i64 w = 0; w < run.count; w++)
            out[first + w] = winners[w];
    }
}

typedef struct {
    pooling pooling;
    const array *out, *x;
    i32 lead;
} pool_call;

static void search_rows(void *closure, i64 begin, i64 end)
{
    const pool_call *call = closure;
    const pooling *p = &call->pooling;
    const array *x = call->x;
    i64 columns = p->counts[p->rank - 1];
    for (i64 row = begin; row < end; row++) {
        i64 starts[SPATIAL_MAX], rest = row, address = 0;
        for (i32 axis = p->rank - 2; axis >= 0; axis--) {
            starts[axis] = rest % p->counts[axis] * p->stride[axis] - p->low[axis];
            rest /= p->counts[axis];
        }
        for (i32 axis = call->lead - 1; axis >= 0; axis--) {
            address += rest % x->sizes[axis] * x->strides[axis];
            rest /= x->sizes[axis];
        }
        const char *plane = (const char *)x->data + address * itemsize_of(x->dtype);
        search_row(p, starts, plane, x->dtype, (i64 *)call->out->data + row * columns);
    }
}

/* The position, in row-major elements of an unpadded plane, of the first maximum of each window, or of its last NaN if
   there is one, as PyTorch has it: the input is (*lead, *spatial), out (*lead, *windows), int64. Attributes:
   [spatial rank, size…, stride…, low padding…, high padding…, dilation…]; padding is never the maximum. */
i32 lg_pool_argmax(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    if (element_count(out) == 0)
        return OK;
    const array *x = &inputs[0];
    i32 rank = (i32)attributes[0], lead = x->rank - rank;
    const i64 *a = attributes + 1;
    pool_call call = {{rank, a, a + rank, a + 2 * rank, a + 4 * rank, x->sizes + lead, x->strides + lead,
                       out->sizes + lead}, out, x, lead};
    if (product(call.pooling.extent, rank) > 0x7FFFFFFF)
        return REFUSED;  /* winners are kept as 32-bit positions */
    lg_share(&team, element_count(out) / out->sizes[out->rank - 1], 1, search_rows, &call);
    return OK;
}
