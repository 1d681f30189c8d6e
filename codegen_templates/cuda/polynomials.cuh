/* Orthogonal polynomials by their recurrences (DLMF 18.9.1), in f64; 0 for negative degrees. */
template <class Next>
LG f64 lg_polynomial(f64 degree, f64 first, Next next)
{
    const i64 count = (i64)degree;
    f64 before = 1, last = first;
    for (i64 k = 1; k < count; k++) {
        const f64 following = next((f64)k, last, before);
        before = last;
        last = following;
    }
    return count < 0 ? 0.0 : count == 0 ? 1.0 : last;
}
LG f64 lg_chebyshev_t(f64 n, f64 x)
{
    return lg_polynomial(n, x, [=](f64 k, f64 last, f64 before) { return 2 * x * last - before; });
}
LG f64 lg_hermite_h(f64 n, f64 x)
{
    return lg_polynomial(n, 2 * x, [=](f64 k, f64 last, f64 before) { return 2 * (x * last - k * before); });
}
LG f64 lg_hermite_he(f64 n, f64 x)
{
    return lg_polynomial(n, x, [=](f64 k, f64 last, f64 before) { return x * last - k * before; });
}
LG f64 lg_gegenbauer(f64 n, f64 a, f64 x)
{
    return lg_polynomial(n, 2 * a * x, [=](f64 k, f64 last, f64 before) {
        return (2 * (k + a) * x * last - (k + 2 * a - 1) * before) / (k + 1);
    });
}
LG f64 lg_laguerre(f64 n, f64 a, f64 x)
{
    return lg_polynomial(n, 1 + a - x, [=](f64 k, f64 last, f64 before) {
        return ((2 * k + 1 + a - x) * last - (k + a) * before) / (k + 1);
    });
}
