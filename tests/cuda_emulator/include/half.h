/* The two 16-bit floats, rounded to nearest even as the device's conversions do; their NaN is 0x7fff. */
#pragma once

#include <cstdint>
#include <cstring>

namespace emulator {

template <class To, class From> inline To bits_as(From from)
{
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

/* Rounded to the odd neighbour: a second rounding to a narrower format then gives what one rounding would. */
inline float narrowed(double value)
{
    float nearest = (float)value;
    if ((double)nearest == value || value != value)
        return nearest;
    auto bits = bits_as<std::uint32_t>(nearest);
    bits -= __builtin_fabs((double)nearest) > __builtin_fabs(value);
    return bits_as<float>(bits | 1);
}

struct Half {
    static std::uint16_t rounded(float value)
    {
        auto bits = bits_as<std::uint32_t>(value);
        std::uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
        if (size > 0x7f800000)
            return 0x7fff;
        if (size >= 0x477ff000) /* 65520, from where infinity is nearer */
            return sign | 0x7c00;
        if (size < 0x38800000) /* below the smallest normal number floats from 0.5 on have the same steps */
            return sign | (bits_as<std::uint32_t>(bits_as<float>(size) + 0.5f) - 0x3f000000);
        return sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
    }
    static float widened(std::uint16_t bits)
    {
        std::uint32_t sign = (bits & 0x8000u) << 16, size = bits & 0x7fffu;
        if (size >= 0x7c00)
            return bits_as<float>(sign | 0x7f800000 | size << 13);
        float value = size < 0x400 ? (float)size * 0x1p-24f : bits_as<float>((size << 13) + 0x38000000);
        return bits_as<float>(bits_as<std::uint32_t>(value) | sign);
    }
};

struct BFloat {
    static std::uint16_t rounded(float value)
    {
        auto bits = bits_as<std::uint32_t>(value);
        return value != value ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    }
    static float widened(std::uint16_t bits) { return bits_as<float>((std::uint32_t)bits << 16); }
};

template <class Format> struct alignas(2) Narrow {
    std::uint16_t bits;

    Narrow() = default;
    Narrow(float value) : bits(Format::rounded(value)) {}
    Narrow(double value) : bits(Format::rounded(narrowed(value))) {}
    Narrow(int value) : Narrow((double)value) {}
    operator float() const { return Format::widened(bits); }
};

#define EMULATOR_OPERATOR(sign)                                                                                        \
    template <class F> inline Narrow<F> operator sign(Narrow<F> a, Narrow<F> b) { return (float)a sign (float)b; }     \
    template <class F> inline Narrow<F> &operator sign##=(Narrow<F> &a, Narrow<F> b) { return a = a sign b; }
EMULATOR_OPERATOR(+)
EMULATOR_OPERATOR(-)
EMULATOR_OPERATOR(*)
EMULATOR_OPERATOR(/)
#undef EMULATOR_OPERATOR
template <class F> inline Narrow<F> operator-(Narrow<F> a) { return -(float)a; }

template <class Format> struct alignas(4) Pair {
    Narrow<Format> x, y;
};

} // namespace emulator

using __half = emulator::Narrow<emulator::Half>;
using __half2 = emulator::Pair<emulator::Half>;
using half = __half;
using half2 = __half2;
using __nv_bfloat16 = emulator::Narrow<emulator::BFloat>;
using __nv_bfloat162 = emulator::Pair<emulator::BFloat>;

inline float __half2float(__half value) { return value; }
inline __half __float2half(float value) { return value; }
inline __half __float2half_rn(float value) { return value; }
inline __half __double2half(double value) { return value; }
inline __half __ushort_as_half(unsigned short bits) { return emulator::bits_as<__half>(bits); }
inline unsigned short __half_as_ushort(__half value) { return value.bits; }
inline float2 __half22float2(__half2 pair) { return {pair.x, pair.y}; }
inline __half2 __float22half2_rn(float2 pair) { return {pair.x, pair.y}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }

inline float __bfloat162float(__nv_bfloat16 value) { return value; }
inline __nv_bfloat16 __float2bfloat16(float value) { return value; }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return value; }
inline __nv_bfloat16 __double2bfloat16(double value) { return value; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return emulator::bits_as<__nv_bfloat16>(bits); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return value.bits; }
inline float2 __bfloat1622float2(__nv_bfloat162 pair) { return {pair.x, pair.y}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 pair) { return {pair.x, pair.y}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
