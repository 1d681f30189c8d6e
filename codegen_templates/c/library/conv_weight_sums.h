/* Blocks of the adjoint of a convolution in its weight: the input with channels last, and g beside it. */
#pragma once

#include "arrays.h"
#include "conv_attributes.h"
#include "conv_correlation.h"

/* Of one convolution; the layout is that of blocks of images, or of rows (positions of the first axis) of one image. */
typedef struct {
    const arithmetic *with;
    conv_attributes the;
    array g, x, out;
    i64 in_channels, out_channels;  /* per group */
    i64 images, rows;               /* in a block, at most */
    i64 row_positions;              /* output positions of one row */
    i64 extent[MAX_SPATIAL];        /* of an image's slab: padded input positions, channels last */
    i64 pitch[MAX_SPATIAL];         /* elements from one slab position to the next */
    i64 slab_size;
} weight_blocks;

/* A thread's memory for one block. */
typedef struct {
    char *slabs;     /* (images, *extent, in_channels) */
    char *line;      /* (in_channels, input positions of the last axis) */
    char *g_rows;    /* (out_channels, positions of the block) */
    i64 *offsets;    /* where the positions of the block begin in its slabs */
} weight_block_memory;

/* Which part of the input and of g a block is. */
typedef struct {
    i64 image, images;
    i64 first_row, rows;
    i64 positions;
} weight_block;

void lg_plan_weight_blocks(weight_blocks *w);
i64 lg_weight_block_bytes(const weight_blocks *w);
weight_block_memory lg_divide_weight_memory(const weight_blocks *w, char *memory);

/* Fills the offsets and the slabs with one group's input. */
void lg_read_block_input(const weight_blocks *w, const weight_block *block, i64 group, weight_block_memory *memory);

/* Fills g_rows for output channels [begin, end) of all groups, counted through them. */
void lg_read_block_g(const weight_blocks *w, const weight_block *block, i64 begin, i64 end,
                     weight_block_memory *memory);

/* Kernel offsets that lie side by side in a slab, and where one of them begins in it. */
i64 lg_neighbouring_taps(const weight_blocks *w);
i64 lg_tap_offset(const weight_blocks *w, i64 tap);
