/* What the functions of this folder are built from: bits of floats, fused multiply-adds, rounding error made visible.

   All of it is branch-free, so that a loop over any of these functions can be turned into vector code: a condition is
   always a choice (?:) between two values that are both computed. */
#pragma once

#include "library/library.h"

#define LG_MATH static inline __attribute__((always_inline))

#define LG_INFINITY_F32 __builtin_inff()
#define LG_INFINITY_F64 __builtin_inf()
#define LG_NAN_F32 __builtin_nanf("")
#define LG_NAN_F64 __builtin_nan("")

LG_MATH u32 lg_bits_f32(f32 x)
{
    u32 bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

LG_MATH u64 lg_bits_f64(f64 x)
{
    u64 bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

LG_MATH f32 lg_float_f32(u32 bits)
{
    f32 x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

LG_MATH f64 lg_float_f64(u64 bits)
{
    f64 x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* a · b + c. Rounded once where the machine can; a call of libm's exact emulation would cost more than it is worth, so
   elsewhere rounded twice, and nothing may depend on the product being exact: see lg_product_error. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__FP_FAST_FMA)
#define LG_HAS_FMA 1
LG_MATH f32 lg_fma_f32(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
LG_MATH f64 lg_fma_f64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
#else
#define LG_HAS_FMA 0
LG_MATH f32 lg_fma_f32(f32 a, f32 b, f32 c) { return a * b + c; }
LG_MATH f64 lg_fma_f64(f64 a, f64 b, f64 c) { return a * b + c; }
#endif

LG_MATH f32 lg_abs_f32(f32 x) { return __builtin_fabsf(x); }
LG_MATH f64 lg_abs_f64(f64 x) { return __builtin_fabs(x); }
LG_MATH f32 lg_copysign_f32(f32 magnitude, f32 sign) { return __builtin_copysignf(magnitude, sign); }
LG_MATH f64 lg_copysign_f64(f64 magnitude, f64 sign) { return __builtin_copysign(magnitude, sign); }

/* x limited to [low, high]; NaN stays NaN. */
LG_MATH f32 lg_clamp_f32(f32 x, f32 low, f32 high)
{
    f32 limited = x < low ? low : x;
    return limited > high ? high : limited;
}

LG_MATH f64 lg_clamp_f64(f64 x, f64 low, f64 high)
{
    f64 limited = x < low ? low : x;
    return limited > high ? high : limited;
}

/* a · b - product, exactly, for a product that was rounded. Without fma by Dekker's method ("A floating-point technique
   for extending the available precision", 1971): operands are cut in halves (Veltkamp) whose products are exact. */
LG_MATH f64 lg_product_error_f64(f64 a, f64 b, f64 product)
{
#if LG_HAS_FMA
    return __builtin_fma(a, b, -product);
#else
    f64 a_cut = a * 0x1.0000002p+27, b_cut = b * 0x1.0000002p+27;
    f64 a_high = a_cut - (a_cut - a), b_high = b_cut - (b_cut - b);
    f64 a_low = a - a_high, b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}

/* a + b - sum, exactly, for |a| >= |b| or a = 0 (Dekker) and for any a, b (Knuth). */
LG_MATH f64 lg_ordered_sum_error_f64(f64 a, f64 b, f64 sum) { return b - (sum - a); }

LG_MATH f64 lg_sum_error_f64(f64 a, f64 b, f64 sum)
{
    f64 b_rounded = sum - a;
    return (a - (sum - b_rounded)) + (b - b_rounded);
}
