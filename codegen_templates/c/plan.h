/* What the kernels of a plan are written in: conversions of stored types, integer arithmetic as numpy has it,
   and reductions whose order of additions the compiler may choose. */
#pragma once

#include "library/calls.h"
#include "library/stream_line.h"
#include "vector_math.h"

/* The driver only calls. To optimize it, and what would be inlined into it, gcc follows some thousand pointers from call
   to call, which takes several times as long as to compile all kernels. */
#define CALLED __attribute__((noinline))
#if defined __clang__
#define STRAIGHT __attribute__((noinline, optnone))
#else
#define STRAIGHT __attribute__((noinline, optimize("O0")))
#endif

/* The number that a slot holds. */
#define LG_NUMBER(TYPE, slot) ({ TYPE number; __builtin_memcpy(&number, &(slot), sizeof number); number; })

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
        /* A fraction is cut to 0, as PyTorch does it: only 1 and -1 have whole inverses. */                           \
        if (y < 0)                                                                                                     \
            return (T)(x == 1 ? 1 : x == (T)-1 ? (y & 1 ? -1 : 1) : 0);                                                 \
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
LG_INTEGER_DIVISION(w32)

/* Asks for memory that is read soon; it need not exist. */
static inline void lg_prefetch(const void *from, i64 bytes)
{
    for (i64 line = 0; line < bytes; line += 64)
        __builtin_prefetch((const char *)from + line);
}

/* Division of many f32 by one: a quotient costs 16 cycles a vector on some processors, these five operations three.
   y = m · 2^k with a magnitude of m in [1, 2). x / m is rounded correctly by one step of residual correction (Markstein,
   "Computation of elementary functions on the IBM RISC System/6000", 1990), and powers of two scale exactly: x before, where
   y is below 1, as otherwise it may be too small for a residual, or else the quotient after. Neither overflows unless the
   result does. Results below 2^-101 may be off by one unit. For y = 0, infinite or NaN, and an infinite x, the residual is
   NaN and the plain product is the answer. */
typedef struct {
    f32 before, mantissa, reciprocal, after;
} divisor;

static inline divisor lg_divisor(f32 y)
{
    if (y == 0 || y - y != 0)
        return (divisor){1.0f, y, 1.0f / y, 1.0f};
    u32 normal = lg_bits_f32(lg_abs_f32(y) < 0x1p-126f ? y * 0x1p64f : y);
    f32 mantissa = lg_float_f32((normal & 0x807fffff) | 0x3f800000);
    i32 k = (i32)(normal >> 23 & 255) - (lg_abs_f32(y) < 0x1p-126f ? 191 : 127);
    i32 before = k >= 0 ? 0 : k >= -126 ? -k - 1 : 64, after = -k - before;
    f32 scale = after > -127 ? lg_float_f32((u32)(127 + after) << 23) : 0x1p-127f;
    return (divisor){lg_float_f32((u32)(127 + before) << 23), mantissa, 1.0f / mantissa, scale};
}

static inline f32 lg_divide_f32(f32 x, divisor y)
{
    f32 scaled = x * y.before, rough = scaled * y.reciprocal;
    f32 residual = __builtin_fmaf(-rough, y.mantissa, scaled);
    f32 quotient = residual == residual ? __builtin_fmaf(residual, y.reciprocal, rough) : rough;
    return quotient * y.after;
}

/* Tiles of at most 64 x 64 elements, turned: tile[a * 64 + v] = source[v * stride + a]. Reading runs along a, so every
   cache line is used once and whole; 4-byte elements are turned sixteen by sixteen in registers. */
#define LG_TURN_TILE(STORED, SIZE)                                                                                    \
    static inline void lg_turn_tile_##SIZE(const void *source, i64 stride, i64 lanes, i64 rows, void *tile)           \
    {                                                                                                                  \
        const STORED *from = source;                                                                                   \
        STORED *to = tile;                                                                                             \
        for (i64 v = 0; v < lanes; v++)                                                                               \
            for (i64 a = 0; a < rows; a++)                                                                            \
                to[a * 64 + v] = from[v * stride + a];                                                                \
    }

LG_TURN_TILE(any8, 1)
LG_TURN_TILE(any16, 2)
LG_TURN_TILE(any64, 8)
LG_TURN_TILE(any128, 16)
LG_TURN_TILE(any32, any_4)

typedef u32 lg_sixteen __attribute__((vector_size(64)));

static inline void lg_turn_16x16(const any32 *from, i64 stride, any32 *to)
{
    lg_sixteen a[16], b[16];
    for (i32 i = 0; i < 16; i++)
        __builtin_memcpy(&a[i], from + i * stride, 64);
    for (i32 i = 0; i < 16; i += 2) { /* pairs of rows interleaved, then pairs of pairs, within lanes of 4 elements */
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    }
    for (i32 i = 0; i < 16; i += 4)
        for (i32 j = 0; j < 2; j++) {
            a[i + 2 * j] = __builtin_shufflevector(b[i + j], b[i + j + 2],
                                                   0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
            a[i + 2 * j + 1] = __builtin_shufflevector(b[i + j], b[i + j + 2],
                                                       2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
        }
    for (i32 i = 0; i < 16; i++) { /* then whole lanes: the even ones of two rows, and the odd ones */
        i32 low = i / 8 * 8 + i % 4;
        b[i] = i % 8 < 4 ? __builtin_shufflevector(a[low], a[low + 4],
                                                   0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
                         : __builtin_shufflevector(a[low], a[low + 4],
                                                   4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    }
    for (i32 i = 0; i < 8; i++) {
        a[i] = __builtin_shufflevector(b[i], b[i + 8], 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
        a[i + 8] = __builtin_shufflevector(b[i], b[i + 8], 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    }
    for (i32 i = 0; i < 16; i++)
        __builtin_memcpy(to + i * 64, &a[i], 64);
}

static inline void lg_turn_tile_4(const void *source, i64 stride, i64 lanes, i64 rows, void *tile)
{
    if (lanes != 64 || rows != 64) {
        lg_turn_tile_any_4(source, stride, lanes, rows, tile);
        return;
    }
    const any32 *from = source;
    any32 *to = tile;
    for (i64 v = 0; v < 64; v += 16)
        for (i64 a = 0; a < 64; a += 16) {
            for (i64 row = 0; row < 16; row++) /* of the next tile along the vectorized axis */
                lg_prefetch(from + (v + row + 64) * stride + a, 64);
            lg_turn_16x16(from + v * stride + a, stride, to + a * 64 + v);
        }
}
