/* Sequences of connectionist temporal classification in f64. */
#include "../math/exponential.h"
#include "../math/logarithm.h"

#define NAME lg_alignment_rows_f64
#define ELEMENT f64
#define EXP lg_exp_f64
#define LOG lg_log_f64

#include "alignment_rows.inc"
