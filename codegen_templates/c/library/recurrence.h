/* Recurrent layers over all their steps. Sequences of a batch do not wait for each other, so a part is some of them from the
   first step to the last, and nothing is handed out between steps. The recurrent weight is packed once for all. */
#pragma once

#include "gemm_operands.h"

enum cell { LSTM, GRU, TANH, RELU };

/* One sequence at one step. Arrays hold `size` elements for each gate, or for each state. */
typedef struct {
    i64 size;
    const void *inputs, *product, *bias, *hidden, *memory;  /* the states before; the product is that of state and weight */
    void *new_hidden, *new_memory, *kept;
} cell_step;

/* The same on the way back. */
typedef struct {
    i64 size;
    const void *kept, *cotangent, *hidden, *memory;   /* the states after the step */
    const void *hidden_before, *memory_before;
    void *into_hidden;  /* in: from later steps; out: what reaches the state before past the weight */
    void *into_memory;  /* in: from later steps; out: of the state before */
    void *into_gates;
    void *into_product;  /* the same array, but for a GRU */
} cell_gradients;

/* What is done to elements of one arithmetic, by kind of cell. */
typedef struct {
    void (*forward[4])(const cell_step *step);
    void (*backward[4])(const cell_gradients *step);
    void (*add)(void *total, const void *elements, i64 count);
} cell_rows;

extern const cell_rows lg_cell_rows_f32, lg_cell_rows_f64;
