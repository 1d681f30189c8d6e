/* kernel calls: 1 (1 distinct), library calls: 0, arena of 0 bytes. */

#include "plan.h"

/* Over 64 x 128. */
static void softmax_units(i64 begin, i64 end, const f32 *x0, f32 *out0)
{
    for (i64 unit = begin; unit < end; unit++) {
        const i64 i0 = unit;
        f32 kept3[128];
        f32 total1 = -__builtin_inff();
        f32 lane1 = -__builtin_inff();
        i32 unordered1 = 0;
        #pragma omp simd reduction(max : lane1) reduction(| : unordered1)
        for (i64 i1 = 0; i1 < 128; i1++) {
            const f32 v0 = x0[i0 * 128 + i1];
            lane1 = v0 > lane1 ? v0 : lane1;
            unordered1 |= v0 != v0;
        }
        lane1 = unordered1 ? __builtin_nanf("") : lane1;
        total1 = lg_maximum_f32(total1, lane1);
        const f32 v1 = (f32)total1;
        f64 total4 = 0;
        f32 lane4 = 0;
        #pragma omp simd reduction(+ : lane4)
        for (i64 i1 = 0; i1 < 128; i1++) {
            const f32 v0 = x0[i0 * 128 + i1];
            const f32 v2 = v0 - v1;
            const f32 v3 = lg_exp_f32(v2);
            kept3[i1] = v3;
            lane4 = lane4 + v3;
        }
        total4 = total4 + lane4;
        const f32 v4 = (f32)total4;
        const divisor divisor5 = lg_divisor(v4);
        #pragma omp simd
        for (i64 i1 = 0; i1 < 128; i1++) {
            const f32 v3 = kept3[i1];
            const f32 v5 = lg_divide_f32(v3, divisor5);
            out0[i0 * 128 + i1] = v5;
        }
    }
}

struct softmax_arguments {
    const f32 *x0;
    f32 *out0;
};

static void softmax_part(void *closure, i64 begin, i64 end)
{
    const struct softmax_arguments *const with = closure;
    softmax_units(begin, end, with->x0, with->out0);
}

CALLED static void softmax(const team *team, const f32 *x0, f32 *out0)
{
    struct softmax_arguments with = {x0, out0};
    lg_share(team, 64, 6, softmax_part, &with);
}

STRAIGHT i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32));

i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32))
{
    static const team solo = {1};
    const team team = {threads};
    i32 refused = OK;
    (void)inputs, (void)outputs, (void)arena, (void)scalars, (void)host, (void)solo, (void)team;
    f32 *const x = inputs[0]; /* f32[64,128] */
    f32 *const softmax_2 = outputs[0]; /* f32[64,128] */
    softmax(&team, x, softmax_2);
    return refused;
}
