/* Windows of planes of 32-bit integers, which wrap around. */
#define NAME lg_windows_i32
#define ELEMENT u32
#define DTYPE W32
#define LANE i32

#include "window_products.inc"
