/* Correlations: what convolutions and their adjoints in the input both are. */
#pragma once

#include "gemm.h"
#include "library.h"

enum { MAX_SPATIAL = MAX_RANK - 2 };

/* How one spatial axis is walked. Output position q (of those computed) is stored at out_first + q · out_step. It sums,
   over its taps t, the input at first + q · step + t · tap_step times the kernel at kernel_first + t · kernel_step. */
typedef struct {
    i64 positions, out_first, out_step;
    i64 first, step;
    i64 taps, tap_step;
    i64 kernel_first, kernel_step;
} correlation_axis;

typedef struct {
    i32 rank;  /* spatial axes */
    correlation_axis axes[MAX_SPATIAL];
    i64 groups;
    i64 in_channels, out_channels;  /* per group */
    array in;      /* (N, channels, *spatial) */
    array weight;  /* (groups, out_channels, in_channels, *kernel), as a view */
    array out;     /* (N, channels, *spatial), row-major */
    const epilogue *epilogue;  /* or NULL; see conv.c */
} correlation;

/* A convolution, with the attributes that conv.c describes. */
correlation lg_describe_conv(const array *out, const array *x, const array *weight, const i64 *attributes);

/* Products that a correlation sums for each of its outputs, and output positions per image and channel. */
i64 lg_correlation_depth(const correlation *c);
i64 lg_correlation_positions(const correlation *c);

/* Whether parts are whole images, and the epilogue runs on every one as soon as it is finished. */
i32 lg_shares_images(const team *team, const correlation *c);

/* Whether there is an epilogue whose units are the channels of all images. */
i32 lg_finishes_channels(const correlation *c);

/* Runs the epilogue, if there is one, on images that are finished. */
void lg_finish_images(const correlation *c, i64 begin, i64 end);

/* Where parts are no whole images: runs it once all images are finished. */
void lg_finish_all_images(const team *team, const correlation *c);
