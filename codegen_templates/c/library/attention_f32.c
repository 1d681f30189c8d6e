/* Rows of attention in f32. */
#include "../math/exponential.h"

/* e^x for x that is not above zero, so that the exponent needs one limit only. */
static inline f32 exponential_f32(f32 x)
{
    f32 limited = x < -104.0f ? -104.0f : x;
    f32 shifted = lg_fma_f32(limited, 0x1.715476p+0f, LG_HALVES_F32);
    f32 k = shifted - LG_HALVES_F32;
    f32 r = lg_fma_f32(k, -LG_LN2_LOW_F32, lg_fma_f32(k, -LG_LN2_HIGH_F32, limited));
    return lg_scale_f32(lg_exp_tail_f32(r, r), shifted);
}

#define NAME lg_attention_rows_f32
#define ELEMENT f32
#define EXPONENTIAL exponential_f32

#include "attention_rows.inc"
