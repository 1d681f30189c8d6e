/* kernel calls: 3 (3 distinct), library calls: 1, arena of 3,840,000 bytes. */

#include "plan.h"

/* Over 600 x 800. */
static void softmax_mul_units(i64 begin, i64 end, const f32 *x0, f32 *out0, f32 *out1)
{
    for (i64 unit = begin; unit < end; unit++) {
        const i64 i0 = unit;
        f32 kept3[800];
        f32 total1 = -__builtin_inff();
        f32 lane1 = -__builtin_inff();
        i32 unordered1 = 0;
        #pragma omp simd reduction(max : lane1) reduction(| : unordered1)
        for (i64 i1 = 0; i1 < 800; i1++) {
            const f32 v0 = x0[i0 * 800 + i1];
            const f32 v6 = v0 * v0;
            out1[i0 * 800 + i1] = v6;
            lane1 = v0 > lane1 ? v0 : lane1;
            unordered1 |= v0 != v0;
        }
        lane1 = unordered1 ? __builtin_nanf("") : lane1;
        total1 = lg_maximum_f32(total1, lane1);
        const f32 v1 = (f32)total1;
        f64 total4 = 0;
        for (i64 block = 0; block < 800; block += 256) {
            lg_prefetch(&x0[(i0 + 1) * 800 + block], 1024);
            f32 lane4 = 0;
            #pragma omp simd reduction(+ : lane4)
            for (i64 i1 = block; i1 < (block + 256 < 800 ? block + 256 : 800); i1++) {
                const f32 v0 = x0[i0 * 800 + i1];
                const f32 v2 = v0 - v1;
                const f32 v3 = lg_exp_f32(v2);
                kept3[i1] = v3;
                lane4 = lane4 + v3;
            }
            total4 = total4 + lane4;
        }
        const f32 v4 = (f32)total4;
        const divisor divisor5 = lg_divisor(v4);
        #pragma omp simd
        for (i64 i1 = 0; i1 < 800; i1++) {
            const f32 v3 = kept3[i1];
            const f32 v5 = lg_divide_f32(v3, divisor5);
            out0[i0 * 800 + i1] = v5;
        }
    }
}

struct softmax_mul_arguments {
    const f32 *x0;
    f32 *out0;
    f32 *out1;
};

static void softmax_mul_part(void *closure, i64 begin, i64 end)
{
    const struct softmax_mul_arguments *const with = closure;
    softmax_mul_units(begin, end, with->x0, with->out0, with->out1);
}

CALLED static void softmax_mul(const team *team, const f32 *x0, f32 *out0, f32 *out1)
{
    struct softmax_mul_arguments with = {x0, out0, out1};
    lg_share(team, 600, 1, softmax_mul_part, &with);
}

/* Over 480000. */
static void reduce_sum_units(i64 begin, i64 end, const f32 *x0, f32 *out0, char *totals)
{
    f64 *const total1 = (f64 *)(totals + 0);
    for (i64 i = 0; i < 1; i++) total1[i] = 0;
    for (i64 unit = begin; unit < end; unit++) {
        const i64 tile0 = unit;
        const i64 first0 = tile0 * 512;
        const i64 last0 = first0 + 512 < 480000 ? first0 + 512 : 480000;
        lg_prefetch(&x0[first0 + 2048], 2048);
        f32 lane1 = 0;
        #pragma omp simd reduction(+ : lane1)
        for (i64 i0 = first0; i0 < last0; i0++) {
            const f32 v0 = x0[i0];
            lane1 = lane1 + v0;
        }
        total1[0] = total1[0] + lane1;
    }
}

/* The reductions of reduce_sum whose totals lie in chunks. */
static void reduce_sum_finish_row(i64 begin, i64 end, const f32 *x0, f32 *out0, char *totals)
{
    for (i64 element = begin; element < end; element++) {
        f64 total1 = 0;
        for (i64 chunk = 0; chunk < 43; chunk++) {
            total1 = total1 + ((const f64 *)(totals + chunk * 64 + 0))[element];
        }
        const f32 v1 = (f32)total1;
        out0[0] = v1;
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
        reduce_sum_units(938 * chunk / 43, 938 * (chunk + 1) / 43, with->x0, with->out0, with->totals + chunk * 64);
}

static void reduce_sum_finish_row_part(void *closure, i64 begin, i64 end)
{
    const struct reduce_sum_arguments *const with = closure;
    reduce_sum_finish_row(begin, end, with->x0, with->out0, with->totals);
}

CALLED static void reduce_sum(const team *team, const f32 *x0, f32 *out0, char *totals)
{
    struct reduce_sum_arguments with = {x0, out0, totals};
    lg_share(team, 43, 1, reduce_sum_part, &with);
    lg_share(team, 1, 16, reduce_sum_finish_row_part, &with);
}

/* Over 600 x 800. */
static void mul_reduce_sum_units(i64 begin, i64 end, const f32 *x0, f32 *out0, f32 *out1, f32 s0, char *totals)
{
    f32 *const total2 = (f32 *)(totals + 0);
    for (i64 i = 0; i < 800; i++) total2[i] = 0;
    for (i64 unit = begin; unit < end; unit++) {
        const i64 i0 = unit;
        #pragma omp simd
        for (i64 i1 = 0; i1 < 800; i1++) {
            const f32 v0 = x0[i0 * 800 + i1];
            const f32 v1 = v0 * s0;
            out0[i0 * 800 + i1] = v1;
            total2[i1] = total2[i1] + v1;
        }
    }
}

/* The reductions of mul_reduce_sum whose totals lie in chunks. */
static void mul_reduce_sum_finish_row(i64 begin, i64 end, const f32 *x0, f32 *out0, f32 *out1, f32 s0, char *totals)
{
    for (i64 element = begin; element < end; element++) {
        const i64 i1 = element / 1 % 800;
        f64 total2 = 0;
        for (i64 chunk = 0; chunk < 64; chunk++) {
            total2 = total2 + ((const f32 *)(totals + chunk * 3200 + 0))[element];
        }
        const f32 v2 = (f32)total2;
        out1[i1] = v2;
    }
}

struct mul_reduce_sum_arguments {
    const f32 *x0;
    f32 *out0;
    f32 *out1;
    f32 s0;
    char *totals;
};

static void mul_reduce_sum_part(void *closure, i64 begin, i64 end)
{
    const struct mul_reduce_sum_arguments *const with = closure;
    for (i64 chunk = begin; chunk < end; chunk++)
        mul_reduce_sum_units(600 * chunk / 64, 600 * (chunk + 1) / 64, with->x0, with->out0, with->out1, with->s0, with->totals + chunk * 3200);
}

static void mul_reduce_sum_finish_row_part(void *closure, i64 begin, i64 end)
{
    const struct mul_reduce_sum_arguments *const with = closure;
    mul_reduce_sum_finish_row(begin, end, with->x0, with->out0, with->out1, with->s0, with->totals);
}

CALLED static void mul_reduce_sum(const team *team, const f32 *x0, f32 *out0, f32 *out1, f32 s0, char *totals)
{
    struct mul_reduce_sum_arguments with = {x0, out0, out1, s0, totals};
    lg_share(team, 64, 1, mul_reduce_sum_part, &with);
    lg_share(team, 800, 16, mul_reduce_sum_finish_row_part, &with);
}

STRAIGHT i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32));

i32 run(void *const *inputs, void *const *outputs, char *arena, const scalar_slot *scalars, i32 threads, i32 (*host)(i32))
{
    static const team solo = {1};
    const team team = {threads};
    i32 refused = OK;
    (void)inputs, (void)outputs, (void)arena, (void)scalars, (void)host, (void)solo, (void)team;
    f32 *const softmax = (f32 *)(arena + 0); /* f32[600,800] */
    f32 *const mul_2 = (f32 *)(arena + 1920000); /* f32[600,800] */
    f32 *const matmul = (f32 *)(arena + 1920000); /* f32[600,800] */
    f32 *const x = inputs[0]; /* f32[600,800] */
    f32 *const w = inputs[1]; /* f32[800,800] */
    f32 *const reduce_sum_2 = outputs[0]; /* f32[1,800] */
    f32 *const reduce_sum_3 = outputs[1]; /* f32[1,1] */
    f32 *const mul = outputs[2]; /* f32[600,800] */
    const f32 s0 = LG_NUMBER(f32, scalars[0]);
    softmax_mul(&team, x, softmax, mul_2);
    reduce_sum(&team, mul_2, reduce_sum_3, arena + 3840000);
    lg_matmul(&team, &(array){matmul, F32, 2, {600, 800}, {800, 1}}, (array[]){{softmax, F32, 2, {600, 800}, {800, 1}}, {w, F32, 2, {800, 800}, {800, 1}}}, 2, (i64[]){0});
    mul_reduce_sum(&team, matmul, mul, reduce_sum_2, s0, arena + 3840000);
    return refused;
}
