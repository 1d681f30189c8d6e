/* Rows of attention in f64. */
#include "../math/exponential.h"

#define NAME lg_attention_rows_f64
#define ELEMENT f64
#define EXPONENTIAL lg_exp_f64

#include "attention_rows.inc"
