/* Lines: scans and sorting. */
LG i32 lg_from_below(i32 x, i32 step) { return __shfl_up_sync(0xffffffffu, x, step); }
LG i64 lg_from_below(i64 x, i32 step) { return __shfl_up_sync(0xffffffffu, x, step); }
LG f32 lg_from_below(f32 x, i32 step) { return __shfl_up_sync(0xffffffffu, x, step); }
LG f64 lg_from_below(f64 x, i32 step) { return __shfl_up_sync(0xffffffffu, x, step); }
LG u8 lg_from_below(u8 x, i32 step) { return (u8)__shfl_up_sync(0xffffffffu, (i32)x, step); }
LG i8 lg_from_below(i8 x, i32 step) { return (i8)__shfl_up_sync(0xffffffffu, (i32)x, step); }
LG i16 lg_from_below(i16 x, i32 step) { return (i16)__shfl_up_sync(0xffffffffu, (i32)x, step); }
template <class C>
LG C lg_from_below(C x, i32 step)
{
    return {lg_from_below(x.re, step), lg_from_below(x.im, step)};
}

/* ln(e^x + e^y) */
template <class T>
LG T lg_logaddexp(T x, T y)
{
    if (x == y)
        return x + (T)0.6931471805599453;
    const T larger = x > y ? x : y, smaller = x > y ? y : x;
    return x != x || y != y ? x + y : larger + (T)log1p(exp((f64)(smaller - larger)));
}

/* ln(e^x + e^y + e^z) */
LG f32 lg_log_sum(f32 x, f32 y, f32 z)
{
    const f32 most = max(max(x, y), z), from = most == -lg_infinity_f32() ? 0 : most;
    return from + logf(expf(x - from) + expf(y - from) + expf(z - from));
}
LG f64 lg_log_sum(f64 x, f64 y, f64 z)
{
    const f64 most = max(max(x, y), z), from = most == -lg_infinity_f64() ? 0 : most;
    return from + log(exp(x - from) + exp(y - from) + exp(z - from));
}

/* A number that grows with x; NaN is the largest, both zeros are equal. The bits of negative floats grow with their size. */
LG u64 lg_key(f64 x)
{
    const i64 bits = x != x ? 0x7ff8000000000000LL : __double_as_longlong(x + 0.0);
    return (u64)(bits ^ ((bits >> 63) & 0x7fffffffffffffffLL)) ^ 0x8000000000000000ull;
}
LG u64 lg_key(f32 x) { return lg_key((f64)x); }
