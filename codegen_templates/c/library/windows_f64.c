/* Windows of planes of f64. */
#define NAME lg_windows_f64
#define ELEMENT f64
#define DTYPE F64
#define LANE i64

#include "window_products.inc"
