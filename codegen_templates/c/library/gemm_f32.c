/* Products of f32; those of f16 and bf16 are multiplied and summed in f32 too. */
#define NAME lg_arithmetic_f32
#define MULTIPLY_VECTORS lg_multiply_vectors_f32
#define ELEMENT f32
#define DTYPE F32
#define LANE i32
#define STORED_TYPES(X) X(F32, f32, (f32), (f32)) X(F16, f16, (f32), (f16)) X(BF16, bf16, widen_bf16, narrow_bf16)

#include "gemm_arithmetic.inc"
