/* Correlations, each in the way that suits its shape. */
#pragma once

#include "conv_correlation.h"

/* Positions of out that are not computed stay as they are. */
void lg_correlate(const team *team, const arithmetic *with, const correlation *c);
