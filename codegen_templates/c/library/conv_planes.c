/* Each output position sums its taps where they lie in a slab of one group, which a first-level cache holds. */
#include "conv_planes.h"

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

typedef struct {
    const correlation *c;
    const arithmetic *with;
    slab slab;
    i64 rows;   /* positions of the first axis at a time */
    i64 depth;
    i32 stores_directly;
    sums sums;
    i64 *offsets;
    char *filled, *kernel;
} groups_run;

i32 lg_has_few_channels(const correlation *c)
{
    return c->rank > 0 && c->in_channels <= MOST_INPUTS && c->out_channels <= MOST_OUTPUTS;
}

static i64 slab_bytes(const groups_run *run)
{
    i64 size = run->c->in_channels * run->slab.channel_size + run->with->tile_columns;
    return aligned_bytes(size * run->with->itemsize);
}

static i32 has_dense_output(const correlation *c)
{
    for (i32 a = 0; a < c->rank; a++)
        if (c->axes[a].out_step != 1 || c->axes[a].positions != c->out.sizes[2 + a])
            return 0;
    return is_row_major_from(&c->out, 2) && lg_is_stored_as_computed(c->out.dtype);
}

static void plan(groups_run *run)
{
    run->rows = run->c->axes[0].positions;
    run->slab = lg_slab_layout(run->with, run->c, run->rows);
    while (slab_bytes(run) > SLAB_BYTES && run->rows > 1) {
        run->rows = (run->rows + 1) / 2;
        run->slab = lg_slab_layout(run->with, run->c, run->rows);
    }
    run->sums = lg_dense_sums(run->with, run->c, run->rows, 1);
}

static void take_memory(groups_run *run)
{
    i64 offsets = aligned_bytes(run->depth * (i64)sizeof(i64));
    i64 kernel = aligned_bytes(run->depth * run->with->itemsize);
    i64 sums = run->stores_directly ? 0 : lg_sums_bytes(run->with, run->c, &run->sums, 1);
    char *memory = lg_private_scratch(offsets + kernel + slab_bytes(run) + sums);
    run->offsets = take(&memory, offsets);
    run->kernel = take(&memory, kernel);
    run->filled = take(&memory, slab_bytes(run));
    run->sums.memory = take(&memory, sums);
    lg_slab_offsets(&run->slab, run->offsets);
}

/* One output channel of a group, rows [first, first + rows) of the first axis, to consecutive elements. */
static void sum_channel(const groups_run *run, i64 channel, i64 rows, char *out)
{
    const char *kernel = lg_kernel_row(run->with, run->c, channel, run->kernel);
    for (i64 plane = 0; plane < lg_slab_planes(&run->slab, rows); plane++) {
        windows w = lg_slab_windows(&run->slab, rows, plane, run->filled, run->offsets, run->depth);
        run->with->sum_windows(&w, kernel, out, w.columns);
        out += w.rows * w.columns * run->with->itemsize;
    }
}

static char *output_rows(const groups_run *run, i64 image, i64 channel, i64 first)
{
    const array *out = &run->c->out;
    i64 element = image * out->strides[0] + channel * out->strides[1];
    return (char *)out->data + (element + first * product(out->sizes + 3, run->c->rank - 1)) * run->with->itemsize;
}

static void correlate_group(const groups_run *run, i64 image, i64 group, i64 first, i64 rows)
{
    const correlation *c = run->c;
    if (run->depth > 0)
        lg_fill_slab(&run->slab, image, group, first, run->filled);
    for (i64 i = 0; i < c->out_channels; i++) {
        i64 channel = group * c->out_channels + i;
        char *sums = run->sums.memory + i * run->sums.channel * run->with->itemsize;
        sum_channel(run, channel, rows, run->stores_directly ? output_rows(run, image, channel, first) : sums);
    }
    if (!run->stores_directly)
        lg_store_sums(run->with, c, &run->sums, 0, image, group, first, rows);
}

void lg_correlate_groups(const arithmetic *with, const correlation *c, i64 begin, i64 end)
{
    groups_run run = {.c = c, .with = with, .depth = lg_correlation_depth(c), .stores_directly = has_dense_output(c)};
    i64 all = c->axes[0].positions;
    plan(&run);
    take_memory(&run);
    for (i64 index = begin; index < end; index++)
        for (i64 first = 0; first < all; first += run.rows)
            correlate_group(&run, index / c->groups, index % c->groups, first, least(all - first, run.rows));
}
