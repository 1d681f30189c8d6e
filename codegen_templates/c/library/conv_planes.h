/* Correlations whose groups have very few channels, as depthwise ones. */
#pragma once

#include "conv_correlation.h"

#pragma GCC visibility push(hidden)

/* Whether a correlation is one of these. */
i32 lg_has_few_channels(const correlation *c);

/* Groups [begin, end), counted through all images, on the calling thread. */
void lg_correlate_groups(const arithmetic *with, const correlation *c, i64 begin, i64 end);

#pragma GCC visibility pop
