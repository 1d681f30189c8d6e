/* fmod, remainder and floor_div, exact for every pair of operands.

   The quotient's integer part q comes from a division; x - q · y is exact as long as q fits the float's digits, and q
   is off by at most 1. Larger quotients need as many steps as they have digits: those are left to libm's fmod. That
   branch keeps loops over these functions scalar. */
#pragma once

#include "math/arithmetic.h"

/* f64 holds the product of y and a quotient of 29 bits, and such a quotient of two f32 is never rounded up to an
   integer. */
LG_MATH f32 lg_fmod_f32(f32 x, f32 y)
{
    f64 quotient = (f64)x / (f64)y;
    if (!(lg_abs_f64(quotient) < 0x1p+28) || lg_abs_f32(y) == LG_INFINITY_F32)
        return __builtin_fmodf(x, y);
    return lg_copysign_f32((f32)((f64)x - __builtin_trunc(quotient) * (f64)y), x);
}

LG_MATH f64 lg_fmod_f64(f64 x, f64 y)
{
#if LG_HAS_FMA
    f64 dividend = lg_abs_f64(x), divisor = lg_abs_f64(y), quotient = dividend / divisor;
    if (quotient < 0x1p+52 && divisor < LG_INFINITY_F64) {
        f64 rest = __builtin_fma(-__builtin_trunc(quotient), divisor, dividend);
        return lg_copysign_f64(rest < 0.0 ? rest + divisor : rest, x); /* the quotient was rounded up to an integer */
    }
#endif
    return __builtin_fmod(x, y);
}

/* The rest with y's sign; a rest of 0 keeps x's, as in PyTorch. */
LG_MATH f32 lg_remainder_f32(f32 x, f32 y)
{
    f32 rest = lg_fmod_f32(x, y);
    return (rest != 0.0f) & ((rest < 0.0f) != (y < 0.0f)) ? rest + y : rest;
}

LG_MATH f64 lg_remainder_f64(f64 x, f64 y)
{
    f64 rest = lg_fmod_f64(x, y);
    return (rest != 0.0) & ((rest < 0.0) != (y < 0.0)) ? rest + y : rest;
}

/* As numpy has it: (x - rest) / y is an integer but for its own rounding, hence the nearest one; x / 0 is not
   rounded. */
LG_MATH f32 lg_floor_div_f32(f32 x, f32 y)
{
    f32 rest = lg_fmod_f32(x, y);
    f32 quotient = (x - rest) / y - ((rest != 0.0f) & ((rest < 0.0f) != (y < 0.0f)) ? 1.0f : 0.0f);
    f32 floor = __builtin_floorf(quotient);
    floor += quotient - floor > 0.5f ? 1.0f : 0.0f;
    f32 result = quotient == 0.0f ? lg_copysign_f32(0.0f, x / y) : floor;
    return y == 0.0f ? x / y : result;
}

LG_MATH f64 lg_floor_div_f64(f64 x, f64 y)
{
    f64 rest = lg_fmod_f64(x, y);
    f64 quotient = (x - rest) / y - ((rest != 0.0) & ((rest < 0.0) != (y < 0.0)) ? 1.0 : 0.0);
    f64 floor = __builtin_floor(quotient);
    floor += quotient - floor > 0.5 ? 1.0 : 0.0;
    f64 result = quotient == 0.0 ? lg_copysign_f64(0.0, x / y) : floor;
    return y == 0.0 ? x / y : result;
}
