/* asin, acos, atan and atan2, all in f64: an f32 result is the f64 one, rounded. Polynomials as in exponential.h. */
#pragma once

#include "math/arithmetic.h"

#define LG_HALF_PI_F64 0x1.921fb54442d18p+0
#define LG_HALF_PI_REST_F64 0x1.1a62633145c07p-54

/* A result as a large and a small part, to be added to a constant before rounding. */
typedef struct { f64 large, small; } lg_parts_f64;

/* asin(s + s_low) - s for |s| <= 1/2, to first order in s_low; error relative to asin 2^-57.9. */
LG_MATH f64 lg_asin_tail_f64(f64 s, f64 s_low)
{
    f64 z = s * s;
    f64 p = 0.032752844295813995;
    p = lg_fma_f64(p, z, -0.02119582755012071);
    p = lg_fma_f64(p, z, 0.02184514796972241);
    p = lg_fma_f64(p, z, 0.0036503756880037303);
    p = lg_fma_f64(p, z, 0.01079493409718613);
    p = lg_fma_f64(p, z, 0.01139632132711003);
    p = lg_fma_f64(p, z, 0.013981133519345575);
    p = lg_fma_f64(p, z, 0.017351586238923977);
    p = lg_fma_f64(p, z, 0.022372216402042913);
    p = lg_fma_f64(p, z, 0.030381942658403122);
    p = lg_fma_f64(p, z, 0.04464285717562154);
    p = lg_fma_f64(p, z, 0.07499999999969766);
    p = lg_fma_f64(p, z, 0.16666666666666763);
    return lg_fma_f64(s * z, p, s_low);
}

/* asin|x| up to 1/2, and beyond asin(sqrt((1 - |x|) / 2)) = acos|x| / 2. */
LG_MATH lg_parts_f64 lg_half_angle_f64(f64 magnitude)
{
    f64 square = 0.5 * (1.0 - magnitude);
    f64 root = __builtin_sqrt(square), root_square = root * root;
    f64 lost = (square - root_square) - lg_product_error_f64(root, root, root_square);
    f64 root_low = lost / (root + root + 0x1p-1000); /* not 0 / 0 at |x| = 1 */
    i32 near = magnitude <= 0.5;
    f64 s = near ? magnitude : root, s_low = near ? 0.0 : root_low;
    return (lg_parts_f64){s, lg_asin_tail_f64(s, s_low)};
}

LG_MATH f64 lg_asin_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x);
    lg_parts_f64 angle = lg_half_angle_f64(magnitude);
    f64 far = LG_HALF_PI_F64 - (2.0 * angle.large + (2.0 * angle.small - LG_HALF_PI_REST_F64));
    return lg_copysign_f64(magnitude <= 0.5 ? angle.large + angle.small : far, x);
}

LG_MATH f64 lg_acos_f64(f64 x)
{
    lg_parts_f64 angle = lg_half_angle_f64(lg_abs_f64(x));
    f64 near_sign = x < 0.0 ? -1.0 : 1.0;
    f64 middle = LG_HALF_PI_F64 - lg_fma_f64(near_sign, angle.large, near_sign * angle.small - LG_HALF_PI_REST_F64);
    f64 left = 2.0 * (LG_HALF_PI_F64 - (angle.large + (angle.small - LG_HALF_PI_REST_F64)));
    f64 right = 2.0 * (angle.large + angle.small);
    return lg_abs_f64(x) <= 0.5 ? middle : (x < 0.0 ? left : right);
}

/* atan(q) - q for |q| <= tan(pi/8); error relative to atan 2^-58.4. */
LG_MATH f64 lg_atan_tail_f64(f64 q)
{
    f64 z = q * q;
    f64 p = 0.015195420599646799;
    p = lg_fma_f64(p, z, -0.03347474831796147);
    p = lg_fma_f64(p, z, 0.04503563204028821);
    p = lg_fma_f64(p, z, -0.05218408103210193);
    p = lg_fma_f64(p, z, 0.05877022429198004);
    p = lg_fma_f64(p, z, -0.06666226827867962);
    p = lg_fma_f64(p, z, 0.07692282763895808);
    p = lg_fma_f64(p, z, -0.09090908144783855);
    p = lg_fma_f64(p, z, 0.11111111088185678);
    p = lg_fma_f64(p, z, -0.1428571428538815);
    p = lg_fma_f64(p, z, 0.1999999999999767);
    p = lg_fma_f64(p, z, -0.33333333333333326);
    return p * z * q;
}

/* The angle of (b, a) for a, b >= 0, mirrored to (-b, a) if so wished: of the angles 0, pi/4 and pi/2 the nearest one
   plus atan of the slope against it, a / b, (a - b) / (a + b) or -b / a, whose size is at most tan(pi/8). */
LG_MATH f64 lg_angle_f64(f64 a, f64 b, i32 mirrored)
{
    i32 low = a <= b * 0x1.a827999fcef32p-2, high = a > b * 0x1.3504f333f9de6p+1;
    f64 numerator = low ? a : (high ? -b : a - b);
    f64 denominator = low ? b : (high ? a : a + b);
    f64 eighths = low ? 0.0 : (high ? 2.0 : 1.0); /* of a turn */
    f64 q = numerator / denominator * (mirrored ? -1.0 : 1.0);
    eighths = mirrored ? 4.0 - eighths : eighths;
    f64 small = lg_fma_f64(eighths, 0.5 * LG_HALF_PI_REST_F64, lg_atan_tail_f64(q));
    return lg_fma_f64(eighths, 0.5 * LG_HALF_PI_F64, q + small);
}

LG_MATH f64 lg_atan_f64(f64 x)
{
    f64 angle = lg_angle_f64(lg_abs_f64(x), 1.0, 0);
    return lg_copysign_f64(angle, x);
}

/* Ratios that are no numbers have angles nevertheless: 0 / 0 counts as 0 / 1, infinity / infinity as 1 / 1. The largest
   coordinates are made smaller, so that their sum is finite. */
LG_MATH f64 lg_atan2_f64(f64 y, f64 x)
{
    f64 a = lg_abs_f64(y), b = lg_abs_f64(x);
    i32 infinite = (a == LG_INFINITY_F64) & (b == LG_INFINITY_F64);
    f64 scale = (a > 0x1p+1000) & (b > 0x1p+1000) ? 0x1p-10 : 1.0;
    f64 rise = infinite ? 1.0 : a * scale;
    f64 run = infinite | ((a == 0.0) & (b == 0.0)) ? 1.0 : b * scale;
    return lg_copysign_f64(lg_angle_f64(rise, run, (lg_bits_f64(x) >> 63) != 0), y);
}

LG_MATH f32 lg_asin_f32(f32 x) { return (f32)lg_asin_f64((f64)x); }
LG_MATH f32 lg_acos_f32(f32 x) { return (f32)lg_acos_f64((f64)x); }
LG_MATH f32 lg_atan_f32(f32 x) { return (f32)lg_atan_f64((f64)x); }
LG_MATH f32 lg_atan2_f32(f32 y, f32 x) { return (f32)lg_atan2_f64((f64)y, (f64)x); }
