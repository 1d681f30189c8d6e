/* Slabs: padded copies of images in which all windows can be read without being copied.

   Within a slab, the input that all output positions read through one tap lies in the order of those positions: row k
   of the right operand of the product that a correlation is. It begins at a fixed offset per tap, and output position
   (q_0, q_1, …) finds its element at Σ q_a · pitch[a]. Input that a stride skips over is sorted into phases: positions
   that are equal modulo the stride lie together (space-to-depth). */
#pragma once

#include "conv_correlation.h"

typedef struct {
    i64 lowest;          /* input position of slab position 0 of phase 0 */
    i64 phases;
    i64 extent;          /* slab positions per phase */
    i64 pitch;           /* elements from one slab position to the next */
} slab_axis;

typedef struct {
    const arithmetic *with;
    const correlation *correlation;
    slab_axis axes[MAX_SPATIAL];
    i64 phase_size;    /* elements of one phase of all axes */
    i64 channel_size;
    i64 positions;     /* from the first to the last output position, those between the rows included */
} slab;

/* What exists of a channel, as blocks of rows: one for each phase. */
enum { MOST_COPIES = 16 };

typedef struct {
    i64 from, to;  /* elements behind the channel's first one, and the slab's */
    i64 rows, count;
} slab_copy;

typedef struct {
    i32 count;
    slab_copy copies[MOST_COPIES];
} slab_copies;

/* The layout for `rows` positions of the first axis. */
slab lg_slab_layout(const arithmetic *with, const correlation *c, i64 rows);

/* offsets[k], in elements, of tap k = (channel, tap of axis 0, tap of axis 1, …). */
void lg_slab_offsets(const slab *s, i64 *offsets);

/* Copies the channels of one group of one image, for output rows from first_row on. */
void lg_fill_slab(const slab *s, i64 image, i64 group, i64 first_row, void *target);

/* The same in two steps, of which the first is done once for many channels: the slab holds zeros where nothing is copied
   to, and keeps them. No copies are planned where there would be too many, or three and more axes. */
slab_copies lg_plan_slab_copies(const slab *s, i64 first_row);
void lg_copy_to_slab(const slab *s, const slab_copies *plan, i64 image, i64 group, void *target);

/* Output positions as planes of rows and columns, for `rows` positions of the first axis; and one of these planes. */
i64 lg_slab_planes(const slab *s, i64 rows);
windows lg_slab_windows(const slab *s, i64 rows, i64 plane, const void *filled, const i64 *offsets, i64 taps);
