/* Sequences of connectionist temporal classification in f32. */
#include "../math/exponential.h"
#include "../math/logarithm.h"

#define NAME lg_alignment_rows_f32
#define ELEMENT f32
#define EXP lg_exp_f32
#define LOG lg_log_f32

#include "alignment_rows.inc"
