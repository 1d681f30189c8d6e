/* kernel calls: 1 (1 distinct), library calls: 0, arena of 0 bytes. */

#include "plan.h"

/* Over 4096 x 512. */
static void reduce_sum_units(i64 begin, i64 end, const f32 *x0, f32 *out0, char *totals)
{
    f32 *const total1 = (f32 *)(totals + 0);
    for (i64 i = 0; i < 512; i++) total1[i] = 0;
    for (i64 unit = begin; unit < end; unit++) {
        const i64 i0 = unit;
        #pragma omp simd
        for (i64 i1 = 0; i1 < 512; i1++) {
            const f32 v0 = x0[i0 * 512 + i1];
            total1[i1] = total1[i1] + v0;
        }
    }
}

/* The reductions of reduce_sum whose totals lie in chunks. */
static void reduce_sum_finish_row(i64 begin, i64 end, const f32 *x0, f32 *out0, char *totals)
{
    for (i64 element = begin; element < end; element++) {
        const i64 i1 = element / 1 % 512;
        f64 total1 = 0;
        for (i64 chunk = 0; chunk < 64; chunk++) {
            total1 = total1 + ((const f32 *)(totals + chunk * 2048 + 0))[element];
        }
        const f32 v1 = (f32)total1;
        out0[i1] = v1;
    }
}

struct reduce_sum_arguments {
    const f32 *x0;
    f32 *out0;
    char *totals;
};

static void reduce_sum_part(void *closure, i64 begin, i64 end)
{
    const struct reduce_sum_arguments *const with = closure;
    for (i64 chunk = begin; chunk < end; chunk++)
        reduce_sum_units(4096 * chunk / 64, 4096 * (chunk + 1) / 64, with->x0, with->out0, with->totals + chunk * 2048);
}

static void reduce_sum_finish_row_part(void *closure, i64 begin, i64 end)
{
    const struct reduce_sum_arguments *const with = closure;
    reduce_sum_finish_row(begin, end, with->x0, with->out0, with->totals);
}

CALLED static void reduce_sum(const team *team, const f32 *x0, f32 *out0, char *totals)
{
    struct reduce_sum_arguments with = {x0, out0, totals};
    lg_share(team, 64, 1, reduce_sum_part, &with);
    lg_share(team, 512, 16, reduce_sum_finish_row_part, &with);
}

STRAIGHT i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32));

i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32))
{
    static const team solo = {1};
    const team team = {threads};
    i32 refused = OK;
    (void)inputs, (void)outputs, (void)arena, (void)scalars, (void)host, (void)solo, (void)team;
    f32 *const x = inputs[0]; /* f32[4096,512] */
    f32 *const reduce_sum_2 = outputs[0]; /* f32[1,512] */
    reduce_sum(&team, x, reduce_sum_2, arena + 0);
    return refused;
}
