/* Conversions of stored elements to and from the types in which they are computed.

   The includes each_dtype.inc and each_size.inc turn one body of code into one function per type. Their tables are
   indexed by dtype and by itemsize. */
#pragma once

#include "library.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

/* Functions `name_<dtype>`, as an array indexed by dtype. */
#define DTYPE_TABLE(name)                                                                                              \
    {[BOOL] = name##_bool8, [U8] = name##_u8,     [I8] = name##_i8,   [I16] = name##_i16, [I32] = name##_i32,          \
     [I64] = name##_i64,    [F16] = name##_f16,   [BF16] = name##_bf16, [F32] = name##_f32, [F64] = name##_f64}

/* Functions `name_any<bits>` that only move elements, as an array indexed by itemsize. */
#define SIZE_TABLE(name)                                                                                               \
    {[1] = name##_any8, [2] = name##_any16, [4] = name##_any32, [8] = name##_any64, [16] = name##_any128}

static inline f32 widen_bf16(bf16 x)
{
    union { u32 bits; f32 value; } result = {.bits = (u32)x.bits << 16};
    return result.value;
}

/* Rounds to nearest, ties to even. A NaN keeps its sign and becomes quiet: rounding its bits could make it infinite. */
static inline bf16 narrow_bf16(f32 x)
{
    union { f32 value; u32 bits; } source = {.value = x};
    u32 rounded = (source.bits + 0x7FFF + (source.bits >> 16 & 1)) >> 16;
    u32 quiet = (source.bits >> 16) | 0x40;
    return (bf16){(unsigned short)(x == x ? rounded : quiet)};
}
