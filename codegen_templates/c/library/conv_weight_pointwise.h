/* The adjoint of a convolution in its weight where kernels have one tap: plain products of matrices. */
#pragma once

#include "conv_weight_sums.h"

/* Whether each output position reads just the input at its own place, all operands lie ready to be multiplied, and
   images are so large that each is worth products of its own. */
i32 lg_has_pointwise_weights(const weight_blocks *w);

i64 lg_pointwise_weights_bytes(const weight_blocks *w);

/* Adds one image to sums (channels, in_channels), for output channels [begin, end) of all groups. */
void lg_add_pointwise_weights(const weight_blocks *w, i64 image, i64 begin, i64 end, char *sums, char *memory);
