/* Matrix products. */
#pragma once

#include "library.h"

/* Products of fewer operations run on thread 0 alone, without a barrier: meeting the others would take longer. */
enum { SERIAL_OPERATIONS = 1 << 18 };

/* Whether a product is computed by thread 0 alone: 2 · rows · columns · depth · items < SERIAL_OPERATIONS.

   For a convolution and both its gradients: items = images, rows = output channels, columns = output positions,
   depth = input channels per group · kernel positions. */
i32 lg_is_serial_product(i64 rows, i64 columns, i64 depth, i64 items);

/* out = left · right over the last two axes; leading axes broadcast. Both operands have the dtype of out: f16 and bf16
   are multiplied and summed in f32, integers wrap around, bool is refused. No attributes. */
i32 lg_matmul(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);

/* `lg_matmul` with an epilogue per row: units are the rows of out, counted through all its leading axes. */
i32 lg_matmul_epilogue(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes,
                       const epilogue *epilogue);
