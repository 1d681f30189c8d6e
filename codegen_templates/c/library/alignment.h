/* Connectionist temporal classification (Graves et al., 2006). Sequences do not wait for each other, so a part is some of them from the first step
   to the last. A place is a label of the target or one of the blanks around them. */
#pragma once

#include "gemm_operands.h"

/* One sequence. Arrays of places have `places` elements and room for two more. */
typedef struct {
    i64 steps, places;      /* of this sequence */
    i64 all_steps, classes; /* of the call */
    i64 row, column;        /* strides of the variables: to the next step, to the next place */
    i64 all_places;
    const i64 *emits;       /* at each place: its class */
    i64 class_stride;
    const void *scores;     /* of the first step */
    i64 step_stride;
    void *skips;            /* at each place: 0 if the place two before may lead there, else -infinity */
    void *near, *far;       /* places that sums are read from, and written to */
} sequence;

/* What is done to a sequence in one arithmetic. */
typedef struct {
    /* Writes the variables and the loss behind them. */
    void (*forward)(const sequence *s, void *variables);
    /* Writes the gradient of each step; they are `pitch` elements apart. */
    void (*backward)(const sequence *s, const void *cotangent, const void *variables, void *gradient, i64 pitch);
    void (*find_skips)(const sequence *s);
} alignment_rows;

extern const alignment_rows lg_alignment_rows_f32, lg_alignment_rows_f64;
