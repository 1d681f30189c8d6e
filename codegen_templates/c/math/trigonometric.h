/* sin, cos and tan.

   The argument is reduced as Payne and Hanek do ("Radian reduction for trigonometric functions", 1983): of 2/pi only
   the bits matter that leave a remainder modulo 4 quarter turns, and which those are depends on x's exponent. */
#pragma once

#include "math/arithmetic.h"
#include "math/exponential.h"

/* Row g: 2^4g · 2/pi modulo 4, times 2^-4g, for x whose unit in the last place is 2^4g … 2^(4g+3) (row 0: or less).
   The high part has 29 bits: its product with an f32 is exact in f64. */
static const f64 lg_turns_high_f32[27] = {
    0x1.45f306cp-1,   0x1.17cc1b7p-3,   0x1.7cc1b72p-7,   0x1.cc1b727p-11,  0x1.836e4e4p-16,  0x1.b72722p-23,
    0x1.b72722p-23,   0x1.727220ap-27,  0x1.27220a9p-31,  0x1.c882a5p-37,   0x1.220a94fp-39,  0x1.054a7fp-46,
    0x1.529fc2p-52,   0x1.529fc26p-52,  0x1.29fc274p-56,  0x1.4fe13abp-59,  0x1.fc2757cp-64,  0x1.e13abe8p-67,
    0x1.3abe8fp-75,   0x1.3abe8fap-75,  0x1.abe8fa9p-79,  0x1.7d1f534p-84,  0x1.e8fa9a6p-87,  0x1.1f534dcp-92,
    0x1.f534ddcp-96,  0x1.a9a6eep-99,   0x1.34ddc0cp-104};
static const f64 lg_turns_low_f32[27] = {
    0x1.c9c882a53f84fp-29,  0x1.391054a7f09d6p-34,  0x1.c882a53f84eb0p-37,  0x1.1054a7f09d5f4p-42,
    0x1.054a7f09d5f48p-46,  0x1.529fc2757d1f5p-52,  0x1.529fc2757d1f5p-52,  0x1.29fc2757d1f53p-56,
    0x1.3f84eafa3ea6ap-61,  0x1.fc2757d1f534ep-64,  0x1.c2757d1f534dep-68,  0x1.3abe8fa9a6ee0p-75,
    0x1.d5f47d4d37703p-78,  0x1.57d1f534ddc0ep-80,  0x1.7d1f534ddc0dbp-84,  0x1.d1f534ddc0db6p-88,
    0x1.1f534ddc0db63p-92,  0x1.f534ddc0db629p-96,  0x1.534ddc0db6296p-100, 0x1.34ddc0db6295ap-104,
    0x1.4ddc0db629599p-108, 0x1.bb81b6c52b328p-113, 0x1.dc0db6295993cp-116, 0x1.c0db6295993c4p-120,
    0x1.b6c52b3278872p-129, 0x1.b6c52b3278872p-129, 0x1.b6295993c4390p-132};

/* x = (4n + quarter) · pi/2 + angle, |angle| <= pi/4; of quarter only the two low bits mean anything. */
typedef struct { u32 quarter; f64 angle; } lg_reduced_f32;

LG_MATH lg_reduced_f32 lg_reduce_angle_f32(f32 x)
{
    i32 above = (i32)(lg_bits_f32(x) >> 23 & 0xff) - 150;
    i64 row = (above > 0 ? above : 0) >> 2; /* as wide as what it selects: gcc gathers only then */
    f64 wide = (f64)x, high = lg_turns_high_f32[row], low = wide * lg_turns_low_f32[row];
    f64 shifted = lg_fma_f64(wide, high, low) + LG_ROUNDER_F64;
    f64 turn = lg_fma_f64(wide, high, -(shifted - LG_ROUNDER_F64)) + low;
    return (lg_reduced_f32){(u32)lg_bits_f64(shifted), turn * 0x1.921fb54442d18p+0};
}

/* sin(r + quarter · pi/2) for |r| <= pi/4; relative errors of the polynomials 2^-27.9 and 2^-33. */
LG_MATH f32 lg_sin_of_reduced_f32(f32 r, u32 quarter)
{
    f32 z = r * r;
    f32 sin = -0.00019518095f;
    sin = lg_fma_f32(sin, z, 0.008332188f);
    sin = lg_fma_f32(sin, z, -0.16666655f);
    sin = lg_copysign_f32(lg_fma_f32(r * z, sin, r), r); /* the sum of two zeros would be +0 */
    f32 cos = 2.4432327e-05f;
    cos = lg_fma_f32(cos, z, -0.001388731f);
    cos = lg_fma_f32(cos, z, 0.041666646f);
    cos = lg_fma_f32(cos, z, -0.5f);
    cos = lg_fma_f32(cos, z, 1.0f);
    f32 value = quarter & 1 ? cos : sin;
    return lg_float_f32(lg_bits_f32(value) ^ (quarter & 2) << 30);
}

LG_MATH f32 lg_sin_f32(f32 x)
{
    lg_reduced_f32 reduced = lg_reduce_angle_f32(x);
    return lg_sin_of_reduced_f32((f32)reduced.angle, reduced.quarter);
}

LG_MATH f32 lg_cos_f32(f32 x)
{
    lg_reduced_f32 reduced = lg_reduce_angle_f32(x);
    return lg_sin_of_reduced_f32((f32)reduced.angle, reduced.quarter + 1);
}

/* As a quotient in f64; relative errors of the polynomials 2^-37.5 and 2^-43. */
LG_MATH f32 lg_tan_f32(f32 x)
{
    lg_reduced_f32 reduced = lg_reduce_angle_f32(x);
    f64 r = reduced.angle, z = r * r;
    f64 sin = 2.718099175552565e-06;
    sin = lg_fma_f64(sin, z, -0.0001983930992672938);
    sin = lg_fma_f64(sin, z, 0.008333329297595721);
    sin = lg_fma_f64(sin, z, -0.1666666664073479);
    sin = lg_copysign_f64(lg_fma_f64(r * z, sin, r), r);
    f64 cos = -2.720554431473773e-07;
    cos = lg_fma_f64(cos, z, 2.479945761407602e-05);
    cos = lg_fma_f64(cos, z, -0.0013888883490440417);
    cos = lg_fma_f64(cos, z, 0.04166666661937934);
    cos = lg_fma_f64(cos, z, -0.5);
    cos = lg_fma_f64(cos, z, 1.0);
    i32 odd = reduced.quarter & 1;
    return (f32)((odd ? -cos : sin) / (odd ? sin : cos));
}
