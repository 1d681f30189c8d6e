/* The sums of a block of a correlation, before they go to its output. */
#pragma once

#include "conv_slab.h"

typedef struct {
    char *memory;
    i64 image, channel;       /* elements from one to the next */
    i64 pitch[MAX_SPATIAL];   /* elements from one output position to the next */
} sums;

/* Positions as they lie in a slab, (image, channel, position). */
sums lg_spread_sums(const arithmetic *with, const correlation *c, const slab *slab);

/* Output positions only, (channel, image, position). */
sums lg_dense_sums(const arithmetic *with, const correlation *c, i64 rows, i64 images);

i64 lg_sums_bytes(const arithmetic *with, const correlation *c, const sums *s, i64 images);

/* Stores one image of the block: its rows from first_row on, all channels of a group. */
void lg_store_sums(const arithmetic *with, const correlation *c, const sums *s, i64 index, i64 image, i64 group,
                   i64 first_row, i64 rows);
