/* Steps of recurrent cells in f64. */
#include "../math/exponential.h"
#include "../math/hyperbolic.h"

#define NAME lg_cell_rows_f64
#define ELEMENT f64
#define TANHYP lg_tanh_f64
#define SIGMOID lg_sigmoid_f64

#include "recurrence_rows.inc"
