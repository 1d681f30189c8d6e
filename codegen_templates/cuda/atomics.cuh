/* Elements that several threads change. */
LG void lg_atomic_add(f32 *to, f32 x) { atomicAdd(to, x); }
LG void lg_atomic_add(f64 *to, f64 x) { atomicAdd(to, x); }
LG void lg_atomic_add(i32 *to, i32 x) { atomicAdd(to, x); }
LG void lg_atomic_add(u32 *to, u32 x) { atomicAdd(to, x); }
LG void lg_atomic_add(i64 *to, i64 x) { atomicAdd((u64 *)to, (u64)x); }

/* Parts of complex numbers are added one by one. */
template <class C>
LG void lg_atomic_add(C *to, C x)
{
    lg_atomic_add(&to->re, x.re);
    lg_atomic_add(&to->im, x.im);
}

LG i32 lg_atomic_swap(i32 *to, i32 old, i32 x) { return atomicCAS(to, old, x); }
LG u32 lg_atomic_swap(u32 *to, u32 old, u32 x) { return atomicCAS(to, old, x); }
LG i64 lg_atomic_swap(i64 *to, i64 old, i64 x) { return (i64)atomicCAS((u64 *)to, (u64)old, (u64)x); }
LG f32 lg_atomic_swap(f32 *to, f32 old, f32 x)
{
    return __int_as_float(atomicCAS((i32 *)to, __float_as_int(old), __float_as_int(x)));
}
LG f64 lg_atomic_swap(f64 *to, f64 old, f64 x)
{
    return __longlong_as_double((i64)atomicCAS((u64 *)to, (u64)__double_as_longlong(old), (u64)__double_as_longlong(x)));
}

LG bool lg_same_bits(f32 x, f32 y) { return __float_as_int(x) == __float_as_int(y); }
LG bool lg_same_bits(f64 x, f64 y) { return __double_as_longlong(x) == __double_as_longlong(y); }
template <class T>
LG bool lg_same_bits(T x, T y)
{
    return x == y;
}

template <class T, class Combine>
LG void lg_atomic_combine(T *to, T x, Combine combine)
{
    T old, seen = lg_atomic_swap(to, x, x); /* what is there, since nothing changes */
    do {
        old = seen;
        seen = lg_atomic_swap(to, old, combine(old, x));
    } while (!lg_same_bits(old, seen));
}
