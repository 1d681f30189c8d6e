/* What numbers are made of: divisors of whole ones, and the bits of floats. */
template <class T>
LG T lg_gcd(T x, T y)
{
    u64 a = x < 0 ? -(u64)x : (u64)x, b = y < 0 ? -(u64)y : (u64)y;
    while (b) {
        const u64 rest = a % b;
        a = b;
        b = rest;
    }
    return (T)a;
}
/* As in PyTorch, one that overflows has its sign taken off from 32 bits on. */
template <class T>
LG T lg_lcm(T x, T y)
{
    const u64 a = x < 0 ? -(u64)x : (u64)x, b = y < 0 ? -(u64)y : (u64)y, divisor = (u64)lg_gcd((i64)a, (i64)b);
    const T multiple = divisor ? (T)(a / divisor * b) : (T)0;
    return sizeof(T) >= 4 && multiple < 0 ? (T)(0 - (u64)multiple) : multiple;
}

LG f64 lg_frexp_mantissa(f64 x)
{
    i32 exponent;
    return frexp(x, &exponent);
}
LG i32 lg_frexp_exponent(f64 x)
{
    i32 exponent;
    frexp(x, &exponent);
    return x - x == 0 ? exponent : 0;
}

LG f32 lg_next(f32 x, f32 y, f32, f32) { return nextafterf(x, y); }
LG f64 lg_next(f64 x, f64 y, f64, f64) { return nextafter(x, y); }
/* Of 16 bits, by their bits; `from` and `to` are the numbers. */
template <class H>
LG H lg_next(H x, H y, f32 from, f32 to)
{
    u16 bits, sign;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&sign, &y, sizeof sign);
    if (from != from || to != to || from == to)
        return from != from ? x : y;
    if (from == 0)
        bits = (u16)((sign & 0x8000) | 1);
    else
        bits = (u16)((to > from) == (from > 0) ? bits + 1 : bits - 1);
    memcpy(&x, &bits, sizeof bits);
    return x;
}
