/* Products of integers of up to 32 bits. Unsigned, where wrapping around is defined; the low bits are the same. */
#define NAME lg_arithmetic_i32
#define MULTIPLY_VECTORS lg_multiply_vectors_i32
#define ELEMENT u32
#define DTYPE W32
#define LANE i32
#define STORED_TYPES(X)                                                                                                \
    X(U8, u8, (u32), (u8)) X(I8, i8, (u32), (i8)) X(I16, i16, (u32), (i16)) X(I32, i32, (u32), (i32))                  \
    X(W32, w32, (u32), (u32))

#include "gemm_arithmetic.inc"
