/* How quantiles move, in f64; host/calls/quantile_slopes.py says where that is from. */
/* The integral over s > 0 of what falls within about `width`. */
template <class Weighted>
LG f64 lg_tail(f64 width, Weighted weighted)
{
    f64 total = 0;
    for (i32 k = -56; k < 41; k++) {
        const f64 s = width * exp(1.5707963267948966 * sinh(k / 16.0));
        total += s * 1.5707963267948966 * cosh(k / 16.0) / 16 * weighted(s);
    }
    return total;
}
LG f64 lg_gamma_slope(f64 a, f64 x)
{
    const bool is_below = x <= a;
    const f64 offset = log(x) - lg_digamma_f64(a), sign = is_below ? -1 : 1, root = sqrt(x);
    const f64 most = is_below ? lg_infinity_f64() : log1p(1 / root), wanted = 1 / (fabs(a - x) + (a < root ? a : root));
    return sign * x * lg_tail(wanted < most ? wanted : most, [=](f64 s) {
        return exp(sign * a * s - x * expm1(sign * s)) * (offset + sign * s);
    });
}
LG f64 lg_dirichlet_slope(f64 x, f64 a, f64 total)
{
    const bool is_below = x * total <= a;
    const f64 constant = lg_digamma_f64(total) - lg_digamma_f64(a), p = is_below ? a : total - a, q = is_below ? x : 1 - x;
    const f64 rest = total - p - 1, slope = p - rest * q / (1 - q), curvature = fabs(rest) * q / ((1 - q) * (1 - q));
    const f64 root = sqrt(curvature), start = log1p(-q);
    const f64 integral = lg_tail(1 / (fabs(slope) + (p < root ? p : root)), [=](f64 s) {
        const f64 other = log1p(-q * exp(-s)), score = (is_below ? log(q) - s : other) + constant;
        return exp(-p * s + rest * (other - start)) * score;
    });
    return is_below ? -integral * q / (1 - q) : integral;
}
