/* exp, exp2, expm1 and the logistic function.

   Method: x = k · ln 2 + r, e^x = 2^k · e^r. k is found by adding a number so large that the sum has no fraction bits;
   its low bits then hold k as an integer. e^r is a polynomial. Here and in this folder, coefficients of polynomials are
   minimax, found with Remez's algorithm in 200-bit arithmetic or finer; those of f32 were rounded one after the other,
   the rest fitted anew after each. Errors named are those of the polynomials as rounded. */
#pragma once

#include "math/arithmetic.h"

/* 1.5 · 2^23 and 1.5 · 2^52: a small number added to one is rounded to an integer, ties to even, kept in the low bits.
   With the exponent's bias added too, those bits shifted to the top are the float 2^k. */
#define LG_ROUNDER_F32 0x1.8p+23f
#define LG_ROUNDER_F64 0x1.8p+52
#define LG_SCALER_F32 (LG_ROUNDER_F32 + 127.0f)
#define LG_SCALER_F64 (LG_ROUNDER_F64 + 1023.0)

LG_MATH f32 lg_power_of_two_f32(f32 shifted) { return lg_float_f32(lg_bits_f32(shifted) << 23); }
LG_MATH f64 lg_power_of_two_f64(f64 shifted) { return lg_float_f64(lg_bits_f64(shifted) << 52); }

/* ln 2 in two parts; the first has enough trailing zeros that k times it is exact even without fma. */
#define LG_LN2_HIGH_F32 0x1.62e4p-1f
#define LG_LN2_LOW_F32 0x1.7f7d1cp-20f
#define LG_LN2_HIGH_F64 0x1.62e42fefap-1
#define LG_LN2_LOW_F64 0x1.cf79abc9e3b3ap-40
#define LG_LN2_F64 0x1.62e42fefa39efp-1 /* and as the nearest f64 and what is missing */
#define LG_LN2_REST_F64 0x1.abc9e3b39803fp-56

/* e^r - 1 - r + addend for |r| <= ln(2) / 2; error relative to e^r - 1 2^-26.1. The polynomial is cut in halves (Estrin's
   scheme): a processor that waits for one product after the other holds too few vectors at once to stay busy. */
LG_MATH f32 lg_exp_tail_f32(f32 r, f32 addend)
{
    f32 square = r * r;
    f32 low = lg_fma_f32(0x1.5554aap-3f, r, 0x1.fffffep-2f);
    f32 high = lg_fma_f32(0x1.122c3cp-7f, r, 0x1.55579ap-5f);
    high = lg_fma_f32(0x1.6abfd6p-10f, square, high);
    return lg_fma_f32(square, lg_fma_f32(high, square, low), addend);
}

/* e^r - 1 - r + addend for |r| <= ln(2) / 2; error relative to e^r - 1 2^-60. */
LG_MATH f64 lg_exp_tail_f64(f64 r, f64 addend)
{
    f64 p = 2.0875260814487754e-09;
    p = lg_fma_f64(p, r, 2.5108989394265183e-08);
    p = lg_fma_f64(p, r, 2.7557402889545684e-07);
    p = lg_fma_f64(p, r, 2.755724434700186e-06);
    p = lg_fma_f64(p, r, 2.4801587172228796e-05);
    p = lg_fma_f64(p, r, 0.00019841269885989714);
    p = lg_fma_f64(p, r, 0.001388888888896253);
    p = lg_fma_f64(p, r, 0.008333333333321683);
    p = lg_fma_f64(p, r, 0.04166666666666651);
    p = lg_fma_f64(p, r, 0.16666666666666677);
    p = lg_fma_f64(p, r, 0.5);
    return lg_fma_f64(r * r, p, addend);
}

/* value · 2^k, exact but for one rounding where the result is subnormal, k in [-252, 254] (f64: [-2044, 2046]): 2^k
   itself need not be representable, so it is made of two factors of half the exponent. shifted = rounder + 2 · bias +
   k. */
#define LG_HALVES_F32 (LG_ROUNDER_F32 + 254.0f)
#define LG_HALVES_F64 (LG_ROUNDER_F64 + 2046.0)

/* (1 + rest) · 2^k */
LG_MATH f32 lg_scale_f32(f32 rest, f32 shifted)
{
    u32 bits = lg_bits_f32(shifted), half = bits >> 1;
    f32 first = lg_float_f32(half << 23), second = lg_float_f32((bits - half) << 23);
    return lg_fma_f32(rest, first, first) * second;
}

LG_MATH f64 lg_scale_f64(f64 value, f64 shifted)
{
    u64 bits = lg_bits_f64(shifted), half = bits >> 1;
    return value * lg_float_f64(half << 52) * lg_float_f64((bits - half) << 52);
}

/* shifted with k limited to most. As integers, floats above zero keep their order, below infinity and NaN, and those
   below zero come before them. (Two comparisons of floats in a row would become branches, then masks, in gcc.) What
   remains of x beyond, r, is then large or NaN, and so is the result. */
LG_MATH f32 lg_limit_shifted_f32(f32 shifted, f32 most)
{
    i32 bits = (i32)lg_bits_f32(shifted), limit = (i32)lg_bits_f32(LG_HALVES_F32 + most);
    return lg_float_f32((u32)(bits < limit ? bits : limit));
}

LG_MATH f32 lg_exp_f32(f32 x)
{
    f32 limited = x < -104.0f ? -104.0f : x; /* below, the result is 0 just as well */
    f32 shifted = lg_limit_shifted_f32(lg_fma_f32(limited, 0x1.715476p+0f, LG_HALVES_F32), 129.0f);
    f32 k = shifted - LG_HALVES_F32;
    f32 r = lg_fma_f32(k, -LG_LN2_HIGH_F32, limited);
    r = lg_fma_f32(k, -LG_LN2_LOW_F32, r);
    return lg_scale_f32(lg_exp_tail_f32(r, r), shifted);
}

/* e^(x + x_low) · 2^power, where x_low corrects x by less than 2^-20. */
LG_MATH f64 lg_exp_corrected_f64(f64 x, f64 x_low, f64 power)
{
    f64 limited = lg_clamp_f64(x, -746.0, 712.0);
    f64 shifted = lg_fma_f64(limited, 0x1.71547652b82fep+0, LG_HALVES_F64);
    f64 k = shifted - LG_HALVES_F64;
    f64 coarse = lg_fma_f64(k, -LG_LN2_HIGH_F64, limited);
    f64 fine = lg_fma_f64(k, -LG_LN2_LOW_F64, x_low);
    f64 r = coarse + fine;
    return lg_scale_f64(1.0 + (r + lg_exp_tail_f64(r, (coarse - r) + fine)), shifted + power);
}

LG_MATH f64 lg_exp_f64(f64 x) { return lg_exp_corrected_f64(x, 0.0, 0.0); }

LG_MATH f32 lg_exp2_f32(f32 x)
{
    f32 limited = x < -151.0f ? -151.0f : x;
    f32 shifted = lg_limit_shifted_f32(limited + LG_HALVES_F32, 129.0f);
    f32 fraction = limited - (shifted - LG_HALVES_F32);
    f32 r = fraction * 0x1.62e43p-1f;
    return lg_scale_f32(lg_exp_tail_f32(r, r), shifted);
}

/* 2^(x + x_low), where x_low corrects x by less than 2^-20. */
LG_MATH f64 lg_exp2_corrected_f64(f64 x, f64 x_low)
{
    f64 limited = lg_clamp_f64(x, -1077.0, 1025.0);
    f64 shifted = limited + LG_HALVES_F64;
    f64 coarse = limited - (shifted - LG_HALVES_F64);
    f64 fraction = coarse + x_low, fraction_low = (coarse - fraction) + x_low;
    f64 r = fraction * LG_LN2_F64;
    f64 r_low = lg_product_error_f64(fraction, LG_LN2_F64, r);
    r_low += lg_fma_f64(fraction, LG_LN2_REST_F64, fraction_low * LG_LN2_F64);
    return lg_scale_f64(1.0 + (r + lg_exp_tail_f64(r, r_low)), shifted);
}

LG_MATH f64 lg_exp2_f64(f64 x) { return lg_exp2_corrected_f64(x, 0.0); }

/* e^x - 1 for x within [-87, 88] (f64: [-708, 709]): 2^k · (e^r - 1) + (2^k - 1), where k is 0 for small x, so nothing
   cancels. r = coarse + fine, and coarse takes no part in the polynomial's rounding: added to 2^k - 1 it is exact, or
   nearly so, for small k. */
LG_MATH f32 lg_expm1_limited_f32(f32 x)
{
    f32 shifted = lg_fma_f32(x, 0x1.715476p+0f, LG_SCALER_F32);
    f32 k = shifted - LG_SCALER_F32;
    f32 coarse = lg_fma_f32(k, -LG_LN2_HIGH_F32, x), fine = k * -LG_LN2_LOW_F32;
    f32 scale = lg_power_of_two_f32(shifted);
    return lg_fma_f32(scale, lg_exp_tail_f32(coarse + fine, fine), lg_fma_f32(scale, coarse, scale - 1.0f));
}

LG_MATH f64 lg_expm1_limited_f64(f64 x)
{
    f64 shifted = lg_fma_f64(x, 0x1.71547652b82fep+0, LG_SCALER_F64);
    f64 k = shifted - LG_SCALER_F64;
    f64 coarse = lg_fma_f64(k, -LG_LN2_HIGH_F64, x), fine = k * -LG_LN2_LOW_F64;
    f64 scale = lg_power_of_two_f64(shifted);
    return lg_fma_f64(scale, lg_exp_tail_f64(coarse + fine, fine), lg_fma_f64(scale, coarse, scale - 1.0));
}

/* Where the result is so large that subtracting 1 changes nothing it is e^x; x itself where its square is nothing. */
LG_MATH f32 lg_expm1_f32(f32 x)
{
    f32 moderate = lg_expm1_limited_f32(lg_clamp_f32(x, -18.0f, 88.0f));
    f32 result = x > 88.0f ? lg_exp_f32(x) : moderate;
    return lg_abs_f32(x) < 0x1p-30f ? x : result;
}

LG_MATH f64 lg_expm1_f64(f64 x)
{
    f64 moderate = lg_expm1_limited_f64(lg_clamp_f64(x, -38.0, 709.0));
    f64 result = x > 709.0 ? lg_exp_f64(x) : moderate;
    return lg_abs_f64(x) < 0x1p-60 ? x : result;
}

/* 1 / (1 + e^-x), with e^-|x| on either side of 0 so that a small result keeps its digits. */
LG_MATH f32 lg_sigmoid_f32(f32 x)
{
    f32 decayed = lg_exp_f32(-lg_abs_f32(x));
    return (x < 0.0f ? decayed : 1.0f) / (1.0f + decayed);
}

LG_MATH f64 lg_sigmoid_f64(f64 x)
{
    f64 decayed = lg_exp_f64(-lg_abs_f64(x));
    return (x < 0.0 ? decayed : 1.0) / (1.0 + decayed);
}

/* 2^x in f64 for results that are rounded to f32: relative error 2^-34.3, and limited to what f32 makes 0 or
   infinity. */
LG_MATH f64 lg_exp2_short_f64(f64 x)
{
    f64 limited = lg_clamp_f64(x, -160.0, 160.0);
    f64 shifted = limited + LG_SCALER_F64;
    f64 r = limited - (shifted - LG_SCALER_F64);
    f64 p = 1.519610514773805e-05;
    p = lg_fma_f64(p, r, 0.00015466781125961037);
    p = lg_fma_f64(p, r, 0.0013333935472418638);
    p = lg_fma_f64(p, r, 0.009618038061156676);
    p = lg_fma_f64(p, r, 0.05550410365285104);
    p = lg_fma_f64(p, r, 0.24022651066993608);
    p = lg_fma_f64(p, r, 0.6931471807047632);
    return lg_fma_f64(p, r, 1.0) * lg_power_of_two_f64(shifted);
}
