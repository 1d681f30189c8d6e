/* Products of the transposed kernel with g, (in_channels · taps) × (images · positions), whose elements are then added
   to the input positions that they belong to (col2im). The kernel is read once and in the order in which it lies; for
   correlations it would be gathered in another order, which for few positions takes longer than the products. */
#include "conv_scatter.h"

#include <string.h>

#include "arrays.h"
#include "gemm_blocks.h"
#include "gemm_operands.h"

enum { PRODUCT_BYTES = 1 << 19 };  /* of a few channels: they stay in the L2 cache until they are added */

typedef struct {
    const scattered_products *s;
    i64 groups, in_channels, out_channels;  /* channels of one group */
    i64 taps, positions, columns;           /* columns: positions of all images */
    char *rows_of_g;                        /* (groups · out_channels, columns) */
} scatter_run;

static scatter_run describe(const scattered_products *s)
{
    i64 groups = s->the.groups, positions = product(s->g.sizes + 2, s->the.rank);
    return (scatter_run){
        .s = s,
        .groups = groups,
        .in_channels = s->weight.sizes[1],
        .out_channels = s->weight.sizes[0] / groups,
        .taps = product(s->weight.sizes + 2, s->the.rank),
        .positions = positions,
        .columns = s->g.sizes[0] * positions,
    };
}

i32 lg_can_scatter_products(const scattered_products *s)
{
    scatter_run run = describe(s);
    return s->the.rank > 0 && s->the.rank <= 2 && 2 * run.columns <= run.out_channels && run.columns * run.taps > 0 &&
           run.in_channels >= s->with->lanes && lg_is_stored_as_computed(s->out.dtype) &&
           is_row_major_from(&s->weight, 1) && is_row_major_from(&s->g, 2);
}

/* Output channels [begin, end) of g, counted through all groups, with the positions of all images side by side. */
static void read_g(void *closure, i64 begin, i64 end)
{
    const scatter_run *run = closure;
    const array *g = &run->s->g;
    i64 itemsize = run->s->with->itemsize;
    for (i64 channel = begin; channel < end; channel++) {
        stored from = {(char *)g->data + channel * g->strides[1] * itemsize, g->dtype, g->strides[0], 1};
        elements to = {run->rows_of_g + channel * run->columns * itemsize, run->positions};
        run->s->with->load(to, from, g->sizes[0], run->positions);
    }
}

/* Output positions [begin, end) of an axis reach input positions through a tap, the first of them `at`. */
typedef struct {
    i64 begin, end, at;
} reached;

static reached reached_by(const scatter_run *run, i32 a, i64 tap)
{
    const conv_attributes *the = &run->s->the;
    i64 stride = the->stride[a], first = tap * the->dilation[a] - the->before[a];
    i64 size = run->s->out.sizes[2 + a], positions = run->s->g.sizes[2 + a];
    i64 begin = first < 0 ? least((stride - 1 - first) / stride, positions) : 0;
    i64 end = first < size ? least((size - first + stride - 1) / stride, positions) : 0;
    return (reached){begin, most(begin, end), first + begin * stride};
}

/* Adds the products of one tap of a channel to all images; `out` is the channel's plane of the first one. */
static void add_tap(const scatter_run *run, i64 tap, const char *products, char *out)
{
    const scattered_products *s = run->s;
    i32 last = s->the.rank - 1;
    i64 width = s->weight.sizes[2 + last], line = s->g.sizes[2 + last], itemsize = s->with->itemsize;
    i64 row_stride = last ? s->out.strides[2] : 0;
    reached rows = last ? reached_by(run, 0, tap / width) : (reached){0, 1, 0};
    reached columns = reached_by(run, last, tap % width);
    steps to = {s->out.strides[0], last ? s->the.stride[0] * row_stride : 0, s->the.stride[last]};
    steps from = {run->positions, line, 1};
    i64 counts[] = {s->g.sizes[0], rows.end - rows.begin, columns.end - columns.begin};
    if (counts[1] > 0 && counts[2] > 0)
        s->with->add_at_steps(out + (rows.at * row_stride + columns.at) * itemsize, to,
                              products + (rows.begin * line + columns.begin) * itemsize, from, counts);
}

static void clear(const scatter_run *run, char *out)
{
    const array *x = &run->s->out;
    for (i64 image = 0; image < x->sizes[0]; image++)
        memset(out + image * x->strides[0] * run->s->with->itemsize, 0,
               product(x->sizes + 2, run->s->the.rank) * run->s->with->itemsize);
}

/* Input channels [begin, end) of a group. */
static void scatter_channels(const scatter_run *run, i64 group, i64 begin, i64 end, char *products, char *memory)
{
    const scattered_products *s = run->s;
    i64 itemsize = s->with->itemsize, first = group * run->out_channels;
    strided_product p = {
        .with = s->with,
        .left = {(const char *)s->weight.data + (first * s->weight.strides[0] + begin * run->taps) * itemsize, 1,
                 s->weight.strides[0]},
        .right = {run->rows_of_g + first * run->columns * itemsize, run->columns, 1},
        .rows = (end - begin) * run->taps,
        .columns = run->columns,
        .depth = run->out_channels,
        .out = products,
        .out_stride = run->columns,
    };
    lg_multiply(&p, memory, 0);
    for (i64 channel = begin; channel < end; channel++) {
        char *out = (char *)s->out.data + (group * run->in_channels + channel) * s->out.strides[1] * itemsize;
        clear(run, out);
        for (i64 tap = 0; tap < run->taps; tap++) {
            add_tap(run, tap, products, out);
            products += run->columns * itemsize;
        }
    }
}

/* Input channels [begin, end), counted through all groups, as many at a time as leave their products in the cache. */
static void scatter_part(void *closure, i64 begin, i64 end)
{
    const scatter_run *run = closure;
    const arithmetic *with = run->s->with;
    i64 channel_bytes = run->taps * run->columns * with->itemsize;
    i64 together = most(least(PRODUCT_BYTES / channel_bytes, run->in_channels), 1);
    i64 products = aligned_bytes(together * channel_bytes);
    char *memory = lg_private_scratch(
        products + lg_packing_bytes(with, together * run->taps, run->columns, run->out_channels));
    char *own = take(&memory, products);
    for (i64 channel = begin, last; channel < end; channel = last) {
        i64 group = channel / run->in_channels, first = group * run->in_channels;
        last = least(least(channel + together, end), first + run->in_channels);
        scatter_channels(run, group, channel - first, last - first, own, memory);
    }
}

void lg_scatter_products(const team *team, const scattered_products *s)
{
    scatter_run run = describe(s);
    run.rows_of_g = lg_shared_scratch(s->g.sizes[1] * run.columns * s->with->itemsize);
    lg_share(team, s->g.sizes[1], 1, read_g, &run);
    lg_share(team, run.groups * run.in_channels, 1, scatter_part, &run);
}
