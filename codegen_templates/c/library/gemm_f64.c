/* Products of f64. */
#define NAME lg_arithmetic_f64
#define MULTIPLY_VECTORS lg_multiply_vectors_f64
#define ELEMENT f64
#define DTYPE F64
#define LANE i64
#define STORED_TYPES(X) X(F64, f64, (f64), (f64))

#include "gemm_arithmetic.inc"
