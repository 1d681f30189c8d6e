/* Functions of numbers: those of C, under the names that CUDA gives them, and CUDA's own. */
#pragma once

#include <cstdint>

/* g++ would make C++17's special functions (Bessel's and others) anew for each program: a third of its time. */
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>

inline float rsqrtf(float x) { return (float)(1.0 / sqrt((double)x)); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return (float)normcdf((double)x); }
/* exp(x²) erfc(x): beyond 20 by an asymptotic series, whose terms fall below the last digit. */
inline double erfcx(double x)
{
    if (x < 20.0) {
        const double square = x * x;
        return exp(square) * erfc(x) * (1.0 + fma(x, x, -square));
    }
    double term = 1.0, sum = 1.0;
    for (int k = 1; k < 20; k++)
        sum += term *= -(2 * k - 1) / (2.0 * x * x);
    return sum * 0.56418958354775628695 / x;
}
/* By bisection. */
inline double normcdfinv(double p)
{
    if (!(p > 0.0 && p < 1.0))
        return p == 0.0 ? -INFINITY : p == 1.0 ? INFINITY : NAN;
    if (p == 0.5)
        return 0.0;
    if (p > 0.5)
        return -normcdfinv(1.0 - p);
    double low = -40.0, high = 0.0;
    for (int step = 0; step < 80; step++)
        (normcdf((low + high) / 2) < p ? low : high) = (low + high) / 2;
    return (low + high) / 2;
}
inline double sinpi(double x) { return sin(3.14159265358979323846 * fmod(x, 2.0)); }
inline double cospi(double x) { return cos(3.14159265358979323846 * fmod(x, 2.0)); }
inline float sinpif(float x) { return (float)sinpi((double)x); }
inline float cospif(float x) { return (float)cospi((double)x); }
inline float fdividef(float x, float y) { return x / y; }

/* The fast intrinsics; here they are as exact as the others. */
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/* One rounding, whatever the compiler may fuse. */
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

#define EMULATOR_MINIMUM(type)                                                                                         \
    inline type min(type a, type b) { return b < a ? b : a; }                                                          \
    inline type max(type a, type b) { return a < b ? b : a; }
EMULATOR_MINIMUM(int)
EMULATOR_MINIMUM(unsigned)
EMULATOR_MINIMUM(long)
EMULATOR_MINIMUM(unsigned long)
EMULATOR_MINIMUM(long long)
EMULATOR_MINIMUM(unsigned long long)
#undef EMULATOR_MINIMUM
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }

#define EMULATOR_BITS(name, from, to)                                                                                  \
    inline to name(from value) { return emulator::bits_as<to>(value); }
EMULATOR_BITS(__float_as_int, float, int)
EMULATOR_BITS(__float_as_uint, float, unsigned)
EMULATOR_BITS(__int_as_float, int, float)
EMULATOR_BITS(__uint_as_float, unsigned, float)
EMULATOR_BITS(__double_as_longlong, double, long long)
EMULATOR_BITS(__longlong_as_double, long long, double)
#undef EMULATOR_BITS
inline double __hiloint2double(int high, int low)
{
    return emulator::bits_as<double>((std::uint64_t)(unsigned)high << 32 | (unsigned)low);
}
inline int __double2hiint(double x) { return (int)(emulator::bits_as<std::uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return (int)emulator::bits_as<std::uint64_t>(x); }

namespace emulator {

/* The device's conversions end at the ends of the range, and take NaN to 0. */
template <class Integer, class Real> inline Integer clamped(Real x)
{
    constexpr Integer low = std::is_signed<Integer>::value ? (Integer)1 << (sizeof(Integer) * 8 - 1) : 0;
    constexpr Integer high = ~low;
    return x != x ? 0 : x <= (Real)low ? low : x >= (Real)high ? high : (Integer)x;
}

} // namespace emulator

#define EMULATOR_CONVERSIONS(name, real, integer)                                                                      \
    inline integer __##name##_rn(real x) { return emulator::clamped<integer>(rint(x)); }                               \
    inline integer __##name##_rz(real x) { return emulator::clamped<integer>(trunc(x)); }                              \
    inline integer __##name##_rd(real x) { return emulator::clamped<integer>(floor(x)); }                              \
    inline integer __##name##_ru(real x) { return emulator::clamped<integer>(ceil(x)); }
EMULATOR_CONVERSIONS(float2int, float, int)
EMULATOR_CONVERSIONS(float2uint, float, unsigned)
EMULATOR_CONVERSIONS(float2ll, float, long long)
EMULATOR_CONVERSIONS(float2ull, float, unsigned long long)
EMULATOR_CONVERSIONS(double2int, double, int)
EMULATOR_CONVERSIONS(double2uint, double, unsigned)
EMULATOR_CONVERSIONS(double2ll, double, long long)
EMULATOR_CONVERSIONS(double2ull, double, unsigned long long)
#undef EMULATOR_CONVERSIONS
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline float __ull2float_rn(unsigned long long x) { return (float)x; }
inline double __ll2double_rn(long long x) { return (double)x; }
inline double __ull2double_rn(unsigned long long x) { return (double)x; }
inline float __double2float_rn(double x) { return (float)x; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; bit++)
        reversed |= (x >> bit & 1) << (31 - bit);
    return reversed;
}
inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((std::uint64_t)x * y >> 32); }
inline int __mulhi(int x, int y) { return (int)((std::int64_t)x * y >> 32); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((std::uint64_t)high << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((std::uint64_t)high << 32 | low) >> (shift & 31));
}
