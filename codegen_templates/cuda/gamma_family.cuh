/* Incomplete gamma functions (DLMF 8.7.1, 8.9.2 and 8.7.3) and the Hurwitz zeta function (25.11.7), in f64. */
/* x^a e^-x / Γ(a + 1) */
LG f64 lg_gamma_weight(f64 a, f64 x)
{
    if (a < 20)
        return exp(a * log(x) - x - lgamma(a + 1));
    const f64 beyond = (x - a) / a, y = 1 / (a * a);
    const f64 rest = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / a; /* of Stirling's formula */
    return exp(a * (log1p(beyond) - beyond) - rest) / sqrt(6.283185307179586 * a);
}
/* The lower function, for x below a + 1. */
LG f64 lg_lower_gamma(f64 a, f64 x)
{
    f64 term = 1, sum = 1;
    for (i32 n = 1; n < 200000 && term > sum * 1e-17; n++)
        sum += term *= x / (a + n);
    return lg_gamma_weight(a, x) * sum;
}
/* The upper one, for x beyond: a continued fraction by Lentz's method. */
LG f64 lg_upper_gamma(f64 a, f64 x)
{
    f64 b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d;
    for (i32 n = 1; n < 200000; n++) {
        const f64 factor = -n * (n - a);
        b += 2;
        d = 1 / (factor * d + b);
        c = b + factor / c;
        fraction *= c * d;
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return lg_gamma_weight(a, x) * a * fraction;
}
/* The upper one where both are small, and 1 - the lower one has few digits. */
LG f64 lg_upper_gamma_of_small(f64 a, f64 x)
{
    f64 factor = 1, sum = 0;
    for (i32 n = 1; n < 100 && fabs(factor) > 1e-18; n++) {
        factor *= -x / n;
        sum += factor / (a + n);
    }
    const f64 series = a * (-0.5772156649015329 + a * (0.8224670334241132 + a * (-0.40068563438653143 + a * 0.27058080842778454)));
    const f64 of_one = a < 1e-3 ? series : lgamma(1 + a); /* ln Γ(1 + a) */
    return -expm1(a * log(x) - of_one) - a * exp(a * log(x) - of_one) * sum;
}
LG bool lg_gamma_is_limit(f64 a, f64 x, f64 *lower)
{
    const bool is_none = !(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == lg_infinity_f64() && x == a);
    *lower = is_none ? lg_nan_f64() : a == 0 || x == lg_infinity_f64() ? 1.0 : 0.0;
    return is_none || a == 0 || x == 0 || a == lg_infinity_f64() || x == lg_infinity_f64();
}
LG f64 lg_gammainc(f64 a, f64 x)
{
    f64 limit;
    if (lg_gamma_is_limit(a, x, &limit))
        return limit;
    return x < a + 1 ? lg_lower_gamma(a, x) : 1 - lg_upper_gamma(a, x);
}
LG f64 lg_gammaincc(f64 a, f64 x)
{
    f64 limit;
    if (lg_gamma_is_limit(a, x, &limit))
        return 1 - limit;
    if (x < 1 && a < 1)
        return lg_upper_gamma_of_small(a, x);
    return x < a + 1 ? 1 - lg_lower_gamma(a, x) : lg_upper_gamma(a, x);
}

/* Terms up to the tenth and to 10, then the Euler-Maclaurin formula; the numbers are those of Bernoulli over factorials. */
LG f64 lg_zeta(f64 s, f64 q)
{
    if (s == 1)
        return lg_infinity_f64();
    if (q <= 0 && q == floor(q) && !(s < 1))
        return lg_infinity_f64();
    if (s < 1 || (q <= 0 && s != floor(s)))
        return lg_nan_f64();
    if (q > 1e8)
        return (1 / (s - 1) + 1 / (2 * q)) * pow(q, 1 - s);
    const f64 numbers[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000,
                           1.0 / 74724249600, -3617.0 / 10670622842880000, 43867.0 / 5109094217170944000};
    f64 sum = pow(q, -s), term = sum, at = q;
    for (i32 k = 0; k < 9 || at <= 9; k++) {
        at += 1;
        term = pow(at, -s);
        sum += term;
        if (fabs(term) < 1e-17 * fabs(sum))
            return sum;
    }
    sum += term * at / (s - 1) - term / 2;
    f64 factor = s * term / at;
    for (i32 k = 0; k < 9; k++) {
        sum += numbers[k] * factor;
        factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (at * at);
    }
    return sum;
}
