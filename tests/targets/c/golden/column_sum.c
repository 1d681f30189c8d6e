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
static void reduce_sum_finish_row(i64 begin, i64 end, const f32 *x0, f32 *out0, const char *totals)
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

static void reduce_sum(const team *team, const f32 *x0, f32 *out0, char *totals)
{
    i64 begin, end;
    team_share(team, 64, 1, &begin, &end);
    for (i64 chunk = begin; chunk < end; chunk++)
        reduce_sum_units(4096 * chunk / 64, 4096 * (chunk + 1) / 64, x0, out0, totals + chunk * 2048);
    team_barrier(team);
    team_share(team, 512, 16, &begin, &end);
    reduce_sum_finish_row(begin, end, x0, out0, totals);
}

i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32));

i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32))
{
    static const team solo = {0, 1};
    i32 refused = OK;
    (void)inputs, (void)outputs, (void)arena, (void)scalars, (void)threads, (void)host, (void)solo;
    f32 *const x = inputs[0]; /* f32[4096,512] */
    f32 *const reduce_sum_2 = outputs[0]; /* f32[1,512] */
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const team team = lg_team();
        reduce_sum(&team, x, reduce_sum_2, arena + 0);
    }
    return refused;
}
