/* kernel calls: 1 (1 distinct), library calls: 1, arena of 8,192 bytes. */

#include "plan.h"

/* Over 64 x 32. */
static void linear_relu_units(i64 begin, i64 end, const f32 *x0, const f32 *x1, f32 *out0)
{
    for (i64 unit = begin; unit < end; unit++) {
        const i64 i0 = unit;
        #pragma omp simd
        for (i64 i1 = 0; i1 < 32; i1++) {
            const f32 v0 = x0[i0 * 32 + i1];
            const f32 v1 = x1[i1];
            const f32 v2 = v0 + v1;
            const f32 v3 = lg_maximum_f32(0.0f, v2);
            out0[i0 * 32 + i1] = v3;
        }
    }
}

struct linear_relu_arguments {
    const f32 *x0;
    const f32 *x1;
    f32 *out0;
};

static void linear_relu_part(void *closure, i64 begin, i64 end)
{
    const struct linear_relu_arguments *const with = closure;
    linear_relu_units(begin, end, with->x0, with->x1, with->out0);
}

CALLED static void linear_relu(const team *team, const f32 *x0, const f32 *x1, f32 *out0)
{
    struct linear_relu_arguments with = {x0, x1, out0};
    lg_share(team, 64, 102, linear_relu_part, &with);
}

STRAIGHT i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32));

i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32))
{
    static const team solo = {1};
    const team team = {threads};
    i32 refused = OK;
    (void)inputs, (void)outputs, (void)arena, (void)scalars, (void)host, (void)solo, (void)team;
    f32 *const linear = (f32 *)(arena + 0); /* f32[64,32] */
    f32 *const x = inputs[0]; /* f32[64,128] */
    f32 *const fc_weight = inputs[1]; /* f32[32,128] */
    f32 *const fc_bias = inputs[2]; /* f32[32] */
    f32 *const relu = outputs[0]; /* f32[64,32] */
    lg_matmul(&team, &(array){linear, F32, 2, {64, 32}, {32, 1}}, (array[]){{x, F32, 2, {64, 128}, {128, 1}}, {fc_weight, F32, 2, {128, 32}, {1, 128}}}, 2, (i64[]){0});
    linear_relu(&solo, linear, fc_bias, relu);
    return refused;
}
