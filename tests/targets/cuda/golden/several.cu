/* kernel calls: 3 (5 distinct), library calls: 1, arena of 3,840,000 bytes. */
/* What all programs use: NVRTC has no standard headers. */
typedef bool bool8;
typedef unsigned char u8;
typedef signed char i8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32, w32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#define LG inline __device__

LG f32 lg_infinity_f32() { return __int_as_float(0x7f800000); }
LG f64 lg_infinity_f64() { return __longlong_as_double(0x7ff0000000000000LL); }
LG f32 lg_nan_f32() { return __int_as_float(0x7fc00000); }
LG f64 lg_nan_f64() { return __longlong_as_double(0x7ff8000000000000LL); }

/* Neighbouring elements that are read and written by one instruction of up to 16 bytes. */
template <class T, i32 COUNT>
struct alignas(sizeof(T) * COUNT) lg_pack {
    T at[COUNT];
};

template <i32 COUNT, class T>
LG lg_pack<T, COUNT> lg_read(const T *from)
{
    return *(const lg_pack<T, COUNT> *)from;
}

template <class T, i32 COUNT>
LG void lg_write(T *to, const lg_pack<T, COUNT> &values)
{
    *(lg_pack<T, COUNT> *)to = values;
}

/* A value of the lane whose number differs in the bits of step. */
LG i32 lg_exchange(u32 mask, i32 x, i32 step) { return __shfl_xor_sync(mask, x, step); }
LG u32 lg_exchange(u32 mask, u32 x, i32 step) { return __shfl_xor_sync(mask, x, step); }
LG i64 lg_exchange(u32 mask, i64 x, i32 step) { return __shfl_xor_sync(mask, x, step); }
LG u64 lg_exchange(u32 mask, u64 x, i32 step) { return __shfl_xor_sync(mask, x, step); }
LG f32 lg_exchange(u32 mask, f32 x, i32 step) { return __shfl_xor_sync(mask, x, step); }
LG f64 lg_exchange(u32 mask, f64 x, i32 step) { return __shfl_xor_sync(mask, x, step); }
LG bool lg_exchange(u32 mask, bool x, i32 step) { return __shfl_xor_sync(mask, (i32)x, step); }
LG i8 lg_exchange(u32 mask, i8 x, i32 step) { return (i8)__shfl_xor_sync(mask, (i32)x, step); }
LG u8 lg_exchange(u32 mask, u8 x, i32 step) { return (u8)__shfl_xor_sync(mask, (i32)x, step); }
LG i16 lg_exchange(u32 mask, i16 x, i32 step) { return (i16)__shfl_xor_sync(mask, (i32)x, step); }

/* The running values of MEMBERS neighbouring lanes as one, which all of them get. Other teams of the warp may be elsewhere. */
template <class Combine, i32 MEMBERS, class T>
LG T lg_lanes_total(T x)
{
    const u32 lanes = MEMBERS == 32 ? 0xffffffffu : ((1u << (MEMBERS & 31)) - 1u) << (threadIdx.x & 31 & ~(MEMBERS - 1));
#pragma unroll
    for (i32 step = MEMBERS / 2; step > 0; step /= 2)
        x = Combine::of(x, lg_exchange(lanes, x, step));
    return x;
}

/* Those of a block of MEMBERS threads; shared has room for one of each warp. */
template <class Combine, i32 MEMBERS, class T>
LG T lg_block_total(T x, T *shared)
{
    x = lg_lanes_total<Combine, 32>(x);
    __syncthreads(); /* what was in shared has been read */
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = x;
    __syncthreads();
    x = shared[0];
    for (i32 warp = 1; warp < MEMBERS / 32; warp++)
        x = Combine::of(x, shared[warp]);
    return x;
}

/* Those of the MEMBERS threads of a block that have the same lane; shared has room for all. */
template <class Combine, i32 MEMBERS, class T>
LG T lg_column_total(T x, T *shared)
{
    __syncthreads();
    shared[threadIdx.x] = x;
    __syncthreads();
    x = shared[threadIdx.x % 32];
    for (i32 member = 1; member < MEMBERS; member++)
        x = Combine::of(x, shared[member * 32 + threadIdx.x % 32]);
    return x;
}

typedef lg_pack<u64, 2> lg_sixteen;

/* lg_<name>_<type>, with numpy's results for NaN, infinities and signed zeros. */
#define LG_FUNCTION(name, function)                                                                                    \
    LG f32 lg_##name##_f32(f32 x) { return function##f(x); }                                                           \
    LG f64 lg_##name##_f64(f64 x) { return function(x); }

LG_FUNCTION(exp, exp)
LG_FUNCTION(exp2, exp2)
LG_FUNCTION(expm1, expm1)
LG_FUNCTION(log, log)
LG_FUNCTION(log2, log2)
LG_FUNCTION(log10, log10)
LG_FUNCTION(log1p, log1p)
LG_FUNCTION(sqrt, sqrt)
LG_FUNCTION(sin, sin)
LG_FUNCTION(cos, cos)
LG_FUNCTION(tan, tan)
LG_FUNCTION(asin, asin)
LG_FUNCTION(acos, acos)
LG_FUNCTION(atan, atan)
LG_FUNCTION(sinh, sinh)
LG_FUNCTION(cosh, cosh)
LG_FUNCTION(tanh, tanh)
LG_FUNCTION(asinh, asinh)
LG_FUNCTION(acosh, acosh)
LG_FUNCTION(atanh, atanh)
LG_FUNCTION(erf, erf)
LG_FUNCTION(erfc, erfc)
LG_FUNCTION(floor, floor)
LG_FUNCTION(ceil, ceil)
LG_FUNCTION(trunc, trunc)
LG_FUNCTION(round, rint) /* ties to even */
LG_FUNCTION(abs, fabs)

#define LG_OF_FLOATS(T, S)                                                                                             \
    LG T lg_sign_##T(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == x ? (T)0 : x; }                                 \
    LG T lg_copysign_##T(T x, T y) { return copysign##S(x, y); }                                                       \
    LG T lg_atan2_##T(T y, T x) { return atan2##S(y, x); }                                                             \
    LG T lg_pow_##T(T x, T y) { return pow##S(x, y); }                                                                 \
    LG T lg_fmod_##T(T x, T y) { return fmod##S(x, y); }                                                               \
    /* NaN wins; of two zeros the second is taken. */                                                                  \
    LG T lg_maximum_##T(T x, T y) { return x > y || x != x ? x : y; }                                                  \
    LG T lg_minimum_##T(T x, T y) { return x < y || x != x ? x : y; }                                                  \
    /* The rest with y's sign; a rest of 0 keeps x's, as in PyTorch. */                                                \
    LG T lg_remainder_##T(T x, T y)                                                                                    \
    {                                                                                                                  \
        const T rest = fmod##S(x, y);                                                                                  \
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;                                                   \
    }                                                                                                                  \
    /* (x - rest) / y is an integer but for its own rounding, hence the nearest one; x / 0 is not rounded. */          \
    LG T lg_floor_div_##T(T x, T y)                                                                                    \
    {                                                                                                                  \
        if (y == 0)                                                                                                    \
            return x / y;                                                                                              \
        const T rest = fmod##S(x, y);                                                                                  \
        const T quotient = (x - rest) / y - (rest != 0 && (rest < 0) != (y < 0) ? (T)1 : (T)0);                        \
        const T floored = floor##S(quotient);                                                                          \
        return quotient == 0 ? copysign##S((T)0, x / y) : quotient - floored > (T)0.5 ? floored + 1 : floored;         \
    }

LG f32 lg_logistic(f32 x) { return 1 / (1 + expf(-x)); }
LG f64 lg_logistic(f64 x) { return 1 / (1 + exp(-x)); }

LG_OF_FLOATS(f32, f)
LG_OF_FLOATS(f64, )

struct softmax_mul_1 { LG static f32 of(f32 x, f32 y) { return lg_maximum_f32(x, y); } };
struct softmax_mul_4 { LG static f32 of(f32 x, f32 y) { return x + y; } };
/* Over 600 x 800: 32 lanes to a row. */
extern "C" __global__ void __launch_bounds__(256)
softmax_mul(const f32 *x0, f32 *out0, f32 *out1)
{
    const i32 member = threadIdx.x % 32;
    if (const i32 unit = blockIdx.x * 8 + threadIdx.x / 32; unit < 600) {
        const bool is_writer = member == 0;
        const i32 i0 = unit;
        f32 total1 = -lg_infinity_f32();
        for (i32 packet = member; packet < 200; packet += 32) {
            const i32 first1 = (packet) * 4;
            const auto packet0 = lg_read<4>(x0 + i0 * 800 + first1);
            lg_pack<f32, 4> made1;
            #pragma unroll
            for (i32 j = 0; j < 4; j++) {
                const i32 i1 = first1 + j;
                const f32 v0 = packet0.at[j];
                const f32 v6 = v0 * v0;
                made1.at[j] = v6;
                total1 = lg_maximum_f32(total1, v0);
            }
            lg_write(out1 + i0 * 800 + first1, made1);
        }
        total1 = lg_lanes_total<softmax_mul_1, 32>(total1);
        const f32 v1 = (f32)total1;
        f32 total4 = 0.0f;
        for (i32 packet = member; packet < 200; packet += 32) {
            const i32 first1 = (packet) * 4;
            const auto packet0 = lg_read<4>(x0 + i0 * 800 + first1);
            #pragma unroll
            for (i32 j = 0; j < 4; j++) {
                const i32 i1 = first1 + j;
                const f32 v0 = packet0.at[j];
                const f32 v2 = v0 - v1;
                const f32 v3 = lg_exp_f32(v2);
                total4 = total4 + v3;
            }
        }
        total4 = lg_lanes_total<softmax_mul_4, 32>(total4);
        const f32 v4 = (f32)total4;
        for (i32 packet = member; packet < 200; packet += 32) {
            const i32 first1 = (packet) * 4;
            const auto packet0 = lg_read<4>(x0 + i0 * 800 + first1);
            lg_pack<f32, 4> made0;
            #pragma unroll
            for (i32 j = 0; j < 4; j++) {
                const i32 i1 = first1 + j;
                const f32 v0 = packet0.at[j];
                const f32 v2 = v0 - v1;
                const f32 v3 = lg_exp_f32(v2);
                const f32 v5 = v3 / v4;
                made0.at[j] = v5;
            }
            lg_write(out0 + i0 * 800 + first1, made0);
        }
    }
}

struct reduce_sum_1 { LG static f32 of(f32 x, f32 y) { return x + y; } };
/* Over 480000: a block to a row, cut into 234 chunks. */
extern "C" __global__ void __launch_bounds__(256)
reduce_sum(const f32 *x0, f32 *out0, f32 *partial1)
{
    __shared__ f32 shared1[8];
    const i32 member = threadIdx.x;
    if (const i32 part = blockIdx.x; part < 234) {
        const i32 chunk = part % 234;
        const i32 unit = part / 234;
        const bool is_writer = member == 0;
        f32 total1 = 0.0f;
        for (i32 packet = chunk * 513 + member; packet < ((chunk + 1) * 513 < 120000 ? (chunk + 1) * 513 : 120000); packet += 256) {
            const i32 first0 = (packet) * 4;
            const auto packet0 = lg_read<4>(x0 + first0);
            #pragma unroll
            for (i32 j = 0; j < 4; j++) {
                const i32 i0 = first0 + j;
                const f32 v0 = packet0.at[j];
                total1 = total1 + v0;
            }
        }
        total1 = lg_block_total<reduce_sum_1, 256>(total1, shared1);
        if (is_writer) {
            partial1[chunk * 1 + unit] = total1;
        }
    }
}

struct reduce_sum_rows_1 { LG static f32 of(f32 x, f32 y) { return x + y; } };
/* Over 234: a block to a row. */
extern "C" __global__ void __launch_bounds__(64)
reduce_sum_rows(const f32 *x0, f32 *out0)
{
    __shared__ f32 shared1[2];
    const i32 member = threadIdx.x;
    if (const i32 part = blockIdx.x; part < 1) {
        const i32 unit = part;
        const bool is_writer = member == 0;
        f32 total1 = 0.0f;
        #pragma unroll
        for (i32 k = 0; k < 2; k++) {
            const i32 packet = k * 64 + member;
            if (packet < 117) {
                const i32 first0 = (packet) * 2;
                const auto packet0 = lg_read<2>(x0 + first0);
                #pragma unroll
                for (i32 j = 0; j < 2; j++) {
                    const i32 i0 = first0 + j;
                    const f32 v0 = packet0.at[j];
                    total1 = total1 + v0;
                }
            }
        }
        total1 = lg_block_total<reduce_sum_rows_1, 64>(total1, shared1);
        const f32 v1 = (f32)total1;
        if (is_writer) {
            out0[0] = v1;
        }
    }
}

struct mul_reduce_sum_2 { LG static f32 of(f32 x, f32 y) { return x + y; } };
/* Over 600 x 800: 16 warps to 32 neighbouring rows, cut into 4 chunks. */
extern "C" __global__ void __launch_bounds__(512)
mul_reduce_sum(const f32 *x0, f32 *out0, f32 *out1, const f32 *__restrict__ s0_at, f32 *partial2)
{
    const f32 s0 = *s0_at;
    __shared__ f32 shared2[512];
    const i32 member = threadIdx.x / 32;
    if (const i32 part = blockIdx.x; part < 100) {
        const i32 chunk = part % 4;
        const i32 wanted = (part / 4) * 32 + threadIdx.x % 32;
        const bool is_inside = wanted < 800, is_writer = is_inside && member == 0;
        const i32 unit = is_inside ? wanted : 799;
        const i32 i1 = unit;
        f32 total2 = 0.0f;
        for (i32 packet = chunk * 150 + member; packet < (is_inside ? ((chunk + 1) * 150 < 600 ? (chunk + 1) * 150 : 600) : 0); packet += 16) {
            const i32 i0 = packet;
            {
                const f32 v0 = x0[i0 * 800 + i1];
                const f32 v1 = v0 * s0;
                out0[i0 * 800 + i1] = v1;
                total2 = total2 + v1;
            }
        }
        total2 = lg_column_total<mul_reduce_sum_2, 16>(total2, shared2);
        if (is_writer) {
            partial2[chunk * 800 + unit] = total2;
        }
    }
}

struct mul_reduce_sum_rows_1 { LG static f32 of(f32 x, f32 y) { return x + y; } };
/* Over 4 x 800: 1 warps to 32 neighbouring rows. */
extern "C" __global__ void __launch_bounds__(32)
mul_reduce_sum_rows(const f32 *x0, f32 *out0)
{
    const i32 member = threadIdx.x / 32;
    if (const i32 part = blockIdx.x; part < 25) {
        const i32 wanted = part * 32 + threadIdx.x % 32;
        const bool is_inside = wanted < 800, is_writer = is_inside && member == 0;
        const i32 unit = is_inside ? wanted : 799;
        const i32 i1 = unit;
        f32 total1 = 0.0f;
        for (i32 packet = member; packet < (is_inside ? 4 : 0); packet += 1) {
            const i32 i0 = packet;
            {
                const f32 v0 = x0[i0 * 800 + i1];
                total1 = total1 + v0;
            }
        }
        const f32 v1 = (f32)total1;
        if (is_writer) {
            out0[i1] = v1;
        }
    }
}

/* In order:
   0: softmax_mul<75 blocks of 256>(input0, arena, arena + 1,920,000)
   1: reduce_sum<234 blocks of 256>(arena + 1,920,000, output1, arena + 3,840,000)
   1: reduce_sum_rows<1 blocks of 64>(arena + 3,840,000, output1)
   2: multiply f32 [600, 800] @ [800, 800](arena, input1, arena + 1,920,000)
   3: mul_reduce_sum<100 blocks of 512>(arena + 1,920,000, output2, output0, scalar0, arena + 3,840,000)
   3: mul_reduce_sum_rows<25 blocks of 32>(arena + 3,840,000, output0)
*/
