/* The adjoint of a convolution in its input.

   Input position i collects g at output position p times the kernel at k wherever p · stride + k · dilation − low = i.
   Positions that are equal modulo the stride meet the same elements of the kernel, and for them this is a correlation
   of g with stride 1: one for each residue, with no product wasted on the zeros that a transposed convolution would put
   between the elements of g. */
#include "calls.h"

#include "arrays.h"
#include "conv_attributes.h"
#include "conv_correlate.h"
#include "conv_planes.h"
#include "conv_scatter.h"
#include "matmul.h"

/* The axis for the input positions equal to `residue` modulo the stride. */
static correlation_axis axis_of(const conv_attributes *the, i32 a, i64 residue, i64 size, i64 kernel)
{
    i64 stride = the->stride[a], dilation = the->dilation[a], first = 0;
    i64 period = stride / greatest_common_divisor(dilation, stride), candidates = least(period, kernel);
    while (first < candidates && (residue + the->before[a] - first * dilation) % stride)
        first++;
    return (correlation_axis){
        .positions = residue < size ? (size - residue - 1) / stride + 1 : 0,
        .out_first = residue,
        .out_step = stride,
        .first = (residue + the->before[a] - first * dilation) / stride,
        .step = 1,
        .taps = first < candidates ? (kernel - first - 1) / period + 1 : 0,
        .tap_step = -(period * dilation / stride),
        .kernel_first = first,
        .kernel_step = period,
    };
}

static correlation describe(const conv_attributes *the, const array *out, const array *g, const array *weight)
{
    correlation c = {
        .rank = the->rank,
        .groups = the->groups,
        .in_channels = weight->sizes[0] / the->groups,
        .out_channels = weight->sizes[1],
        .in = *g,
        .out = *out,
        .weight = {.data = weight->data, .dtype = weight->dtype, .rank = the->rank + 3},
    };
    c.weight.strides[0] = c.in_channels * weight->strides[0];
    c.weight.strides[1] = weight->strides[1];
    c.weight.strides[2] = weight->strides[0];
    for (i32 a = 0; a < the->rank; a++)
        c.weight.strides[3 + a] = weight->strides[2 + a];
    return c;
}

/* All residues of all axes, one after another. */
typedef struct {
    const arithmetic *with;
    const conv_attributes *the;
    const array *weight;
    correlation c;  /* without its axes */
    i64 residues[MAX_SPATIAL], combinations;
} input_grad;

static correlation with_residue(const input_grad *call, i64 index)
{
    correlation c = call->c;
    for (i32 a = c.rank - 1; a >= 0; a--) {
        i64 residue = index % call->residues[a];
        c.axes[a] = axis_of(call->the, a, residue, c.out.sizes[2 + a], call->weight->sizes[2 + a]);
        index /= call->residues[a];
    }
    return c;
}

/* All residues of a group together, which read the same part of g, and meet in the same cache lines of the output. */
static void correlate_groups(void *closure, i64 begin, i64 end)
{
    const input_grad *call = closure;
    correlation residues[MOST_TOGETHER];
    for (i64 index = 0; index < call->combinations; index++)
        residues[index] = with_residue(call, index);
    if (call->combinations > 0)
        lg_correlate_groups(call->with, residues, call->combinations, begin, end);
}

static void correlate_all(const team *team, const input_grad *call)
{
    for (i64 index = 0; index < call->combinations; index++) {
        correlation c = with_residue(call, index);
        lg_correlate(team, call->with, &c);
    }
}

/* out (N, C_in, *spatial) from g (N, C_out, *positions) and weight (C_out, C_in / groups, *kernel).

   Attributes: see conv.c. */
i32 lg_conv_input_grad(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)count;
    const array *g = &inputs[0], *weight = &inputs[1];
    conv_attributes the = read_conv_attributes(attributes);
    input_grad call = {.with = lg_arithmetic_of(out->dtype), .the = &the, .weight = weight, .combinations = 1};
    if (!call.with)
        return REFUSED;
    call.c = describe(&the, out, g, weight);
    team workers = *all;
    i64 depth = product(weight->sizes + 1, the.rank + 1);
    if (lg_is_serial_product(g->sizes[1], product(g->sizes + 2, the.rank), depth, g->sizes[0]))
        workers.threads = 1;
    for (i32 a = 0; a < the.rank; a++)  /* greater residues have no position */
        call.combinations *= call.residues[a] = least(the.stride[a], out->sizes[2 + a]);
    scattered_products products = {call.with, the, *g, *weight, *out};
    if (lg_can_scatter_products(&products)) {
        lg_scatter_products(&workers, &products);
        return OK;
    }
    if (lg_has_few_channels(&call.c) && call.combinations <= MOST_TOGETHER)
        lg_share(&workers, out->sizes[0] * the.groups, 1, correlate_groups, &call);
    else
        correlate_all(&workers, &call);
    return OK;
}
