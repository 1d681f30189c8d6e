/* Steps of recurrent cells in f32. */
#include "../math/exponential.h"
#include "../math/hyperbolic.h"

#define NAME lg_cell_rows_f32
#define ELEMENT f32
#define TANHYP lg_tanh_f32
#define SIGMOID lg_sigmoid_f32

#include "recurrence_rows.inc"
