/* erfc and erfinv. */
#pragma once

#include "math/error_function.h"
#include "math/exponential.h"
#include "math/logarithm.h"

/* erfc z = e^(-z²) · R(t) / (1 + 2z) for z >= 0, where R, e^(z²) · (1 + 2z) · erfc(z), changes by less than a factor of
   1.3 from 0 to infinity, and t = (z - c) / (z + c) makes a finite interval of that; on the left of 0 it is 2 -
   erfc|x|. */
LG_MATH f32 lg_erfc_f32(f32 x)
{
    f64 magnitude = lg_abs_f64((f64)x), z = magnitude > 10.3 ? 10.3 : magnitude;
    f64 t = (z - 3.0) / (z + 3.0); /* relative error of R 2^-28.9 */
    f64 p = -0.0002662333380815437;
    p = lg_fma_f64(p, t, -0.0007726730473761534);
    p = lg_fma_f64(p, t, 0.002004849096464708);
    p = lg_fma_f64(p, t, 0.0025657162903093915);
    p = lg_fma_f64(p, t, -0.023799540417202877);
    p = lg_fma_f64(p, t, 0.06829574473744499);
    p = lg_fma_f64(p, t, -0.11927061382503501);
    p = lg_fma_f64(p, t, 0.12964645169805034);
    p = lg_fma_f64(p, t, -0.047562420098384496);
    p = lg_fma_f64(p, t, -0.135621140945525);
    p = lg_fma_f64(p, t, 1.2530080593107167);
    f64 right = lg_exp2_short_f64(-z * z * 0x1.71547652b82fep+0) * p / lg_fma_f64(2.0, z, 1.0);
    return (f32)(x < 0.0f ? 2.0 - right : right);
}

/* What rounding takes from z² is given back to the exponential. */
LG_MATH f64 lg_erfc_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x), z = magnitude > 27.5 ? 27.5 : magnitude;
    f64 t = (z - 4.0) / (z + 4.0); /* relative error of R 2^-54.1 */
    f64 p = 1.188963598656802e-09;
    p = lg_fma_f64(p, t, 1.6453239220621176e-09);
    p = lg_fma_f64(p, t, -1.4084479987755918e-08);
    p = lg_fma_f64(p, t, -1.740033662776642e-08);
    p = lg_fma_f64(p, t, 1.1040851265181721e-07);
    p = lg_fma_f64(p, t, 7.405235836459933e-08);
    p = lg_fma_f64(p, t, -8.260672802276124e-07);
    p = lg_fma_f64(p, t, 2.9417159584496683e-07);
    p = lg_fma_f64(p, t, 5.710265116510303e-06);
    p = lg_fma_f64(p, t, -1.1222173222861944e-05);
    p = lg_fma_f64(p, t, -2.4399469474565344e-05);
    p = lg_fma_f64(p, t, 0.00015062171609935937);
    p = lg_fma_f64(p, t, -0.0001992566188592132);
    p = lg_fma_f64(p, t, -0.000757773296934383);
    p = lg_fma_f64(p, t, 0.00503196996388608);
    p = lg_fma_f64(p, t, -0.016197734056596677);
    p = lg_fma_f64(p, t, 0.03716751553906534);
    p = lg_fma_f64(p, t, -0.06633036581232461);
    p = lg_fma_f64(p, t, 0.09373283499825211);
    p = lg_fma_f64(p, t, -0.10103906603629931);
    p = lg_fma_f64(p, t, 0.06809705425469541);
    p = lg_fma_f64(p, t, 0.01537965210261965);
    p = lg_fma_f64(p, t, -0.13962111684056253);
    p = lg_fma_f64(p, t, 1.2329951186255526);
    f64 square = z * z;
    f64 decay = lg_exp_corrected_f64(-square, -lg_product_error_f64(z, z, square), 0.0);
    f64 right = decay * (p / lg_fma_f64(2.0, z, 1.0));
    return x < 0.0 ? 2.0 - right : right;
}

/* -ln(1 - x²), what erfinv is a slowly changing function of (M. Giles, "Approximating the erfinv function", 2012): near
   0 erfinv(x) / x is a polynomial in it, and towards |x| = 1 a polynomial in its square root. */
LG_MATH f64 lg_erfinv_variable_f64(f64 x) { return -LG_LN2_F64 * lg_log2_short_f64((1.0 - x) * (1.0 + x)); }

/* For w up to 5, relative error 2^-27. */
LG_MATH f64 lg_erfinv_centre_f64(f64 w)
{
    f64 u = w - 2.5;
    f64 p = -8.532595860884003e-09;
    p = lg_fma_f64(p, u, 2.3575518061557528e-08);
    p = lg_fma_f64(p, u, 4.6290768275896144e-07);
    p = lg_fma_f64(p, u, -3.4665912616693135e-06);
    p = lg_fma_f64(p, u, -4.9499494317774256e-06);
    p = lg_fma_f64(p, u, 0.0002183579097853943);
    p = lg_fma_f64(p, u, -0.001252761553561516);
    p = lg_fma_f64(p, u, -0.0041774012749577006);
    p = lg_fma_f64(p, u, 0.24664029354472156);
    p = lg_fma_f64(p, u, 1.5014093616176003);
    return p;
}

LG_MATH f32 lg_erfinv_f32(f32 x)
{
    f64 wide = (f64)x, w = lg_erfinv_variable_f64(wide);
    f64 u = __builtin_sqrt(w) - 3.0; /* relative error of the polynomial 2^-26.4 */
    f64 p = 0.00011474699798484375;
    p = lg_fma_f64(p, u, -0.00030984530260396185);
    p = lg_fma_f64(p, u, -5.402028563349071e-05);
    p = lg_fma_f64(p, u, 0.0014850136779269566);
    p = lg_fma_f64(p, u, -0.0035994348080857345);
    p = lg_fma_f64(p, u, 0.005687116133154563);
    p = lg_fma_f64(p, u, -0.007636786668547926);
    p = lg_fma_f64(p, u, 0.009445263937122493);
    p = lg_fma_f64(p, u, 1.001674935145591);
    p = lg_fma_f64(p, u, 2.8329768015349);
    f32 result = (f32)((w < 5.0 ? lg_erfinv_centre_f64(w) : p) * wide);
    result = lg_abs_f32(x) == 1.0f ? lg_copysign_f32(LG_INFINITY_F32, x) : result;
    return lg_abs_f32(x) > 1.0f ? LG_NAN_F32 : result;
}

/* The first guess in f64, for w up to that of the last number below 1; relative error 2^-19.6. */
LG_MATH f64 lg_erfinv_guess_f64(f64 x)
{
    f64 w = lg_erfinv_variable_f64(x);
    f64 u = __builtin_sqrt(w) - 4.0;
    f64 p = 1.7219752354567808e-05;
    p = lg_fma_f64(p, u, -7.887463922149296e-05);
    p = lg_fma_f64(p, u, 9.465913389872584e-05);
    p = lg_fma_f64(p, u, -2.7415819565683698e-05);
    p = lg_fma_f64(p, u, 0.00024760074534670417);
    p = lg_fma_f64(p, u, -0.000943405636643053);
    p = lg_fma_f64(p, u, 0.0012984721531780436);
    p = lg_fma_f64(p, u, 1.0095117860006375);
    p = lg_fma_f64(p, u, 3.839780966754448);
    return (w < 5.0 ? lg_erfinv_centre_f64(w) : p) * x;
}

/* One step of Halley's method, which triples the digits of the guess. Towards 1 the residual is that of erfc, because 1
   - |x| is exact and erf is not precise enough there. */
LG_MATH f64 lg_erfinv_f64(f64 x)
{
    f64 magnitude = lg_abs_f64(x), guess = lg_erfinv_guess_f64(magnitude);
    f64 residual = magnitude < 0.5 ? lg_erf_f64(guess) - magnitude : (1.0 - magnitude) - lg_erfc_f64(guess);
    f64 newton = residual * lg_exp_f64(guess * guess) * 0x1.c5bf891b4ef6bp-1; /* sqrt(pi) / 2 */
    f64 result = lg_copysign_f64(guess - newton / lg_fma_f64(guess, newton, 1.0), x);
    result = magnitude == 1.0 ? lg_copysign_f64(LG_INFINITY_F64, x) : result;
    return magnitude > 1.0 ? LG_NAN_F64 : result;
}
