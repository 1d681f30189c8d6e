/* Correlations as products of the kernel with the windows of a slab, block after block. */
#pragma once

#include "conv_correlation.h"

/* Computes a correlation that has outputs, and runs its epilogue. */
void lg_correlate_blocks(const team *team, const arithmetic *with, const correlation *c);
