/* The ready-made calls plans may use; each one's attributes are described where it is defined. */
#pragma once

#include "library.h"

i32 lg_matmul(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_attend(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_attend_gradients(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_recur(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_recur_gradients(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_ctc(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_ctc_gradients(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_conv(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_conv_input_grad(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_conv_weight_grad(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_pool_argmax(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_windows_adjoint(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_take(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_put(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_gather(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_scatter(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_concat(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_roll(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_update_view(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_read_view(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_reinterpret(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_iota(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_argmax(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_argmin(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_argsort(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_cumsum(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_cumprod(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_cummax_index(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);
i32 lg_philox(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);

/* The same, with a kernel that is run on each part of the output (rows of a product, images or channels of a convolution) as soon
   as the part is finished, by the thread that finished it. */
i32 lg_matmul_epilogue(
    const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes, const epilogue *then);
i32 lg_conv_epilogue(
    const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes, const epilogue *then);
