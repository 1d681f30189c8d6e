/* PROVISIONAL: libm until the vectorizable versions land. */
#pragma once
#include "math/arithmetic.h"
#define LG_LIBM(name) LG_MATH f32 lg_##name##_f32(f32 x) { return (f32)__builtin_##name((f64)x); } \
    LG_MATH f64 lg_##name##_f64(f64 x) { return __builtin_##name(x); }
LG_LIBM(log1p) LG_LIBM(asin) LG_LIBM(acos) LG_LIBM(atan) LG_LIBM(sinh) LG_LIBM(cosh) LG_LIBM(asinh) LG_LIBM(acosh) LG_LIBM(atanh)
LG_LIBM(erfc) LG_LIBM(lgamma)
LG_MATH f32 lg_atan2_f32(f32 y, f32 x) { return (f32)__builtin_atan2((f64)y, (f64)x); }
LG_MATH f64 lg_atan2_f64(f64 y, f64 x) { return __builtin_atan2(y, x); }
LG_MATH f32 lg_fmod_f32(f32 x, f32 y) { return __builtin_fmodf(x, y); }
LG_MATH f64 lg_fmod_f64(f64 x, f64 y) { return __builtin_fmod(x, y); }
