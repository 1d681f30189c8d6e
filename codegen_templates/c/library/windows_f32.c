/* Windows of planes of f32. */
#define NAME lg_windows_f32
#define ELEMENT f32
#define DTYPE F32
#define LANE i32

#include "window_products.inc"
