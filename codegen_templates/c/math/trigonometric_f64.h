/* sin, cos and tan of f64, reduced as trigonometric.h describes, with four pieces of 2/pi. */
#pragma once

#include "math/arithmetic.h"
#include "math/exponential.h"
#include "math/two_over_pi.h"

/* The nearest multiple of 4 is taken away; exact. Large values may be integers already, or multiples of 4. */
LG_MATH f64 lg_modulo_turn_f64(f64 quarters) { return quarters - 4.0 * __builtin_rint(0.25 * quarters); }

/* 48 bits of 2/pi as an integer in f64: ORed into 2^52. */
LG_MATH f64 lg_turn_piece_f64(u64 window) { return lg_float_f64((window >> 16) | 0x4330000000000000) - 0x1p+52; }

/* x = (4n + quarter) · pi/2 + angle + angle_low, |angle| <= pi/4; of quarter only the two low bits mean anything. */
typedef struct { u64 quarter; f64 angle, angle_low; } lg_reduced_f64;

/* x · 2/pi modulo 4 as a sum, largest summands first: x's unit in the last place is at least 2^8g (or g is 0), so what
   2/pi has before bit 8g adds multiples of 4. Pieces start at bits 0, 48, 96 and 144 of the window of g; the products
   of x with the first two are split into rounded product and error, and everything that may cancel is added without
   loss. */
LG_MATH lg_reduced_f64 lg_reduce_angle_f64(f64 x)
{
    i64 above = (i64)(lg_bits_f64(x) >> 52 & 0x7ff) - 1075;
    u64 row = (u64)(above > 0 ? above : 0) >> 3;
    f64 scaled = x * lg_float_f64((0x3ff - 8 * row) << 52);
    f64 first = lg_turn_piece_f64(lg_two_over_pi[row]) * 0x1p-40;
    f64 second = lg_turn_piece_f64(lg_two_over_pi[row + 6]) * 0x1p-88;
    f64 third = lg_turn_piece_f64(lg_two_over_pi[row + 12]) * 0x1p-136;
    f64 fourth = lg_turn_piece_f64(lg_two_over_pi[row + 18]) * 0x1p-184;
    f64 a = scaled * first, a_low = lg_product_error_f64(scaled, first, a);
    f64 b = scaled * second, b_low = lg_product_error_f64(scaled, second, b);
    f64 c = scaled * third, c_low = lg_product_error_f64(scaled, third, c);
    a = lg_modulo_turn_f64(a), a_low = lg_modulo_turn_f64(a_low), b = lg_modulo_turn_f64(b);
    f64 sum1 = a + a_low, low1 = lg_sum_error_f64(a, a_low, sum1);
    f64 sum2 = sum1 + b, low2 = lg_sum_error_f64(sum1, b, sum2);
    f64 sum3 = sum2 + c, low3 = lg_sum_error_f64(sum2, c, sum3);
    f64 sum4 = sum3 + b_low, low4 = lg_sum_error_f64(sum3, b_low, sum4);
    f64 low = (low1 + low2) + (low3 + low4) + lg_fma_f64(scaled, fourth, c_low);
    f64 shifted = sum4 + LG_ROUNDER_F64;
    f64 coarse = sum4 - (shifted - LG_ROUNDER_F64);
    f64 turn = coarse + low, turn_low = lg_sum_error_f64(coarse, low, turn);
    f64 angle = turn * 0x1.921fb54442d18p+0;
    f64 angle_low = lg_product_error_f64(turn, 0x1.921fb54442d18p+0, angle);
    angle_low += lg_fma_f64(turn, 0x1.1a62633145c07p-54, turn_low * 0x1.921fb54442d18p+0);
    i32 small = lg_abs_f64(x) <= 0x1.921fb54442d18p-1; /* nothing to reduce: keep every digit */
    return (lg_reduced_f64){small ? 0 : lg_bits_f64(shifted), small ? x : angle, small ? 0.0 : angle_low};
}

/* sin(r + r_low) for |r| <= pi/4, to first order in r_low; relative error of the polynomial 2^-57.9. */
LG_MATH f64 lg_sin_near_f64(f64 r, f64 r_low)
{
    f64 z = r * r;
    f64 p = 1.5895431132655521e-10;
    p = lg_fma_f64(p, z, -2.5050734361786564e-8);
    p = lg_fma_f64(p, z, 2.7557313538404124e-6);
    p = lg_fma_f64(p, z, -0.00019841269829358392);
    p = lg_fma_f64(p, z, 0.0083333333333218407);
    p = lg_fma_f64(p, z, -0.1666666666666663);
    f64 sin = r + lg_fma_f64(r * z, p, lg_fma_f64(z, -0.5 * r_low, r_low));
    return lg_copysign_f64(sin, r); /* the sum of two zeros would be +0 */
}

/* cos(r + r_low) for |r| <= pi/4; relative error of the polynomial 2^-63.9. What rounding takes from 1 - r²/2 is added
   back. */
LG_MATH f64 lg_cos_near_f64(f64 r, f64 r_low)
{
    f64 z = r * r;
    f64 p = -1.1358617178748699e-11;
    p = lg_fma_f64(p, z, 2.0875714082720721e-9);
    p = lg_fma_f64(p, z, -2.7557314203091129e-7);
    p = lg_fma_f64(p, z, 2.4801587288965247e-5);
    p = lg_fma_f64(p, z, -0.0013888888888873307);
    p = lg_fma_f64(p, z, 0.041666666666666595);
    f64 half = 0.5 * z, rounded = 1.0 - half;
    return rounded + (((1.0 - rounded) - half) + lg_fma_f64(z * z, p, -r * r_low));
}

LG_MATH f64 lg_sin_of_reduced_f64(lg_reduced_f64 reduced, u64 quarter)
{
    f64 sin = lg_sin_near_f64(reduced.angle, reduced.angle_low);
    f64 cos = lg_cos_near_f64(reduced.angle, reduced.angle_low);
    f64 value = quarter & 1 ? cos : sin;
    return lg_float_f64(lg_bits_f64(value) ^ (quarter & 2) << 62);
}

LG_MATH f64 lg_sin_f64(f64 x)
{
    lg_reduced_f64 reduced = lg_reduce_angle_f64(x);
    return lg_sin_of_reduced_f64(reduced, reduced.quarter);
}

LG_MATH f64 lg_cos_f64(f64 x)
{
    lg_reduced_f64 reduced = lg_reduce_angle_f64(x);
    return lg_sin_of_reduced_f64(reduced, reduced.quarter + 1);
}

LG_MATH f64 lg_tan_f64(f64 x)
{
    lg_reduced_f64 reduced = lg_reduce_angle_f64(x);
    f64 sin = lg_sin_near_f64(reduced.angle, reduced.angle_low);
    f64 cos = lg_cos_near_f64(reduced.angle, reduced.angle_low);
    return (reduced.quarter & 1 ? -cos : sin) / (reduced.quarter & 1 ? sin : cos);
}
