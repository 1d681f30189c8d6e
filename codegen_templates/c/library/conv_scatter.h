/* The adjoint of a convolution in its input where there are few positions and many channels. */
#pragma once

#include "conv_attributes.h"
#include "gemm.h"

typedef struct {
    const arithmetic *with;
    conv_attributes the;
    array g, weight, out;
} scattered_products;

/* Whether it is worth it, and all operands lie ready. */
i32 lg_can_scatter_products(const scattered_products *s);

void lg_scatter_products(const team *team, const scattered_products *s);
