/* Products of 64-bit integers. Unsigned, where wrapping around is defined; the bits are the same. */
#define NAME lg_arithmetic_i64
#define MULTIPLY_VECTORS lg_multiply_vectors_i64
#define ELEMENT u64
#define DTYPE I64
#define LANE i64
#define STORED_TYPES(X) X(I64, i64, (u64), (i64))

#include "gemm_arithmetic.inc"
