/* Products of matrices and vectors of 32-bit integers, which wrap around. */
#define NAME lg_multiply_vectors_i32
#define ELEMENT u32
#define LANE i32

#include "vector_products.inc"
