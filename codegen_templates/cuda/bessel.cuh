/* Bessel and Airy functions, in f64. Sources: DLMF 10.25.2, 10.40.1 (modified functions of the first kind: a series of
   positive terms, and an asymptotic one), 10.32.9 and 9.5.4 (integrals that fall so fast that the trapezoidal rule takes
   them to the last digits: Trefethen and Weideman, "The exponentially convergent trapezoidal rule", 2014), 9.7.9-10. */
/* NaN at infinity, as on the host. */
LG f64 lg_bessel_j0(f64 x) { return j0(x) + (x - x); }
LG f64 lg_bessel_j1(f64 x) { return j1(x) + (x - x); }
LG f64 lg_bessel_y0(f64 x) { return y0(x) + (x - x); }
LG f64 lg_bessel_y1(f64 x) { return y1(x) + (x - x); }

/* exp(-x) I(x) of order 0 or 1, for x from 0 on. */
LG f64 lg_modified_first(f64 x, i32 order)
{
    f64 term = 1, sum = 1;
    if (x <= 30) {
        for (i32 k = 1; term > sum * 1e-17; k++)
            sum += term *= x * x / 4 / ((f64)k * (k + order));
        return sum * exp(-x) * (order ? x / 2 : 1.0);
    }
    for (i32 k = 1; k < 40 && fabs(term) > 1e-17; k++)
        sum += term *= ((2 * k - 1) * (2 * k - 1) - 4 * order) / (8.0 * k * x);
    return sum / sqrt(6.283185307179586 * x);
}
LG f64 lg_i0e(f64 x) { return lg_modified_first(fabs(x), 0); }
LG f64 lg_i1e(f64 x) { return copysign(lg_modified_first(fabs(x), 1), x); }
/* The root is multiplied twice: a factor that overflows may belong to a number that does not. */
LG f64 lg_grown(f64 scaled, f64 x)
{
    const f64 root = exp(fabs(x) / 2);
    return scaled * root * root;
}
LG f64 lg_i0(f64 x) { return lg_grown(lg_i0e(x), x); }
LG f64 lg_i1(f64 x) { return lg_grown(lg_i1e(x), x); }

/* exp(x) K(x) of order 0 or 1. */
LG f64 lg_modified_second(f64 x, i32 order)
{
    if (!(x > 0))
        return x == 0 ? lg_infinity_f64() : lg_nan_f64();
    if (x == lg_infinity_f64())
        return 0;
    const f64 step = 0.6 / sqrt(x) < 0.2 ? 0.6 / sqrt(x) : 0.2;
    f64 sum = 0.5, fallen = 0;
    for (i32 k = 1; fallen < 40; k++) {
        const f64 half = sinh(k * step / 2);
        fallen = 2 * x * half * half - order * k * step;
        sum += exp(-2 * x * half * half) * (order ? cosh(k * step) : 1.0);
    }
    return sum * step;
}
LG f64 lg_k0e(f64 x) { return lg_modified_second(x, 0); }
LG f64 lg_k1e(f64 x) { return lg_modified_second(x, 1); }
LG f64 lg_k0(f64 x) { return lg_k0e(x) * exp(-x); }
LG f64 lg_k1(f64 x) { return lg_k1e(x) * exp(-x); }

/* The Airy function or its derivative at -x, for large x. */
LG f64 lg_airy_waves(f64 x, bool is_slope)
{
    const f64 phase = 2.0 / 3 * x * sqrt(x), sine = sin(phase - 0.7853981633974483), cosine = cos(phase - 0.7853981633974483);
    f64 u = 1, power = 1, even = 1, odd = 0;
    for (i32 k = 1; k < 30; k++) {
        u *= (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216.0 * k * (2 * k - 1));
        power /= phase;
        const f64 term = (k / 2 % 2 ? -u : u) * power * (is_slope ? (6 * k + 1) / (1.0 - 6 * k) : 1.0);
        (k % 2 ? odd : even) += term;
        if (fabs(term) < 1e-17)
            break;
    }
    const f64 root = sqrt(sqrt(x));
    return 0.5641895835477563 * (is_slope ? root * (sine * even - cosine * odd) : (cosine * even + sine * odd) / root);
}
/* Beyond there, along the line on which the imaginary part of the path is `shift`. */
LG f64 lg_airy(f64 x, bool is_slope)
{
    if (x < -9)
        return lg_airy_waves(-x, is_slope);
    const f64 shift = sqrt(x > 0.5 ? x : 0.5), step = 0.4 / sqrt(shift) < 0.1 ? 0.4 / sqrt(shift) : 0.1;
    f64 sum = is_slope ? shift / 2 : 0.5;
    for (i32 k = 1; k * step * k * step * shift < 40; k++) {
        const f64 u = k * step, angle = u * (u * u / 3 + x - shift * shift), size = exp(-shift * u * u);
        sum += size * (is_slope ? shift * cos(angle) + u * sin(angle) : cos(angle));
    }
    return (is_slope ? -1 : 1) * 0.3183098861837907 * exp(shift * (shift * shift / 3 - x)) * sum * step;
}
LG f64 lg_airy_ai(f64 x) { return lg_airy(x, false); }
LG f64 lg_airy_ai_prime(f64 x) { return lg_airy(x, true); }
