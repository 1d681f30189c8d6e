/* Convolutions and their adjoints, for any number of spatial axes.

   Attributes of all three calls: spatial rank, then per spatial axis the strides, the padding before, the padding
   after, the dilations, and last the number of groups. f16 and bf16 are multiplied and summed in f32, integers wrap
   around, bool is refused. Whether thread 0 works alone: `lg_is_serial_product` in matmul.h. */
#pragma once

#include "library.h"

/* out (N, C_out, *positions) from x (N, C_in, *spatial) and weight (C_out, C_in / groups, *kernel). */
i32 lg_conv(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);

/* `lg_conv` with an epilogue per image. */
i32 lg_conv_epilogue(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes,
                     const epilogue *epilogue);

/* out (N, C_in, *spatial) from the gradient of the convolution's output, (N, C_out, *positions), and its weight. */
i32 lg_conv_input_grad(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);

/* out (C_out, C_in / groups, *kernel) from the gradient of the convolution's output and its input. */
i32 lg_conv_weight_grad(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
