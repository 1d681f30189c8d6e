/* Windows of planes of 64-bit integers, which wrap around. */
#define NAME lg_windows_i64
#define ELEMENT u64
#define DTYPE I64
#define LANE i64

#include "window_products.inc"
