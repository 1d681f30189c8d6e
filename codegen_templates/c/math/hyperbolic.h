/* sinh, cosh, tanh and their inverses. The rarer ones compute f32 in f64. */
#pragma once

#include "math/exponential.h"
#include "math/logarithm.h"

/* tanh|x| = |y / (2 + y)| with y = e^(-2|x|) - 1 or, from |x| = ln(2)/4 on, y = e^(2|x|) - 1. Close to 0 the first form
   rounds its denominator to finer units; the second is less sensitive to y where y is no longer as precise. Neither
   exceeds 1. From |x| = 9.02 on (f64: 19.1) the result is 1. */
LG_MATH f32 lg_tanh_f32(f32 x)
{
    f32 magnitude = lg_abs_f32(x), limited = magnitude > 9.1f ? 9.1f : magnitude;
    f32 y = lg_expm1_limited_f32(limited * (magnitude < 0.1733f ? -2.0f : 2.0f));
    return lg_copysign_f32(y / (2.0f + y), x);
}

LG_MATH f64 lg_tanh_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x), limited = magnitude > 19.2 ? 19.2 : magnitude;
    f64 y = lg_expm1_limited_f64(limited * (magnitude < 0.1733 ? -2.0 : 2.0));
    return lg_copysign_f64(y / (2.0 + y), x);
}

/* (y + y / (1 + y)) / 2 with y = e^|x| - 1; where e^-|x| no longer counts e^|x| / 2, which overflows later than
   e^|x|. */
LG_MATH f64 lg_sinh_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x), limited = magnitude > 22.0 ? 22.0 : magnitude;
    f64 y = lg_expm1_limited_f64(limited);
    f64 moderate = 0.5 * (y + y / (1.0 + y));
    return lg_copysign_f64(magnitude > 22.0 ? lg_exp_corrected_f64(magnitude, 0.0, -1.0) : moderate, x);
}

LG_MATH f64 lg_cosh_f64(f64 x)
{
    f64 half = lg_exp_corrected_f64(lg_abs_f64(x), 0.0, -1.0);
    return half + 0.25 / half;
}

/* log1p(x + (sqrt(1 + x²) - 1)), the bracket written without cancellation. A large x would overflow when squared: there
   it is log(2x). */
LG_MATH f64 lg_asinh_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x), limited = magnitude > 0x1p+30 ? 0x1p+30 : magnitude, square = limited * limited;
    f64 moderate = lg_log1p_f64(limited + square / (1.0 + __builtin_sqrt(1.0 + square)));
    return lg_copysign_f64(magnitude > 0x1p+30 ? lg_log_f64(magnitude) + LG_LN2_F64 : moderate, x);
}

LG_MATH f64 lg_acosh_f64(f64 x)
{
    f64 above = (x > 0x1p+30 ? 0x1p+30 : x) - 1.0;
    f64 moderate = lg_log1p_f64(above + __builtin_sqrt(above * (above + 2.0)));
    f64 result = x > 0x1p+30 ? lg_log_f64(x) + LG_LN2_F64 : moderate;
    return x < 1.0 ? LG_NAN_F64 : result;
}

/* log1p(2x / (1 - x)) / 2 */
LG_MATH f64 lg_atanh_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x);
    return lg_copysign_f64(0.5 * lg_log1p_f64((magnitude + magnitude) / (1.0 - magnitude)), x);
}

LG_MATH f32 lg_sinh_f32(f32 x) { return (f32)lg_sinh_f64((f64)x); }
LG_MATH f32 lg_cosh_f32(f32 x) { return (f32)lg_cosh_f64((f64)x); }
LG_MATH f32 lg_asinh_f32(f32 x) { return (f32)lg_asinh_f64((f64)x); }
LG_MATH f32 lg_acosh_f32(f32 x) { return (f32)lg_acosh_f64((f64)x); }
LG_MATH f32 lg_atanh_f32(f32 x) { return (f32)lg_atanh_f64((f64)x); }
