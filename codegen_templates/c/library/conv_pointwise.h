/* Correlations whose kernels have one tap: plain products of matrices, with nothing copied but what those pack. */
#pragma once

#include "conv_correlation.h"

/* Whether each output position reads just the input at its own place, all operands lie ready to be multiplied, and
   images are so large that each is worth products of its own. */
i32 lg_is_pointwise(const arithmetic *with, const correlation *c);

/* `lg_correlate` for these. */
void lg_correlate_pointwise(const team *team, const arithmetic *with, const correlation *c);
