/* Convolutions and their adjoints, for any number of spatial axes.

   Attributes of lg_conv, lg_conv_input_grad and lg_conv_weight_grad: spatial rank, then per spatial axis the strides,
   the padding before, the padding after, the dilations, and last the number of groups. f16 and bf16 are multiplied and
   summed in f32, integers wrap around, bool is refused. Whether one thread works alone: `lg_is_serial_product`. */
#include "calls.h"

#include "arrays.h"
#include "conv_correlate.h"
#include "matmul.h"

/* out (N, C_out, *positions) from x (N, C_in, *spatial) and weight (C_out, C_in / groups, *kernel).

   The epilogue's units are images, or the channels of all images if there are that many of them. */
i32 lg_conv_epilogue(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes,
                     const epilogue *epilogue)
{
    (void)count;
    const arithmetic *with = lg_arithmetic_of(out->dtype);
    if (!with)
        return REFUSED;
    correlation c = lg_describe_conv(out, &inputs[0], &inputs[1], attributes);
    c.epilogue = epilogue;
    team workers = *all;
    if (lg_is_serial_product(out->sizes[1], lg_correlation_positions(&c), lg_correlation_depth(&c), out->sizes[0]))
        workers.threads = 1;
    lg_correlate(&workers, with, &c);
    return OK;
}

i32 lg_conv(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    return lg_conv_epilogue(team, out, inputs, count, attributes, 0);
}
