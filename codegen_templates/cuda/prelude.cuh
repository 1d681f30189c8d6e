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
