/* pow(x, y) = 2^(y · log2|x|), with the sign and the exceptions of IEEE 754's pow, which are numpy's too. */
#pragma once

#include "math/exponential.h"
#include "math/logarithm.h"

/* What the magnitude becomes for the signs and exceptions of pow. An integer is odd when its half is none; large ones
   are even by themselves. */
LG_MATH f32 lg_pow_signed_f32(f32 x, f32 y, f32 magnitude)
{
    i32 integer = __builtin_rintf(y) == y, odd = integer & (__builtin_rintf(0.5f * y) != 0.5f * y);
    f32 result = odd ? lg_copysign_f32(magnitude, x) : magnitude;
    result = (x < 0.0f) & (x > -LG_INFINITY_F32) & !integer ? LG_NAN_F32 : result;
    i32 to_infinity_of_one = (lg_abs_f32(x) == 1.0f) & (lg_abs_f32(y) == LG_INFINITY_F32);
    return (x == 1.0f) | (y == 0.0f) | to_infinity_of_one ? 1.0f : result;
}

LG_MATH f64 lg_pow_signed_f64(f64 x, f64 y, f64 magnitude)
{
    i32 integer = __builtin_rint(y) == y, odd = integer & (__builtin_rint(0.5 * y) != 0.5 * y);
    f64 result = odd ? lg_copysign_f64(magnitude, x) : magnitude;
    result = (x < 0.0) & (x > -LG_INFINITY_F64) & !integer ? LG_NAN_F64 : result;
    i32 to_infinity_of_one = (lg_abs_f64(x) == 1.0) & (lg_abs_f64(y) == LG_INFINITY_F64);
    return (x == 1.0) | (y == 0.0) | to_infinity_of_one ? 1.0 : result;
}

LG_MATH f32 lg_pow_f32(f32 x, f32 y)
{
    f32 base = lg_abs_f32(x);
    f64 log2 = lg_log2_short_f64((f64)base);
    log2 = base < LG_INFINITY_F32 ? log2 : base;
    log2 = base == 0.0f ? -LG_INFINITY_F64 : log2;
    return lg_pow_signed_f32(x, y, (f32)lg_exp2_short_f64((f64)y * log2));
}

/* ln(1 + f) as log + *low, to about 2^-65: as lg_log_tail_f64 has it, with s and the first two terms of the series,
   s + s³/3, in twice the precision. */
LG_MATH f64 lg_log_doubled_f64(f64 f, f64 *low)
{
    f64 divisor = 2.0 + f, divisor_low = (2.0 - divisor) + f;
    f64 s = f / divisor;
    f64 whole = s * divisor;
    f64 rest = ((f - whole) - lg_product_error_f64(s, divisor, whole)) - s * divisor_low;
    f64 s_low = rest / divisor;
    f64 z = s * s, z_low = lg_product_error_f64(s, s, z) + 2.0 * s * s_low;
    f64 p = 0.1199042687098867;
    p = lg_fma_f64(p, z, 0.11674649050313142);
    p = lg_fma_f64(p, z, 0.13336325750273043);
    p = lg_fma_f64(p, z, 0.15384556654980194);
    p = lg_fma_f64(p, z, 0.18181818873470867);
    p = lg_fma_f64(p, z, 0.22222222217510856);
    p = lg_fma_f64(p, z, 0.2857142857144522);
    p = lg_fma_f64(p, z, 0.3999999999999998);
    f64 third = z * 0x1.5555555555555p-1;
    f64 third_low = lg_product_error_f64(z, 0x1.5555555555555p-1, third);
    third_low += lg_fma_f64(z, 0x1.5555555555555p-55, z_low * 0x1.5555555555555p-1) + z * z * p;
    f64 cubic = s * third;
    f64 cubic_low = lg_product_error_f64(s, third, cubic) + lg_fma_f64(s, third_low, s_low * third);
    f64 sum = 2.0 * s + cubic;
    f64 sum_low = lg_ordered_sum_error_f64(2.0 * s, cubic, sum) + (cubic_low + 2.0 * s_low);
    f64 log = sum + sum_low;
    *low = lg_ordered_sum_error_f64(sum, sum_low, log);
    return log;
}

/* log2 of a positive finite x as log2 + *low. */
LG_MATH f64 lg_log2_doubled_f64(f64 x, f64 *low)
{
    lg_decomposed_f64 parts = lg_decompose_f64(x);
    f64 log_low, log = lg_log_doubled_f64(parts.fraction, &log_low);
    f64 scaled = log * 0x1.71547652b82fep+0;
    f64 scaled_low = lg_product_error_f64(log, 0x1.71547652b82fep+0, scaled);
    scaled_low += lg_fma_f64(log, 0x1.777d0ffda0d24p-56, log_low * 0x1.71547652b82fep+0);
    f64 sum = parts.exponent + scaled;
    f64 sum_low = lg_sum_error_f64(parts.exponent, scaled, sum) + scaled_low;
    f64 log2 = sum + sum_low;
    *low = lg_ordered_sum_error_f64(sum, sum_low, log2);
    return log2;
}

LG_MATH f64 lg_pow_f64(f64 x, f64 y)
{
    f64 base = lg_abs_f64(x);
    f64 low, log2 = lg_log2_doubled_f64(base, &low);
    i32 ordinary = (base > 0.0) & (base < LG_INFINITY_F64);
    log2 = ordinary ? log2 : (base == 0.0 ? -LG_INFINITY_F64 : base);
    f64 e = y * log2;
    f64 e_low = lg_product_error_f64(y, log2, e) + y * low;
    e_low = ordinary & (lg_abs_f64(e) < 1100.0) ? e_low : 0.0;
    return lg_pow_signed_f64(x, y, lg_exp2_corrected_f64(e, e_low));
}
