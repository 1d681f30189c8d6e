/* Products of matrices and vectors of 64-bit integers, which wrap around. */
#define NAME lg_multiply_vectors_i64
#define ELEMENT u64
#define LANE i64

#include "vector_products.inc"
