/* Products of matrices and vectors of f32. */
#define NAME lg_multiply_vectors_f32
#define ELEMENT f32
#define LANE i32

#include "vector_products.inc"
