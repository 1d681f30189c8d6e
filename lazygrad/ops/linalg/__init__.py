"""Products, norms and factorizations of vectors and matrices."""
