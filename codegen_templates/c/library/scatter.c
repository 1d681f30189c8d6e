/* Writing elements through an index tensor along one axis. */
#include "addressing.h"
#include "calls.h"
#include "dtypes.h"
#include "element_walk.h"
#include "strided_copy.h"

/* Positions of Op scatter's attribute `reduce`. */
enum { SET, SUM, PROD, AMAX, AMIN };

/* A line of a scatter: element k goes to to[index[k · index_step] · axis_step + k · to_step], if the index lies in
   [first, last), counted from the start of the axis. */
typedef struct {
    i64 count, index_step, from_step, to_step;
    i64 extent, axis_step, first, last;
} scatter_line;

#define BODY "scatter_set.inc"
#include "each_size.inc"
#define BODY "scatter.inc"
#include "each_dtype.inc"

typedef void set_line(void *to, const void *from, const i64 *index, const scatter_line *line);
typedef void combine_line(void *to, const void *from, const i64 *index, const scatter_line *line, i64 reduce);
typedef void convert(void *wide, void *stored, i64 count);
static set_line *const set_line_of[] = SIZE_TABLE(set_line);
static combine_line *const combine_line_of[] = DTYPE_TABLE(combine_line);
static convert *const widen_of[] = DTYPE_TABLE(widen_all);
static convert *const narrow_of[] = DTYPE_TABLE(narrow_all);

typedef struct {
    const array *out, *source, *index;
    element_walk walk;
    i32 shared;       /* the axis that parts divide, or -1: then they divide where the values go */
    i32 outcome;
    char *total;      /* where values are combined: out, or an f32 copy of it for 16-bit floats */
    i64 total_itemsize;
    i64 reduce;
    i64 extent, axis_step;
} scatter_job;

/* Parts divide the work so that no two of them write to one place and each place sees its values in the order of the index:
   along another axis than the addressed one, or else by where the values go. */
static void scatter_part(void *closure, i64 begin, i64 end)
{
    const scatter_job *job = closure;
    element_walk walk = job->walk;
    scatter_line line = {.extent = job->extent, .axis_step = job->axis_step, .last = job->extent};
    if (job->shared >= 0)
        walk.begin[job->shared] = begin, walk.end[job->shared] = end;
    else
        line.first = begin, line.last = end;
    i32 last = walk.rank - 1;
    line.count = walk.end[last] - walk.begin[last];
    line.index_step = walk.strides[INDEX][last];
    line.from_step = walk.strides[READ][last];
    line.to_step = walk.strides[WRITTEN][last];
    i64 position[MAX_RANK + 1], at[WALKED], itemsize = itemsize_of(job->source->dtype);
    for (i32 more = first_line(&walk, position, at); more; more = next_line(&walk, position, at)) {
        char *to = job->total + at[WRITTEN] * job->total_itemsize;
        const char *from = (const char *)job->source->data + at[READ] * itemsize;
        const i64 *index = (const i64 *)job->index->data + at[INDEX];
        if (job->reduce == SET)
            set_line_of[itemsize](to, from, index, &line);
        else
            combine_line_of[job->source->dtype](to, from, index, &line, job->reduce);
    }
}

static void check_part(void *closure, i64 begin, i64 end)
{
    scatter_job *job = closure;
    if (!entries_in_range(job->index, job->extent, begin, end, 1))
        refuse(&job->outcome);
}

static void widen_part(void *closure, i64 begin, i64 end)
{
    const scatter_job *job = closure;
    const array *out = job->out;
    widen_of[out->dtype](job->total + begin * job->total_itemsize,
                         (char *)out->data + begin * itemsize_of(out->dtype), end - begin);
}

static void narrow_part(void *closure, i64 begin, i64 end)
{
    const scatter_job *job = closure;
    const array *out = job->out;
    narrow_of[out->dtype](job->total + begin * job->total_itemsize,
                          (char *)out->data + begin * itemsize_of(out->dtype), end - begin);
}

/* Each part that divides where values go walks the whole index: then there are no more of them than threads. */
static void scatter_together(const team *team, scatter_job *job)
{
    i64 extent = job->shared >= 0 ? job->walk.end[job->shared] : job->extent;
    i64 grain = job->shared >= 0 ? 1 : most((extent + team->threads - 1) / team->threads, 1);
    lg_share(team, extent, grain, scatter_part, job);
}

/* x with x[.., index[.., i, ..], ..] combined with source[.., i, ..] along an axis: inputs are x, source, which may be
   larger than the int64 index, and index. out may be x. Values for one place are combined in the order of the index,
   16-bit floats in f32. Attributes: [axis, reduce], reduce being 0 set (the last one wins), 1 sum, 2 prod, 3 amax,
   4 amin; NaN wins the last two. Refuses indices outside [0, size) before anything is written. */
i32 lg_scatter(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    enum { LINE = 32 };
    team team = working_team(all, out, inputs, count);
    const array *x = &inputs[0], *source = &inputs[1], *index = &inputs[2];
    i32 axis = x->rank ? (i32)attributes[0] : -1;
    scatter_job job = {.out = out, .source = source, .index = index, .total = out->data, .reduce = attributes[1],
                       .total_itemsize = itemsize_of(x->dtype), .extent = axis < 0 ? 1 : x->sizes[axis],
                       .axis_step = axis < 0 ? 0 : out->strides[axis]};
    lg_share(&team, element_count(index), 1, check_part, &job);
    if (job.outcome != OK)
        return REFUSED;
    lg_start_from(&team, out, x);
    if (element_count(index) == 0)
        return OK;
    i64 written[MAX_RANK];
    for (i32 a = 0; a < x->rank; a++)
        written[a] = a == axis ? 0 : out->strides[a];
    job.walk = plan_walk(index->sizes, index->rank, axis, (const i64 *[]){index->strides, source->strides, written});
    job.shared = shared_axis(&team, &job.walk, job.walk.axis);
    if (job.reduce == SET || !is_half(x->dtype)) {
        scatter_together(&team, &job);
        return OK;
    }
    job.total_itemsize = sizeof(f32);
    job.total = lg_shared_scratch(element_count(out) * job.total_itemsize);
    lg_share(&team, element_count(out), LINE, widen_part, &job);
    scatter_together(&team, &job);
    lg_share(&team, element_count(out), LINE, narrow_part, &job);
    return OK;
}
