/* tanh, sinh, cosh. */
#pragma once

#include "math/exponential.h"

/* tanh|x| = -y / (2 + y) with y = e^(-2|x|) - 1 in (-1, 0]: it never exceeds 1, and 2 + y, being below 2, is rounded to
   finer units than the denominator of the form with e^(2|x|). The sign of x last. From |x| = 9.02 on (f64: 19.1) it is 1. */
LG_MATH f32 lg_tanh_f32(f32 x)
{
    f32 magnitude = lg_abs_f32(x);
    f32 y = lg_expm1_limited_f32(-2.0f * (magnitude > 9.1f ? 9.1f : magnitude));
    return lg_copysign_f32(y / (2.0f + y), x);
}

LG_MATH f64 lg_tanh_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x);
    f64 y = lg_expm1_limited_f64(-2.0 * (magnitude > 19.2 ? 19.2 : magnitude));
    return lg_copysign_f64(y / (2.0 + y), x);
}
