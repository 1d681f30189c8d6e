/* Normal numbers from uniform ones, to the last bit those of lazygrad/runtime/random_box_muller.py, which says where
   the polynomials come from and which operations are fused. */
#include "library/arrays.h"

#define FUSED __builtin_fmaf

static inline f32 natural_logarithm(f32 x)
{
    union { f32 value; i32 bits; } number = {x}, mantissa;
    f32 exponent = (f32)((number.bits >> 23) - 126);
    mantissa.bits = (number.bits & 0x007fffff) | 0x3f000000;
    f32 half_to_one = mantissa.value;
    i32 is_small = half_to_one < 0.707106781186547524f;
    exponent -= is_small ? 1.0f : 0.0f;
    f32 m = (half_to_one - 1.0f) + (is_small ? half_to_one : 0.0f), square = m * m;
    f32 y = 7.0376836292e-2f;
    y = FUSED(y, m, -1.1514610310e-1f);
    y = FUSED(y, m, 1.1676998740e-1f);
    y = FUSED(y, m, -1.2420140846e-1f);
    y = FUSED(y, m, 1.4249322787e-1f);
    y = FUSED(y, m, -1.6668057665e-1f);
    y = FUSED(y, m, 2.0000714765e-1f);
    y = FUSED(y, m, -2.4999993993e-1f);
    y = FUSED(y, m, 3.3333331174e-1f);
    y = FUSED(y * m, square, exponent * -2.12194440e-4f);
    y = FUSED(square, -0.5f, y);
    return FUSED(exponent, 0.693359375f, m + y);
}

static inline f32 negated_if(i32 condition, f32 x)
{
    return condition ? -x : x;
}

/* Of angles from 0 to 2 pi. */
static inline void sine_and_cosine(f32 angle, f32 *sine, f32 *cosine)
{
    i32 octant = ((i32)(angle * 1.27323954473516f) + 1) & ~1;
    f32 quarters = (f32)octant, x = angle;
    x = FUSED(quarters, -0.78515625f, x);
    x = FUSED(quarters, -2.4187564849853515625e-4f, x);
    x = FUSED(quarters, -3.77489497744594108e-8f, x);
    f32 square = x * x;
    f32 c = FUSED(2.443315711809948e-5f, square, -1.388731625493765e-3f);
    c = FUSED(c, square, 4.166664568298827e-2f) * square;
    c = FUSED(c, square, square * -0.5f) + 1.0f;
    f32 s = FUSED(-1.9515295891e-4f, square, 8.3321608736e-3f);
    s = FUSED(s, square, -1.6666654611e-1f) * square;
    s = FUSED(s, x, x);
    i32 exchanged = (octant & 2) != 0;
    *sine = negated_if((octant & 4) != 0, exchanged ? c : s);
    *cosine = negated_if(((octant - 2) & 4) == 0, exchanged ? s : c);
}

/* In place, `blocks` blocks of 8 radii and 8 angles, uniform in [0, 1). */
void lg_box_muller(f32 *values, i64 blocks, f32 mean, f32 std)
{
    for (f32 *block = values; block < values + 16 * blocks; block += 16) {
#pragma omp simd
        for (i32 k = 0; k < 8; k++) {
            f32 radius = __builtin_sqrtf(-2.0f * natural_logarithm(1.0f - block[k])), sine, cosine;
            sine_and_cosine(block[k + 8] * 6.283185307179586f, &sine, &cosine);
            block[k] = FUSED(radius * cosine, std, mean);
            block[k + 8] = FUSED(radius * sine, std, mean);
        }
    }
}
