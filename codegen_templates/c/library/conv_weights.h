/* The kernel of a correlation, as the left operand of its products. */
#pragma once

#include "conv_correlation.h"

/* Blocks of depth of each group: packed, or where they lie. */
typedef struct {
    const correlation *correlation;
    const char *memory;
    i64 itemsize;
    i64 block_bytes, group_bytes;  /* from one to the next, if they are packed */
    i64 row_stride;                /* in elements if they are not, else 0 */
} kernel_blocks;

i64 lg_kernel_blocks_bytes(const arithmetic *with, const correlation *c);

/* The kernel of one output channel, counted through all groups, as elements (in_channels, taps of axis 0, …): where it
   lies, or copied into memory for that many. */
const char *lg_kernel_row(const arithmetic *with, const correlation *c, i64 channel, char *memory);

/* Packs them with a team, into memory of that size. */
kernel_blocks lg_pack_kernel(const team *team, const arithmetic *with, const correlation *c, char *memory);

/* The left operand of the products of one block of depth. */
const char *lg_kernel_block(const kernel_blocks *blocks, i64 group, i64 b);
