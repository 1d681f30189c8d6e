/* ln |gamma| and its derivatives digamma and trigamma, one number at a time; f32 as the f64 result, rounded.

   Both derivatives have asymptotic series (Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.3.18 and
   6.4.12) that hold to the last digit from 12 on. Below, the recurrence of gamma moves x: for trigamma up to 12, for
   digamma next to its zero. Negative x are reflected (6.3.7 and 6.4.7); digamma's zeros there have absolute precision
   only. */
#pragma once

#include "math/arithmetic.h"
#include "math/logarithm.h"
#include "math/trigonometric_f64.h"

double lgamma_r(double x, int *sign); /* libm's; lgamma itself would write a variable all threads share */

#define LG_PI_F64 0x1.921fb54442d18p+1

static inline f64 lg_lgamma_f64(f64 x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* digamma(x0 + u) for |u| <= 1/2, where x0 = 1.46… is the zero of digamma: u times a polynomial, so that results near
   the zero keep their digits; relative error 2^-54. */
static inline f64 lg_digamma_near_zero_f64(f64 u)
{
    f64 p = 0.00022918329536646655;
    p = lg_fma_f64(p, u, -0.0003283037984668909);
    p = lg_fma_f64(p, u, 0.00014905177863553187);
    p = lg_fma_f64(p, u, -0.00022707932568805935);
    p = lg_fma_f64(p, u, 0.0005395221272377316);
    p = lg_fma_f64(p, u, -0.000783103612051653);
    p = lg_fma_f64(p, u, 0.0010703790631392302);
    p = lg_fma_f64(p, u, -0.0015664422503907209);
    p = lg_fma_f64(p, u, 0.002306468688977926);
    p = lg_fma_f64(p, u, -0.003371376639868038);
    p = lg_fma_f64(p, u, 0.004926640569257463);
    p = lg_fma_f64(p, u, -0.007204380552126676);
    p = lg_fma_f64(p, u, 0.010538801258289385);
    p = lg_fma_f64(p, u, -0.015424775510568589);
    p = lg_fma_f64(p, u, 0.022597647817153278);
    p = lg_fma_f64(p, u, -0.033161126109544393);
    p = lg_fma_f64(p, u, 0.048804288174595194);
    p = lg_fma_f64(p, u, -0.07219956126415629);
    p = lg_fma_f64(p, u, 0.10782405069112772);
    p = lg_fma_f64(p, u, -0.1639427054423317);
    p = lg_fma_f64(p, u, 0.2584997609556517);
    p = lg_fma_f64(p, u, -0.4427631689835923);
    p = lg_fma_f64(p, u, 0.9676722454476212);
    return p * u;
}

/* ln x - 1/(2x) - sum of B_2k / (2k · x^2k), x >= 12. */
static inline f64 lg_digamma_asymptotic_f64(f64 x)
{
    f64 y = 1.0 / (x * x);
    f64 p = 1.0 / 12.0;
    p = lg_fma_f64(p, y, -691.0 / 32760.0);
    p = lg_fma_f64(p, y, 1.0 / 132.0);
    p = lg_fma_f64(p, y, -1.0 / 240.0);
    p = lg_fma_f64(p, y, 1.0 / 252.0);
    p = lg_fma_f64(p, y, -1.0 / 120.0);
    p = lg_fma_f64(p, y, 1.0 / 12.0);
    return lg_log_f64(x) - (0.5 / x + p * y);
}

static inline f64 lg_digamma_f64(f64 x)
{
    if (x == 0.0)
        return lg_copysign_f64(LG_INFINITY_F64, -x);
    f64 sum = 0.0;
    if (x < 0.0) {
        f64 fraction = x - __builtin_rint(x);
        if (!(lg_abs_f64(fraction) > 0.0)) /* a pole, or -infinity */
            return LG_NAN_F64;
        sum = -LG_PI_F64 / lg_tan_f64(LG_PI_F64 * fraction);
        x = 1.0 - x;
    }
    if (x >= 12.0)
        return sum + (x < LG_INFINITY_F64 ? lg_digamma_asymptotic_f64(x) : x);
    for (; x > 1.96; x -= 1.0)
        sum += 1.0 / (x - 1.0);
    for (; x < 0.962; x += 1.0)
        sum -= 1.0 / x;
    return sum + lg_digamma_near_zero_f64((x - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54);
}

/* 1/x + 1/(2x²) + sum of B_2k / x^(2k + 1), x >= 12. */
static inline f64 lg_trigamma_asymptotic_f64(f64 x)
{
    f64 inverse = 1.0 / x, y = inverse * inverse;
    f64 p = 7.0 / 6.0;
    p = lg_fma_f64(p, y, -691.0 / 2730.0);
    p = lg_fma_f64(p, y, 5.0 / 66.0);
    p = lg_fma_f64(p, y, -1.0 / 30.0);
    p = lg_fma_f64(p, y, 1.0 / 42.0);
    p = lg_fma_f64(p, y, -1.0 / 30.0);
    p = lg_fma_f64(p, y, 1.0 / 6.0);
    return inverse + lg_fma_f64(p * y, inverse, 0.5 * y);
}

static inline f64 lg_trigamma_f64(f64 x)
{
    f64 sum = 0.0, sign = 1.0;
    if (x <= 0.0) {
        f64 fraction = x - __builtin_rint(x);
        if (!(lg_abs_f64(fraction) > 0.0)) /* a pole, or -infinity */
            return x == -LG_INFINITY_F64 ? LG_NAN_F64 : LG_INFINITY_F64;
        f64 ratio = LG_PI_F64 / lg_sin_f64(LG_PI_F64 * fraction);
        sum = ratio * ratio;
        sign = -1.0;
        x = 1.0 - x;
    }
    for (; x < 12.0; x += 1.0)
        sum += sign / (x * x);
    return lg_fma_f64(sign, lg_trigamma_asymptotic_f64(x), sum);
}

static inline f32 lg_lgamma_f32(f32 x) { return (f32)lg_lgamma_f64((f64)x); }
static inline f32 lg_digamma_f32(f32 x) { return (f32)lg_digamma_f64((f64)x); }
static inline f32 lg_trigamma_f32(f32 x) { return (f32)lg_trigamma_f64((f64)x); }
