/* Complex numbers, as numpy computes them: products and quotients without a second look at infinities, the quotient by
   Smith's method ("Algorithm 116: Complex division", 1962). What the C library has, it computes. */
#pragma once

#include "math/arithmetic.h"

#define LG_COMPLEX_ARITHMETIC(C, T, S)                                                                                 \
    LG_MATH C lg_mul_##C(C x, C y)                                                                                     \
    {                                                                                                                  \
        T a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;                                              \
        return __builtin_complex(a * c - b * d, a * d + b * c);                                                        \
    }                                                                                                                  \
    LG_MATH C lg_div_##C(C x, C y)                                                                                     \
    {                                                                                                                  \
        T a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;                                              \
        if (__builtin_fabs##S(c) >= __builtin_fabs##S(d)) {                                                            \
            if (c == 0 && d == 0)                                                                                      \
                return __builtin_complex(a / __builtin_fabs##S(c), b / __builtin_fabs##S(c));                          \
            T ratio = d / c, scale = (T)1 / (c + d * ratio);                                                           \
            return __builtin_complex((a + b * ratio) * scale, (b - a * ratio) * scale);                                \
        }                                                                                                              \
        T ratio = c / d, scale = (T)1 / (c * ratio + d);                                                               \
        return __builtin_complex((a * ratio + b) * scale, (b * ratio - a) * scale);                                    \
    }                                                                                                                  \
    LG_MATH T lg_abs_##C(C x) { return __builtin_hypot##S(__real__ x, __imag__ x); }                                   \
    LG_MATH C lg_scale_##C(C x, T by) { return __builtin_complex(__real__ x * by, __imag__ x * by); }                  \
    LG_MATH C lg_exp2_##C(C x) { return __builtin_cexp##S(lg_scale_##C(x, (T)0.6931471805599453094L)); }               \
    LG_MATH C lg_log2_##C(C x) { return lg_scale_##C(__builtin_clog##S(x), (T)1.4426950408889634074L); }               \
    LG_MATH C lg_log10_##C(C x) { return lg_scale_##C(__builtin_clog##S(x), (T)0.4342944819032518277L); }              \
    LG_MATH C lg_log1p_##C(C x)                                                                                        \
    {                                                                                                                  \
        T a = __real__ x + 1, b = __imag__ x;                                                                          \
        return __builtin_complex(__builtin_log##S(__builtin_hypot##S(a, b)), __builtin_atan2##S(b, a));                \
    }                                                                                                                  \
    LG_MATH C lg_expm1_##C(C x)                                                                                        \
    {                                                                                                                  \
        T a = __real__ x, b = __imag__ x, half = __builtin_sin##S(b / 2);                                              \
        return __builtin_complex(__builtin_expm1##S(a) * __builtin_cos##S(b) - 2 * half * half,                        \
                                 __builtin_exp##S(a) * __builtin_sin##S(b));                                           \
    }                                                                                                                  \
    /* Small whole powers are products, by squaring. Of 0 powers are 0, with a negative real part or 0 NaN. */         \
    LG_MATH C lg_pow_##C(C x, C y)                                                                                     \
    {                                                                                                                  \
        T exponent = __real__ y;                                                                                       \
        i32 is_real = __imag__ y == 0;                                                                                 \
        if (is_real && exponent == 0)                                                                                  \
            return 1;                                                                                                  \
        if (__real__ x == 0 && __imag__ x == 0)                                                                        \
            return exponent > 0 ? (C)0 : __builtin_complex((T)__builtin_nan(""), (T)__builtin_nan(""));                \
        if (!is_real || !(exponent > -100 && exponent < 100) || (T)(i32)exponent != exponent)                          \
            return __builtin_cpow##S(x, y);                                                                            \
        i32 count = (i32)exponent < 0 ? -(i32)exponent : (i32)exponent;                                                \
        C power = 1, square = x;                                                                                       \
        for (i32 first = 1; count; count >>= 1, square = lg_mul_##C(square, square))                                   \
            if (count & 1) {                                                                                           \
                power = first ? square : lg_mul_##C(power, square);                                                    \
                first = 0;                                                                                             \
            }                                                                                                          \
        return exponent < 0 ? lg_div_##C(1, power) : power;                                                            \
    }

LG_COMPLEX_ARITHMETIC(c64, f32, f)
LG_COMPLEX_ARITHMETIC(c128, f64, )

#define LG_COMPLEX_FUNCTION(name, library)                                                                             \
    LG_MATH c64 lg_##name##_c64(c64 x) { return __builtin_##library##f(x); }                                           \
    LG_MATH c128 lg_##name##_c128(c128 x) { return __builtin_##library(x); }

LG_COMPLEX_FUNCTION(exp, cexp)
LG_COMPLEX_FUNCTION(log, clog)
LG_COMPLEX_FUNCTION(sqrt, csqrt)
LG_COMPLEX_FUNCTION(sin, csin)
LG_COMPLEX_FUNCTION(cos, ccos)
LG_COMPLEX_FUNCTION(tan, ctan)
LG_COMPLEX_FUNCTION(asin, casin)
LG_COMPLEX_FUNCTION(acos, cacos)
LG_COMPLEX_FUNCTION(atan, catan)
LG_COMPLEX_FUNCTION(sinh, csinh)
LG_COMPLEX_FUNCTION(cosh, ccosh)
LG_COMPLEX_FUNCTION(tanh, ctanh)
LG_COMPLEX_FUNCTION(asinh, casinh)
LG_COMPLEX_FUNCTION(acosh, cacosh)
LG_COMPLEX_FUNCTION(atanh, catanh)

/* Products in any order, for loops that keep one per lane. */
#pragma omp declare reduction(lg_product : c64 : omp_out = lg_mul_c64(omp_out, omp_in)) initializer(omp_priv = 1)
#pragma omp declare reduction(lg_product : c128 : omp_out = lg_mul_c128(omp_out, omp_in)) initializer(omp_priv = 1)
