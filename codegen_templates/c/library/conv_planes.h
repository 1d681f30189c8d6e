/* Correlations whose groups have very few channels, as depthwise ones. */
#pragma once

#include "conv_correlation.h"

enum { MOST_TOGETHER = 16 };

/* Whether a correlation is one of these. */
i32 lg_has_few_channels(const correlation *c);

/* Up to MOST_TOGETHER correlations that differ in their axes only, for groups [begin, end), counted through all images, on
   the calling thread. If there are several, all their steps are 1, and each computes other output positions. */
void lg_correlate_groups(const arithmetic *with, const correlation *correlations, i64 count, i64 begin, i64 end);
