/* The kernel of a correlation, packed as the left operand of its products. */
#pragma once

#include "conv_correlation.h"

typedef struct {
    i64 block_bytes;  /* from one block of depth to the next */
    i64 group_bytes;
    char *memory;
} packed_weights;

#pragma GCC visibility push(hidden)

i64 lg_packed_weights_bytes(const arithmetic *with, const correlation *c);

/* The kernel of one output channel, counted through all groups, as elements (in_channels, taps of axis 0, …): where it
   lies, or copied into memory for that many. */
const char *lg_kernel_row(const arithmetic *with, const correlation *c, i64 channel, char *memory);

/* Packs them with a team, into memory of that size. */
packed_weights lg_pack_weights(const team *team, const arithmetic *with, const correlation *c, char *memory);

#pragma GCC visibility pop
