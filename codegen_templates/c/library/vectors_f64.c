/* Products of matrices and vectors of f64. */
#define NAME lg_multiply_vectors_f64
#define ELEMENT f64
#define LANE i64

#include "vector_products.inc"
