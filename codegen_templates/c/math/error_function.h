/* erf and its relatives.

   erf|x| = 1 - e^-v with v = -ln(erfc|x|), which has no singularity in the right half plane and grows like x², so one
   polynomial serves for all x until erf is 1: there is nothing to select and nothing to divide. Its error counts the
   less the larger v is. e^-v - 1 is computed as such, so small results keep their digits. */
#pragma once

#include "math/exponential.h"

/* v / x - 2/sqrt(pi) is the polynomial (minimax, erf's relative error 2^-27.9); the constant is split so that its
   product with x, the largest part, is the only rounding that counts near 0. */
LG_MATH f32 lg_erf_f32(f32 x)
{
    f32 magnitude = lg_abs_f32(x);
    magnitude = magnitude > 3.95f ? 3.95f : magnitude;
    f32 p = -0x1.36768ap-17f;
    p = lg_fma_f32(p, magnitude, 0x1.ed5a28p-14f);
    p = lg_fma_f32(p, magnitude, -0x1.4bc99cp-11f);
    p = lg_fma_f32(p, magnitude, 0x1.b5071ap-10f);
    p = lg_fma_f32(p, magnitude, -0x1.50ce9cp-13f);
    p = lg_fma_f32(p, magnitude, -0x1.39cd12p-6f);
    p = lg_fma_f32(p, magnitude, 0x1.a4fa4ep-4f);
    p = lg_fma_f32(p, magnitude, 0x1.45f2fap-1f);
    p = lg_fma_f32(p, magnitude, -0x1.d0e5b6p-25f);
    f32 v = lg_fma_f32(magnitude, 0x1.20dd76p+0f, magnitude * p);
    return lg_copysign_f32(lg_expm1_limited_f32(-v), x);
}

LG_MATH f64 lg_erf_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x);
    magnitude = magnitude > 5.95 ? 5.95 : magnitude;
    f64 p = -3.591334078618643e-15;
    p = lg_fma_f64(p, magnitude, 1.6145194488327548e-13);
    p = lg_fma_f64(p, magnitude, -3.363684877684466e-12);
    p = lg_fma_f64(p, magnitude, 4.301011779870779e-11);
    p = lg_fma_f64(p, magnitude, -3.7600898836875607e-10);
    p = lg_fma_f64(p, magnitude, 2.360149135493066e-09);
    p = lg_fma_f64(p, magnitude, -1.0771717404399037e-08);
    p = lg_fma_f64(p, magnitude, 3.4579188201384904e-08);
    p = lg_fma_f64(p, magnitude, -6.571809615683095e-08);
    p = lg_fma_f64(p, magnitude, -1.174163631679395e-08);
    p = lg_fma_f64(p, magnitude, 5.706900290502779e-07);
    p = lg_fma_f64(p, magnitude, -2.0372675441453894e-06);
    p = lg_fma_f64(p, magnitude, 3.133048895081171e-06);
    p = lg_fma_f64(p, magnitude, 3.1695960047068304e-06);
    p = lg_fma_f64(p, magnitude, -2.957561520168291e-05);
    p = lg_fma_f64(p, magnitude, 6.442044380999683e-05);
    p = lg_fma_f64(p, magnitude, 2.590451125629718e-05);
    p = lg_fma_f64(p, magnitude, -0.0005901324335741684);
    p = lg_fma_f64(p, magnitude, 0.0016962076705790041);
    p = lg_fma_f64(p, magnitude, -0.00020919485402053748);
    p = lg_fma_f64(p, magnitude, -0.019128446993086738);
    p = lg_fma_f64(p, magnitude, 0.10277260330131512);
    p = lg_fma_f64(p, magnitude, 0.6366197723675909);
    p = lg_fma_f64(p, magnitude, -9.01540548207534e-18);
    f64 v = lg_fma_f64(magnitude, 0x1.20dd750429b6dp+0, magnitude * p);
    return lg_copysign_f64(lg_expm1_limited_f64(-v), x);
}
