/* Each output position sums its taps where they lie in a slab of one group, which a first-level cache holds. */
#include "conv_planes.h"

#include <string.h>

#include "arrays.h"
#include "conv_slab.h"
#include "conv_sums.h"
#include "conv_weights.h"
#include "gemm_operands.h"

enum {
    MOST_INPUTS = 4,
    MOST_OUTPUTS = 2,       /* with more, a product uses what it loads more often */
    SLAB_BYTES = 24 << 10,
};

/* One of the correlations, as it reads the slab of all. */
typedef struct {
    const correlation *c;
    i64 depth;
    i64 *offsets, *kernel_offsets;
    sums sums;
    i64 pitch;  /* of the rows of its sums */
} member;

typedef struct {
    const arithmetic *with;
    correlation whole;  /* reads what any of them reads */
    slab slab;
    i64 rows;   /* positions of the first axis at a time */
    member members[MOST_TOGETHER];
    i64 count;
    i32 converts, stores_directly, interleaves;
    char *filled, *kernel;
} groups_run;

i32 lg_has_few_channels(const correlation *c)
{
    return c->rank > 0 && c->in_channels <= MOST_INPUTS && c->out_channels <= MOST_OUTPUTS;
}

static i64 reach(const correlation_axis *axis)
{
    return (axis->taps - 1) * axis->tap_step;
}

static i64 lowest_read(const correlation_axis *axis)
{
    return axis->first + least(reach(axis), 0);
}

/* An axis that reads from the lowest to the highest position that any of them reads. */
static correlation_axis united_axis(const correlation *correlations, i64 count, i32 a)
{
    correlation_axis whole = correlations[0].axes[a];
    i64 lowest = lowest_read(&whole), highest = lowest;
    for (i64 i = 0; i < count; i++) {
        const correlation_axis *axis = &correlations[i].axes[a];
        if (axis->taps == 0)
            continue;
        lowest = least(lowest, lowest_read(axis));
        highest = most(highest, axis->first + most(reach(axis), 0));
        whole.positions = most(whole.positions, axis->positions);
    }
    whole.first = lowest, whole.taps = highest - lowest + 1, whole.tap_step = 1;
    return whole;
}

static i64 slab_bytes(const groups_run *run)
{
    i64 size = run->whole.in_channels * run->slab.channel_size + run->with->tile_columns;
    return aligned_bytes(size * run->with->itemsize);
}

static void plan_slab(groups_run *run, const correlation *correlations)
{
    run->whole = correlations[0];
    for (i32 a = 0; run->count > 1 && a < run->whole.rank; a++)
        run->whole.axes[a] = united_axis(correlations, run->count, a);
    run->rows = run->whole.axes[0].positions;
    run->slab = lg_slab_layout(run->with, &run->whole, run->rows);
    while (slab_bytes(run) > SLAB_BYTES && run->rows > 1) {
        run->rows = (run->rows + 1) / 2;
        run->slab = lg_slab_layout(run->with, &run->whole, run->rows);
    }
}

/* Where the taps' elements lie in the kernel of one output channel; `offset` is that of the axes before a. */
static i64 *kernel_offsets_from(const correlation *c, i32 a, i64 offset, i64 *next)
{
    if (a == c->rank) {
        *next = offset;
        return next + 1;
    }
    for (i64 tap = 0; tap < c->axes[a].taps; tap++) {
        i64 element = c->axes[a].kernel_first + tap * c->axes[a].kernel_step;
        next = kernel_offsets_from(c, a + 1, offset + element * c->weight.strides[3 + a], next);
    }
    return next;
}

static void fill_kernel_offsets(const groups_run *run, member *m)
{
    i64 *next = m->kernel_offsets;
    for (i64 channel = 0; channel < m->c->in_channels && !run->converts; channel++)
        next = kernel_offsets_from(m->c, 0, channel * m->c->weight.strides[2], next);
    for (i64 k = 0; k < m->depth && run->converts; k++)
        m->kernel_offsets[k] = k;
}

/* The taps' offsets in the slab of all, which may begin before the slab that this one alone would have. */
static void fill_offsets(const groups_run *run, member *m)
{
    slab own = run->slab;
    i64 shift = 0;
    own.correlation = m->c;
    for (i32 a = 0; a < m->c->rank; a++)
        shift += (lowest_read(&m->c->axes[a]) - run->slab.axes[a].lowest) * run->slab.axes[a].pitch;
    if (m->depth > 0)
        lg_slab_offsets(&own, m->offsets);
    for (i64 k = 0; k < m->depth; k++)
        m->offsets[k] += shift;
}

/* Sums that are interleaved lie in whole vectors. */
static i64 plan_sums(const groups_run *run, member *m)
{
    i64 rows = least(run->rows, m->c->axes[0].positions);
    m->pitch = m->c->rank > 1 ? m->c->axes[m->c->rank - 1].positions : rows;
    if (run->stores_directly)
        return 0;
    m->sums = lg_dense_sums(run->with, m->c, rows, 1);
    if (run->interleaves) {
        m->pitch = aligned_to(m->pitch, run->with->lanes);
        m->sums.channel = rows * m->pitch;
        return aligned_bytes((m->c->out_channels * m->sums.channel + run->with->lanes) * run->with->itemsize);
    }
    return lg_sums_bytes(run->with, m->c, &m->sums, 1);
}

static void plan_members(groups_run *run, const correlation *correlations)
{
    i64 depth = 0, deepest = 0, bytes = 0;
    for (i64 i = 0; i < run->count; i++) {
        member *m = &run->members[i];
        *m = (member){.c = &correlations[i], .depth = lg_correlation_depth(&correlations[i])};
        depth += m->depth, deepest = most(deepest, m->depth);
        bytes = most(bytes, plan_sums(run, m));
    }
    i64 offsets = aligned_bytes(depth * (i64)sizeof(i64)), kernel = aligned_bytes(deepest * run->with->itemsize);
    char *memory = lg_private_scratch(2 * offsets + kernel + slab_bytes(run) + 2 * bytes);
    i64 *next = take(&memory, offsets), *next_in_kernel = take(&memory, offsets);
    run->kernel = take(&memory, kernel);
    run->filled = take(&memory, slab_bytes(run));
    for (i64 i = 0; i < run->count; i++) {
        member *m = &run->members[i];
        m->offsets = next, m->kernel_offsets = next_in_kernel, m->sums.memory = memory + i % 2 * bytes;
        next += m->depth, next_in_kernel += m->depth;
        fill_offsets(run, m);
        fill_kernel_offsets(run, m);
    }
}

static i32 has_dense_output(const correlation *c)
{
    for (i32 a = 0; a < c->rank; a++)
        if (c->axes[a].out_step != 1 || c->axes[a].positions != c->out.sizes[2 + a])
            return 0;
    return is_row_major_from(&c->out, 2) && lg_is_stored_as_computed(c->out.dtype);
}

/* Whether members are pairs, whose columns take turns in rows of the output. */
static i32 are_pairs(const correlation *correlations, i64 count)
{
    const correlation *c = &correlations[0];
    return count > 1 && c->rank == 2 && c->axes[1].out_step == 2 && c->out.sizes[3] > 1 &&
           is_row_major_from(&c->out, 2) && lg_is_stored_as_computed(c->out.dtype);
}

/* The kernel of one output channel of a group. */
static const char *kernel_of(const groups_run *run, const member *m, i64 group, i64 i)
{
    const array *weight = &m->c->weight;
    if (run->converts)
        return lg_kernel_row(run->with, m->c, group * m->c->out_channels + i, run->kernel);
    i64 element = group * weight->strides[0] + i * weight->strides[1];
    return (const char *)weight->data + element * run->with->itemsize;
}

static void sum_channel(const groups_run *run, const member *m, const char *kernel, i64 rows, char *out)
{
    slab own = run->slab;
    own.correlation = m->c;
    for (i64 plane = 0, planes = lg_slab_planes(&own, rows); plane < planes; plane++) {
        windows w = lg_slab_windows(&own, rows, plane, run->filled, m->offsets, m->depth);
        w.kernel_offsets = m->kernel_offsets;
        lg_windows_of(run->with)->sum(&w, kernel, out, run->interleaves ? m->pitch : w.columns);
        out += w.rows * w.columns * run->with->itemsize;
    }
}

/* Where row `row` of an output plane begins. */
static char *output_row(const groups_run *run, i64 image, i64 channel, i64 row)
{
    const array *out = &run->whole.out;
    i64 element = image * out->strides[0] + channel * out->strides[1];
    return (char *)out->data + (element + row * product(out->sizes + 3, run->whole.rank - 1)) * run->with->itemsize;
}

static char *sums_of(const groups_run *run, const member *m, i64 i)
{
    return m->sums.memory + i * m->sums.channel * run->with->itemsize;
}

static void correlate_member(const groups_run *run, const member *m, i64 image, i64 group, i64 first, i64 rows)
{
    for (i64 i = 0; i < m->c->out_channels; i++) {
        char *out = run->stores_directly ? output_row(run, image, group * m->c->out_channels + i, first)
                                         : sums_of(run, m, i);
        sum_channel(run, m, kernel_of(run, m, group, i), rows, out);
    }
    if (!run->stores_directly && !run->interleaves)
        lg_store_sums(run->with, m->c, &m->sums, 0, image, group, first, rows);
}

static void store_pair(const groups_run *run, const member *even, i64 image, i64 group, i64 first, i64 rows)
{
    const member *odd = even + 1;
    const correlation_axis *axis = &even->c->axes[0];
    i64 columns = run->whole.out.sizes[3];
    for (i64 i = 0; i < even->c->out_channels; i++) {
        char *out = output_row(run, image, group * even->c->out_channels + i, axis->out_first + first * axis->out_step);
        run->with->interleave((elements){out, axis->out_step * columns}, (elements){sums_of(run, even, i), even->pitch},
                              (elements){sums_of(run, odd, i), odd->pitch}, rows, columns);
    }
}

/* Rows [first, first + run->rows) of one group, of all members. */
static void correlate_group(const groups_run *run, const slab_copies *copies, i64 image, i64 group, i64 first)
{
    if (copies->count)
        lg_copy_to_slab(&run->slab, copies, image, group, run->filled);
    else
        lg_fill_slab(&run->slab, image, group, first, run->filled);
    for (i64 i = 0; i < run->count; i++) {
        i64 rows = least(run->members[i].c->axes[0].positions - first, run->rows);
        if (rows <= 0)
            continue;
        correlate_member(run, &run->members[i], image, group, first, rows);
        if (run->interleaves && i % 2)
            store_pair(run, &run->members[i - 1], image, group, first, rows);
    }
}

void lg_correlate_groups(const arithmetic *with, const correlation *correlations, i64 count, i64 begin, i64 end)
{
    groups_run run = {.with = with, .count = count};
    run.converts = !lg_is_stored_as_computed(correlations[0].weight.dtype);
    run.stores_directly = count == 1 && has_dense_output(&correlations[0]);
    run.interleaves = are_pairs(correlations, count);
    plan_slab(&run, correlations);
    plan_members(&run, correlations);
    i64 all = run.whole.axes[0].positions, groups = run.whole.groups, planned = -1;
    slab_copies copies = {0};
    for (i64 index = begin; index < end; index++)
        for (i64 first = 0; first < all; first += run.rows) {
            if (first != planned) {
                copies = lg_plan_slab_copies(&run.slab, first);
                memset(run.filled, 0, slab_bytes(&run));
            }
            planned = first;
            correlate_group(&run, &copies, index / groups, index % groups, first);
        }
}
