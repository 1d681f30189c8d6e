/* Rounding to integers, signs and extremes. */
#pragma once

#include "math/arithmetic.h"

LG_MATH f32 lg_floor_f32(f32 x) { return __builtin_floorf(x); }
LG_MATH f64 lg_floor_f64(f64 x) { return __builtin_floor(x); }
LG_MATH f32 lg_ceil_f32(f32 x) { return __builtin_ceilf(x); }
LG_MATH f64 lg_ceil_f64(f64 x) { return __builtin_ceil(x); }
LG_MATH f32 lg_trunc_f32(f32 x) { return __builtin_truncf(x); }
LG_MATH f64 lg_trunc_f64(f64 x) { return __builtin_trunc(x); }
LG_MATH f32 lg_round_f32(f32 x) { return __builtin_rintf(x); } /* ties to even */
LG_MATH f64 lg_round_f64(f64 x) { return __builtin_rint(x); }
LG_MATH f32 lg_sqrt_f32(f32 x) { return __builtin_sqrtf(x); }
LG_MATH f64 lg_sqrt_f64(f64 x) { return __builtin_sqrt(x); }

/* -1, 0 or 1; 0 for both zeros, NaN for NaN. */
LG_MATH f32 lg_sign_f32(f32 x)
{
    f32 sign = x > 0.0f ? 1.0f : (x < 0.0f ? -1.0f : 0.0f);
    return x == x ? sign : x;
}

LG_MATH f64 lg_sign_f64(f64 x)
{
    f64 sign = x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0);
    return x == x ? sign : x;
}

/* Extremes in which NaN wins. Of two zeros the second is taken, as by the machine's own instruction and by numpy: the
   comparison is that instruction's, which gives y if one of both is NaN. */
LG_MATH f32 lg_maximum_f32(f32 x, f32 y)
{
    f32 larger = x > y ? x : y;
    return x == x ? larger : x;
}
LG_MATH f64 lg_maximum_f64(f64 x, f64 y)
{
    f64 larger = x > y ? x : y;
    return x == x ? larger : x;
}
LG_MATH f32 lg_minimum_f32(f32 x, f32 y)
{
    f32 smaller = x < y ? x : y;
    return x == x ? smaller : x;
}
LG_MATH f64 lg_minimum_f64(f64 x, f64 y)
{
    f64 smaller = x < y ? x : y;
    return x == x ? smaller : x;
}
