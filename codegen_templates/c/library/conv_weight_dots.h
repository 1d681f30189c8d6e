/* The adjoint of a convolution in its weight where a kernel row meets few channels, as in a depthwise convolution: a
   dot product of an image of g with the shifted input per kernel offset, rather than a product of narrow matrices. */
#pragma once

#include "conv_slab.h"

typedef struct {
    const arithmetic *with;
    correlation forward;  /* with `out` for g */
    slab slab;
    i64 rows;       /* positions of the first axis at a time */
    i64 *offsets;
    char *planes;   /* the slab */
    char *g_planes; /* of one channel */
    char *dots;     /* (in_channels, taps) */
} weight_dots;

weight_dots lg_plan_weight_dots(const arithmetic *with, const correlation *forward);
i64 lg_weight_dots_bytes(const weight_dots *w);
void lg_divide_weight_dots_memory(weight_dots *w, char *memory);

/* Adds one image to sums (channels, taps, in_channels), for output channels [begin, end) of all groups. */
void lg_add_weight_dots(weight_dots *w, i64 image, i64 begin, i64 end, char *sums);
