/* Running sums and products along an axis. */
#include <string.h>

#include "calls.h"
#include "dtypes.h"
#include "lines.h"

enum {
    LANES = 256,       /* lines summed side by side: their carries stay in the first-level cache */
    CHUNK = 1 << 14,   /* of a long line: its sum is carried on, so that threads can start at any chunk */
};

/* Part of a line. */
typedef struct {
    i64 length, x_step, out_step;
} stretch;

#define BODY "scan.inc"
#include "each_dtype.inc"

/* A carry of any dtype fits into 8 bytes. */
typedef void start_carry(void *carry);
typedef void add_carry(void *carry, const void *other);
typedef void sum_chunk(const stretch *s, const void *x, void *out, void *carry);
typedef void multiply_line(const stretch *s, const void *x, void *out);
typedef void scan_lanes(const stretch *s, const void *x, i64 x_lane, void *out, i64 out_lane, i64 lanes);
static start_carry *const start_carry_of[] = DTYPE_TABLE(start_carry);
static add_carry *const add_carry_of[] = DTYPE_TABLE(add_carry);
static sum_chunk *const sum_chunk_of[] = DTYPE_TABLE(sum_chunk);
static multiply_line *const multiply_line_of[] = DTYPE_TABLE(multiply_line);
static scan_lanes *const sum_lanes_of[] = DTYPE_TABLE(sum_lanes);
static scan_lanes *const multiply_lanes_of[] = DTYPE_TABLE(multiply_lanes);

typedef struct {
    const char *x;
    char *out;
    i32 dtype;
    i64 itemsize;
    lines lines;
    i32 multiplies;
    i64 width;   /* of a block of lanes */
    i64 line;    /* of those summed together */
    i64 *sums;   /* of its chunks */
} scan_job;

/* Sums the chunks [first, last) of a line from a carry on, and updates it. */
static void sum_chunks(const scan_job *job, line_start start, i64 first, i64 last, i32 stores, void *carry)
{
    const lines *l = &job->lines;
    for (i64 chunk = first; chunk < last; chunk++) {
        stretch s = {least(CHUNK, l->length - chunk * CHUNK), l->x_step, l->out_step};
        const char *x = job->x + (start.x + chunk * CHUNK * l->x_step) * job->itemsize;
        char *out = job->out + (start.out + chunk * CHUNK * l->out_step) * job->itemsize;
        sum_chunk_of[job->dtype](&s, x, stores ? out : NULL, carry);
    }
}

static i64 chunk_count(const scan_job *job)
{
    return (job->lines.length + CHUNK - 1) / CHUNK;
}

static void sum_each_chunk(void *closure, i64 begin, i64 end)
{
    const scan_job *job = closure;
    for (i64 chunk = begin; chunk < end; chunk++) {
        start_carry_of[job->dtype](&job->sums[chunk]);
        sum_chunks(job, line_at(&job->lines, job->line), chunk, chunk + 1, 0, &job->sums[chunk]);
    }
}

static void carry_on(void *closure, i64 begin, i64 end)
{
    const scan_job *job = closure;
    i64 carry;
    start_carry_of[job->dtype](&carry);
    for (i64 chunk = 0; chunk < begin; chunk++)
        add_carry_of[job->dtype](&carry, &job->sums[chunk]);
    sum_chunks(job, line_at(&job->lines, job->line), begin, end, 1, &carry);
}

/* Few long lines: their chunks are summed first, then carried on from the sum of what lies before. Sums of chunks are the
   same whoever takes them, so the result is as a lone thread's. */
static void sum_together(const team *team, scan_job *job)
{
    job->sums = lg_shared_scratch(chunk_count(job) * (i64)sizeof(i64));
    for (job->line = 0; job->line < job->lines.count; job->line++) {
        lg_share(team, chunk_count(job), 1, sum_each_chunk, job);
        lg_share(team, chunk_count(job), 1, carry_on, job);
    }
}

static void scan_lines(void *closure, i64 begin, i64 end)
{
    const scan_job *job = closure;
    const lines *l = &job->lines;
    for (i64 line = begin; line < end; line++) {
        line_start start = line_at(l, line);
        i64 carry;
        if (job->multiplies) {
            stretch s = {l->length, l->x_step, l->out_step};
            multiply_line_of[job->dtype](&s, job->x + start.x * job->itemsize, job->out + start.out * job->itemsize);
        } else {
            start_carry_of[job->dtype](&carry);
            sum_chunks(job, start, 0, chunk_count(job), 1, &carry);
        }
    }
}

static void scan_side_by_side(void *closure, i64 begin, i64 end)
{
    const scan_job *job = closure;
    const lines *l = &job->lines;
    stretch s = {l->length, l->x_step, l->out_step};
    scan_lanes *scan = job->multiplies ? multiply_lanes_of[job->dtype] : sum_lanes_of[job->dtype];
    for (i64 block = begin, line; block < end; block++) {
        i64 lanes = lane_block(l, block, job->width, &line);
        line_start start = line_at(l, line);
        scan(&s, job->x + start.x * job->itemsize, l->x_strides[l->rank - 1], job->out + start.out * job->itemsize,
             l->out_strides[l->rank - 1], lanes);
    }
}

static i32 scan(const team *all, const array *out, const array *x, i64 axis, i32 multiplies)
{
    team team = working_team(all, out, x, 1);
    if (element_count(out) == 0)
        return OK;
    scan_job job = {x->data, out->data, x->dtype, itemsize_of(x->dtype), lines_along(x, out, axis), multiplies, 0, 0, 0};
    if (has_lanes(&job.lines)) {
        job.width = lane_width(&team, &job.lines, LANES);
        lg_share(&team, lane_blocks(&job.lines, job.width), 1, scan_side_by_side, &job);
    } else if (!multiplies && job.lines.count < team.threads && job.lines.length >= 2 * CHUNK) {
        sum_together(&team, &job);
    } else {
        lg_share(&team, job.lines.count, 1, scan_lines, &job);
    }
    return OK;
}

/* The running sum along an axis; f32 is carried in f64, 16-bit floats in f32. Attributes: [axis]. */
i32 lg_cumsum(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)count;
    return scan(team, out, inputs, attributes[0], 0);
}

/* The running product, carried as in lg_cumsum; always multiplied from the start, as parts of a product that together
   make a number may be too large or too small for one. Attributes: [axis]. */
i32 lg_cumprod(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)count;
    return scan(team, out, inputs, attributes[0], 1);
}
