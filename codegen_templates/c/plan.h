/* What the kernels of a plan are written in: conversions of stored types, integer arithmetic as numpy has it,
   and reductions whose order of additions the compiler may choose. */
#pragma once

#include "library/calls.h"
#include "vector_math.h"

#ifdef _OPENMP
int omp_get_thread_num(void);
int omp_get_num_threads(void);
#endif

/* The team of the parallel region this is called from. */
static inline team lg_team(void)
{
#ifdef _OPENMP
    return (team){omp_get_thread_num(), omp_get_num_threads()};
#else
    return (team){0, 1};
#endif
}

/* 16-bit floats live in registers as f32; every operation's result is rounded to what memory could hold. */

static inline f32 lg_load_bf16(bf16 x)
{
    u32 bits = (u32)x.bits << 16;
    f32 value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

static inline bf16 lg_store_bf16(f32 x)
{
    u32 bits;
    __builtin_memcpy(&bits, &x, 4);
    u32 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16; /* to nearest, ties to even */
    return (bf16){(unsigned short)(x == x ? rounded : (bits >> 16 | 0x40))};
}

static inline f32 lg_round_bf16(f32 x) { return lg_load_bf16(lg_store_bf16(x)); }
static inline f32 lg_round_f16(f32 x) { return (f32)(f16)x; }

/* Integer division rounds towards minus infinity; a zero divisor is reported by the kernel, not divided by, and the
   one quotient that overflows wraps around. */
#define LG_INTEGER_DIVISION(T)                                                                                        \
    static inline T lg_floor_div_##T(T x, T y)                                                                       \
    {                                                                                                                  \
        T divisor = y == 0 || y == (T)-1 ? (T)1 : y;                                                                  \
        T quotient = (T)(x / divisor), rest = (T)(x % divisor);                                                       \
        quotient = (T)(quotient - (rest != 0 && (rest < 0) != (divisor < 0)));                                        \
        return y == (T)-1 && (T)-1 < 0 ? (T)-x : (y == (T)-1 ? (T)(x / (T)-1) : quotient);                            \
    }                                                                                                                  \
    static inline T lg_fmod_##T(T x, T y)                                                                            \
    {                                                                                                                  \
        T divisor = y == 0 || ((T)-1 < 0 && y == (T)-1) ? (T)1 : y;                                                   \
        return (T)(x % divisor);                                                                                      \
    }                                                                                                                  \
    static inline T lg_remainder_##T(T x, T y)                                                                       \
    {                                                                                                                  \
        T rest = lg_fmod_##T(x, y);                                                                                   \
        return (T)(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);                                             \
    }                                                                                                                  \
    static inline T lg_pow_##T(T x, T y)                                                                             \
    {                                                                                                                  \
        T power = 1;                                                                                                   \
        for (; y > 0; y = (T)(y >> 1), x = (T)(x * x))                                                                \
            power = (T)(y & 1 ? power * x : power);                                                                   \
        return power;                                                                                                  \
    }                                                                                                                  \
    static inline T lg_shift_left_##T(T x, T y)                                                                      \
    {                                                                                                                  \
        return (T)(y < 0 || y >= (T)(8 * sizeof(T)) ? 0 : (T)((u64)x << (y & (T)(8 * sizeof(T) - 1))));                \
    }                                                                                                                  \
    static inline T lg_shift_right_##T(T x, T y)                                                                     \
    {                                                                                                                  \
        return (T)(y < 0 || y >= (T)(8 * sizeof(T)) ? (x < 0 ? -1 : 0) : x >> (y & (T)(8 * sizeof(T) - 1)));          \
    }

LG_INTEGER_DIVISION(u8)
LG_INTEGER_DIVISION(i8)
LG_INTEGER_DIVISION(i16)
LG_INTEGER_DIVISION(i32)
LG_INTEGER_DIVISION(i64)
LG_INTEGER_DIVISION(u32)

/* Extremes in which NaN wins; infinities start them. */
#pragma omp declare reduction(nan_max : f32 : omp_out = lg_maximum_f32(omp_out, omp_in)) initializer(omp_priv = -__builtin_inff())
#pragma omp declare reduction(nan_max : f64 : omp_out = lg_maximum_f64(omp_out, omp_in)) initializer(omp_priv = -__builtin_inf())
#pragma omp declare reduction(nan_min : f32 : omp_out = lg_minimum_f32(omp_out, omp_in)) initializer(omp_priv = __builtin_inff())
#pragma omp declare reduction(nan_min : f64 : omp_out = lg_minimum_f64(omp_out, omp_in)) initializer(omp_priv = __builtin_inf())
