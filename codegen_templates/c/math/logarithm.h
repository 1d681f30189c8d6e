/* log, log2, log10 and log1p.

   Method: x = 2^k · m with m in [sqrt(1/2), sqrt(2)), so that k is 0 around x = 1, and log x = k · ln 2 + log m. */
#pragma once

#include "math/arithmetic.h"
#include "math/exponential.h"

/* What log of a positive x is made of: x = 2^exponent · (1 + fraction), both exact, the fraction in [-0.293, 0.415). */
typedef struct { f32 exponent, fraction; } lg_decomposed_f32;
typedef struct { f64 exponent, fraction; } lg_decomposed_f64;

/* x must be positive and normal. Subtracting the bits of sqrt(1/2) first moves the border between two exponents
   there. */
LG_MATH lg_decomposed_f32 lg_decompose_normal_f32(f32 x)
{
    u32 offset = lg_bits_f32(x) - 0x3f3504f3;
    f32 exponent = (f32)((i32)offset >> 23);
    f32 mantissa = lg_float_f32((offset & 0x007fffff) + 0x3f3504f3);
    return (lg_decomposed_f32){exponent, mantissa - 1.0f};
}

/* The exponent stays below 2048 and becomes a float by being placed in the low bits of 2^52. */
LG_MATH lg_decomposed_f64 lg_decompose_normal_f64(f64 x)
{
    u64 offset = lg_bits_f64(x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
    f64 exponent = lg_float_f64((offset >> 52) | 0x4330000000000000) - (0x1p+52 + 1023.0);
    f64 mantissa = lg_float_f64((offset & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
    return (lg_decomposed_f64){exponent, mantissa - 1.0};
}

LG_MATH lg_decomposed_f32 lg_decompose_f32(f32 x)
{
    i32 subnormal = x < 0x1p-126f;
    lg_decomposed_f32 parts = lg_decompose_normal_f32(subnormal ? x * 0x1p+23f : x);
    parts.exponent -= subnormal ? 23.0f : 0.0f;
    return parts;
}

LG_MATH lg_decomposed_f64 lg_decompose_f64(f64 x)
{
    i32 subnormal = x < 0x1p-1022;
    lg_decomposed_f64 parts = lg_decompose_normal_f64(subnormal ? x * 0x1p+54 : x);
    parts.exponent -= subnormal ? 54.0 : 0.0;
    return parts;
}

/* log(1 + f) - f for f in [-0.293, 0.415): f² times a minimax polynomial, relative error of log 2^-26.0. */
LG_MATH f32 lg_log_tail_f32(f32 f)
{
    f32 p = -0x1.4c9524p-5f;
    p = lg_fma_f32(p, f, 0x1.c43bf8p-4f);
    p = lg_fma_f32(p, f, -0x1.1a3d9cp-3f);
    p = lg_fma_f32(p, f, 0x1.2940dp-3f);
    p = lg_fma_f32(p, f, -0x1.53a94p-3f);
    p = lg_fma_f32(p, f, 0x1.9944a6p-3f);
    p = lg_fma_f32(p, f, -0x1.0004fep-2f);
    p = lg_fma_f32(p, f, 0x1.555610p-2f);
    p = lg_fma_f32(p, f, -0x1.fffff8p-2f);
    return p * (f * f);
}

/* log(1 + f) - f for f in [-0.293, 0.415). With s = f / (2 + f), log(1 + f) = 2 · atanh(s) = 2s + s³ · R(s²), and
   2s = f - s · f; writing s · f as f²/2 - s · f²/2 keeps the largest part exact to half a unit. Error of R 2^-58. */
LG_MATH f64 lg_log_tail_f64(f64 f)
{
    f64 s = f / (2.0 + f);
    f64 z = s * s;
    f64 p = 0.14797460223714246;
    p = lg_fma_f64(p, z, 0.15313908133201862);
    p = lg_fma_f64(p, z, 0.18183569543265596);
    p = lg_fma_f64(p, z, 0.2222219847986979);
    p = lg_fma_f64(p, z, 0.285714287432241);
    p = lg_fma_f64(p, z, 0.3999999999941127);
    p = lg_fma_f64(p, z, 0.6666666666666735);
    f64 half_square = 0.5 * f * f;
    return lg_fma_f64(s, lg_fma_f64(p, z, half_square), -half_square);
}

/* The result for x > 0, and what a logarithm is elsewhere: -inf at 0, NaN below, infinity and NaN as they are. */
LG_MATH f32 lg_log_anywhere_f32(f32 x, f32 result)
{
    result = x < LG_INFINITY_F32 ? result : x;
    result = x == 0.0f ? -LG_INFINITY_F32 : result;
    return x < 0.0f ? LG_NAN_F32 : result;
}

LG_MATH f64 lg_log_anywhere_f64(f64 x, f64 result)
{
    result = x < LG_INFINITY_F64 ? result : x;
    result = x == 0.0 ? -LG_INFINITY_F64 : result;
    return x < 0.0 ? LG_NAN_F64 : result;
}

LG_MATH f32 lg_log_f32(f32 x)
{
    lg_decomposed_f32 parts = lg_decompose_f32(x);
    f32 k = parts.exponent, f = parts.fraction;
    f32 small = lg_fma_f32(k, LG_LN2_LOW_F32, lg_log_tail_f32(f));
    return lg_log_anywhere_f32(x, lg_fma_f32(k, LG_LN2_HIGH_F32, f + small));
}

LG_MATH f64 lg_log_f64(f64 x)
{
    lg_decomposed_f64 parts = lg_decompose_f64(x);
    f64 k = parts.exponent, f = parts.fraction;
    f64 small = lg_fma_f64(k, LG_LN2_LOW_F64, lg_log_tail_f64(f));
    return lg_log_anywhere_f64(x, lg_fma_f64(k, LG_LN2_HIGH_F64, f + small));
}

/* log(1 + f) / ln(2), the constant in two parts: its product with f, the largest part, is the only rounding that
   counts. */
LG_MATH f32 lg_log2_f32(f32 x)
{
    lg_decomposed_f32 parts = lg_decompose_f32(x);
    f32 f = parts.fraction;
    f32 small = lg_fma_f32(lg_log_tail_f32(f), 0x1.715476p+0f, f * 0x1.4ae0cp-26f);
    return lg_log_anywhere_f32(x, parts.exponent + lg_fma_f32(f, 0x1.715476p+0f, small));
}

LG_MATH f32 lg_log10_f32(f32 x)
{
    lg_decomposed_f32 parts = lg_decompose_f32(x);
    f32 k = parts.exponent, f = parts.fraction;
    f32 small = lg_fma_f32(lg_log_tail_f32(f), 0x1.bcb7b2p-2f, f * -0x1.5b235ep-27f);
    small = lg_fma_f32(f, 0x1.bcb7b2p-2f, lg_fma_f32(k, 0x1.3509f8p-18f, small));
    return lg_log_anywhere_f32(x, lg_fma_f32(k, 0x1.344p-2f, small));
}

/* f + tail, times 1 / ln(base) = high + low, plus k · log_base(2) = k · (step + step_low), where k · step is exact. */
LG_MATH f64 lg_log_scaled_f64(f64 k, f64 f, f64 high, f64 low, f64 step, f64 step_low)
{
    f64 tail = lg_log_tail_f64(f);
    f64 log = f + tail;
    f64 log_low = lg_ordered_sum_error_f64(f, tail, log);
    f64 scaled = log * high;
    f64 scaled_low = lg_product_error_f64(log, high, scaled) + lg_fma_f64(log, low, log_low * high);
    f64 whole = k * step;
    f64 sum = whole + scaled;
    return sum + (lg_sum_error_f64(whole, scaled, sum) + lg_fma_f64(k, step_low, scaled_low));
}

LG_MATH f64 lg_log2_f64(f64 x)
{
    lg_decomposed_f64 parts = lg_decompose_f64(x);
    f64 k = parts.exponent, f = parts.fraction;
    f64 result = lg_log_scaled_f64(k, f, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1.0, 0.0);
    return lg_log_anywhere_f64(x, result);
}

LG_MATH f64 lg_log10_f64(f64 x)
{
    lg_decomposed_f64 parts = lg_decompose_f64(x);
    f64 result = lg_log_scaled_f64(parts.exponent, parts.fraction, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                                   0x1.34413509f7p-2, 0x1.3fde623e2566bp-43);
    return lg_log_anywhere_f64(x, result);
}

/* log(1 + x): the logarithm of the rounded sum w, plus what rounding took away, relative to w. x itself near 0, which
   also keeps the sign of a zero. */
LG_MATH f32 lg_log1p_f32(f32 x)
{
    f32 w = 1.0f + x;
    f32 lost = x < 1.0f ? x - (w - 1.0f) : 1.0f - (w - x);
    lg_decomposed_f32 parts = lg_decompose_normal_f32(w);
    f32 k = parts.exponent, f = parts.fraction;
    f32 small = lg_fma_f32(k, LG_LN2_LOW_F32, lg_log_tail_f32(f)) + lost / w;
    f32 result = lg_log_anywhere_f32(w, lg_fma_f32(k, LG_LN2_HIGH_F32, f + small));
    return lg_abs_f32(x) < 0x1p-30f ? x : result;
}

LG_MATH f64 lg_log1p_f64(f64 x)
{
    f64 w = 1.0 + x;
    f64 lost = x < 1.0 ? x - (w - 1.0) : 1.0 - (w - x);
    lg_decomposed_f64 parts = lg_decompose_normal_f64(w);
    f64 k = parts.exponent, f = parts.fraction;
    f64 small = lg_fma_f64(k, LG_LN2_LOW_F64, lg_log_tail_f64(f)) + lost / w;
    f64 result = lg_log_anywhere_f64(w, lg_fma_f64(k, LG_LN2_HIGH_F64, f + small));
    return lg_abs_f64(x) < 0x1p-60 ? x : result;
}

/* log2 in f64 of a positive normal x, for results that are rounded to f32: with s = f / (2 + f) as above,
   log2(1 + f) = 2/ln(2) · atanh(s); relative error 2^-43. */
LG_MATH f64 lg_log2_short_f64(f64 x)
{
    lg_decomposed_f64 parts = lg_decompose_normal_f64(x);
    f64 s = parts.fraction / (2.0 + parts.fraction);
    f64 z = s * s;
    f64 p = 0.282929799334132;
    p = lg_fma_f64(p, z, 0.3199036682039016);
    p = lg_fma_f64(p, z, 0.4122093006910926);
    p = lg_fma_f64(p, z, 0.5770779418985919);
    p = lg_fma_f64(p, z, 0.961796694114903);
    p = lg_fma_f64(p, z, 2.885390081777849);
    return lg_fma_f64(s, p, parts.exponent);
}
