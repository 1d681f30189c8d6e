/* Complex numbers, as numpy computes them: products and quotients without a second look at infinities, the quotient by
   Smith's method ("Algorithm 116: Complex division", 1962). */
template <class T>
struct alignas(2 * sizeof(T)) lg_complex {
    T re, im;
    lg_complex() = default;
    template <class R>
    LG lg_complex(R real) : re((T)real), im(0) {}
    LG lg_complex(T real, T imaginary) : re(real), im(imaginary) {}
    template <class R>
    LG lg_complex(lg_complex<R> x) : re((T)x.re), im((T)x.im) {}
    LG lg_complex operator+(lg_complex y) const { return {re + y.re, im + y.im}; }
    LG lg_complex operator-(lg_complex y) const { return {re - y.re, im - y.im}; }
    LG lg_complex operator-() const { return {-re, -im}; }
    LG lg_complex operator*(lg_complex y) const { return {re * y.re - im * y.im, re * y.im + im * y.re}; }
    LG bool operator==(lg_complex y) const { return re == y.re && im == y.im; }
    LG bool operator!=(lg_complex y) const { return !(*this == y); }
};

typedef lg_complex<f32> c64;
typedef lg_complex<f64> c128;

template <class T>
LG lg_complex<T> lg_exchange(u32 mask, lg_complex<T> x, i32 step)
{
    return {lg_exchange(mask, x.re, step), lg_exchange(mask, x.im, step)};
}

#define LG_OF_COMPLEX(C, T, S)                                                                                         \
    LG C lg_complex_##C(T re, T im) { return {re, im}; }                                                               \
    LG T lg_real_##C(C x) { return x.re; }                                                                             \
    LG T lg_imag_##C(C x) { return x.im; }                                                                             \
    LG C lg_conj_##C(C x) { return {x.re, -x.im}; }                                                                    \
    LG T lg_abs_##C(C x) { return hypot##S(x.re, x.im); }                                                              \
    LG C lg_mul_##C(C x, C y) { return x * y; }                                                                        \
    LG C lg_div_##C(C x, C y)                                                                                          \
    {                                                                                                                  \
        if (fabs##S(y.re) >= fabs##S(y.im)) {                                                                          \
            if (y.re == 0 && y.im == 0)                                                                                \
                return {x.re / fabs##S(y.re), x.im / fabs##S(y.re)};                                                   \
            const T ratio = y.im / y.re, scale = (T)1 / (y.re + y.im * ratio);                                         \
            return {(x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale};                                     \
        }                                                                                                              \
        const T ratio = y.re / y.im, scale = (T)1 / (y.re * ratio + y.im);                                             \
        return {(x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale};                                         \
    }                                                                                                                  \
    LG C lg_scaled_##C(C x, T by) { return {x.re * by, x.im * by}; }                                                   \
    LG C lg_exp_##C(C x)                                                                                               \
    {                                                                                                                  \
        const T size = exp##S(x.re);                                                                                   \
        return x.im == 0 ? C(size, x.im) : C(size * cos##S(x.im), size * sin##S(x.im));                                \
    }                                                                                                                  \
    LG C lg_log_##C(C x) { return {log##S(hypot##S(x.re, x.im)), atan2##S(x.im, x.re)}; }                              \
    LG C lg_exp2_##C(C x) { return lg_exp_##C(lg_scaled_##C(x, (T)0.6931471805599453094)); }                           \
    LG C lg_log2_##C(C x) { return lg_scaled_##C(lg_log_##C(x), (T)1.4426950408889634074); }                           \
    LG C lg_log10_##C(C x) { return lg_scaled_##C(lg_log_##C(x), (T)0.4342944819032518277); }                          \
    LG C lg_log1p_##C(C x) { return lg_log_##C(C(x.re + 1, x.im)); }                                                   \
    LG C lg_expm1_##C(C x)                                                                                             \
    {                                                                                                                  \
        const T half = sin##S(x.im / 2);                                                                               \
        return {expm1##S(x.re) * cos##S(x.im) - 2 * half * half, exp##S(x.re) * sin##S(x.im)};                         \
    }                                                                                                                  \
    LG C lg_sqrt_##C(C x)                                                                                              \
    {                                                                                                                  \
        if (x.re == 0 && x.im == 0)                                                                                    \
            return {(T)0, x.im};                                                                                       \
        const T root = sqrt##S((fabs##S(x.re) + hypot##S(x.re, x.im)) / 2);                                            \
        return x.re >= 0 ? C(root, x.im / (2 * root)) : C(fabs##S(x.im) / (2 * root), copysign##S(root, x.im));        \
    }                                                                                                                  \
    LG C lg_sin_##C(C x) { return {sin##S(x.re) * cosh##S(x.im), cos##S(x.re) * sinh##S(x.im)}; }                      \
    LG C lg_cos_##C(C x) { return {cos##S(x.re) * cosh##S(x.im), -sin##S(x.re) * sinh##S(x.im)}; }                     \
    LG C lg_sinh_##C(C x) { return {sinh##S(x.re) * cos##S(x.im), cosh##S(x.re) * sin##S(x.im)}; }                     \
    LG C lg_cosh_##C(C x) { return {cosh##S(x.re) * cos##S(x.im), sinh##S(x.re) * sin##S(x.im)}; }                     \
    LG C lg_tanh_##C(C x)                                                                                              \
    {                                                                                                                  \
        const T slope = tan##S(x.im), t = tanh##S(x.re), steep = t * slope;                                            \
        return lg_div_##C(C(t, slope), C((T)1, steep));                                                                \
    }                                                                                                                  \
    LG C lg_tan_##C(C x)                                                                                               \
    {                                                                                                                  \
        const C turned = lg_tanh_##C(C(-x.im, x.re));                                                                  \
        return {turned.im, -turned.re};                                                                                \
    }                                                                                                                  \
    /* Small whole powers are products, by squaring. Of 0 powers are 0, with a negative real part or 0 NaN. */         \
    LG C lg_pow_##C(C x, C y)                                                                                          \
    {                                                                                                                  \
        const bool is_real = y.im == 0;                                                                                \
        if (is_real && y.re == 0)                                                                                      \
            return {(T)1, (T)0};                                                                                       \
        if (x.re == 0 && x.im == 0)                                                                                    \
            return y.re > 0 ? C((T)0, (T)0) : C((T)lg_nan_f32(), (T)lg_nan_f32());                                     \
        if (!is_real || !(y.re > -100 && y.re < 100) || (T)(i32)y.re != y.re)                                          \
            return lg_exp_##C(y * lg_log_##C(x));                                                                      \
        C power((T)1, (T)0), square = x;                                                                               \
        for (i32 count = y.re < 0 ? -(i32)y.re : (i32)y.re; count; count >>= 1, square = square * square)              \
            power = count & 1 ? power * square : power;                                                                \
        return y.re < 0 ? lg_div_##C(C((T)1, (T)0), power) : power;                                                    \
    }

LG_OF_COMPLEX(c64, f32, f)
LG_OF_COMPLEX(c128, f64, )

/* ln(e^x + e^y) */
template <class T>
LG lg_complex<T> lg_logaddexp(lg_complex<T> x, lg_complex<T> y)
{
    const lg_complex<T> larger = x.re >= y.re ? x : y, smaller = x.re >= y.re ? y : x;
    if (smaller.re == -lg_infinity_f64())
        return larger;
    const c128 rest = lg_exp_c128(c128(smaller - larger));
    return larger + lg_complex<T>(c128(log(hypot(1 + rest.re, rest.im)), atan2(rest.im, 1 + rest.re)));
}
