/* Derivatives of ln gamma have asymptotic series (Abramowitz and Stegun, "Handbook of Mathematical Functions", 6.3.18
   and 6.4.12), which hold to the last digit of f64 from 12 on; below, recurrences move x there, and negative x are
   reflected (6.3.7 and 6.4.7). All of it in f64. */
LG f64 lg_lgamma_f64(f64 x) { return lgamma(x); }
LG f32 lg_lgamma_f32(f32 x) { return lgammaf(x); }

LG f64 lg_digamma_f64(f64 x)
{
    if (x == 0)
        return copysign(lg_infinity_f64(), -x);
    f64 rest = 0;
    if (x < 0) {
        if (x == floor(x))
            return lg_nan_f64();
        const f64 angle = 3.141592653589793 * (x - rint(x));
        rest = -3.141592653589793 * cos(angle) / sin(angle);
        x = 1 - x;
    }
    for (; x < 12; x += 1)
        rest -= 1 / x;
    const f64 y = 1 / (x * x);
    f64 series = 1.0 / 12;
    series = series * y - 691.0 / 32760;
    series = series * y + 1.0 / 132;
    series = series * y - 1.0 / 240;
    series = series * y + 1.0 / 252;
    series = series * y - 1.0 / 120;
    series = series * y + 1.0 / 12;
    return x > 1e300 ? log(x) + rest : log(x) - 0.5 / x - y * series + rest;
}

LG f64 lg_trigamma_f64(f64 x)
{
    if (x == -lg_infinity_f64())
        return lg_nan_f64();
    f64 sign = 1, rest = 0;
    if (x < 0) {
        const f64 sine = sin(3.141592653589793 * (x - rint(x)));
        rest = 9.869604401089358 / (sine * sine);
        sign = -1;
        x = 1 - x;
    }
    f64 sum = 0;
    for (; x < 12; x += 1)
        sum += 1 / (x * x);
    const f64 y = 1 / (x * x);
    f64 series = 7.0 / 6;
    series = series * y - 691.0 / 2730;
    series = series * y + 5.0 / 66;
    series = series * y - 1.0 / 30;
    series = series * y + 1.0 / 42;
    series = series * y - 1.0 / 30;
    series = series * y + 1.0 / 6;
    return rest + sign * (sum + 1 / x + y / 2 + y / x * series);
}

LG f32 lg_digamma_f32(f32 x) { return (f32)lg_digamma_f64(x); }
LG f32 lg_trigamma_f32(f32 x) { return (f32)lg_trigamma_f64(x); }

/* Giles, "Approximating the erfinv function" (2010), as the start of two steps of Newton's method. */
LG f64 lg_erfinv_f64(f64 y)
{
    const f64 size = fabs(y);
    if (size >= 1)
        return size == 1 ? copysign(lg_infinity_f64(), y) : lg_nan_f64();
    f64 w = -log((1 - size) * (1 + size)), x;
    if (w < 5) {
        w -= 2.5;
        x = 2.81022636e-08;
        x = 3.43273939e-07 + x * w;
        x = -3.5233877e-06 + x * w;
        x = -4.39150654e-06 + x * w;
        x = 0.00021858087 + x * w;
        x = -0.00125372503 + x * w;
        x = -0.00417768164 + x * w;
        x = 0.246640727 + x * w;
        x = 1.50140941 + x * w;
    } else {
        w = sqrt(w) - 3;
        x = -0.000200214257;
        x = 0.000100950558 + x * w;
        x = 0.00134934322 + x * w;
        x = -0.00367342844 + x * w;
        x = 0.00573950773 + x * w;
        x = -0.0076224613 + x * w;
        x = 0.00943887047 + x * w;
        x = 1.00167406 + x * w;
        x = 2.83297682 + x * w;
    }
    x *= size;
    for (i32 step = 0; step < 2; step++)
        x += ((1 - size) - erfc(x)) * -0.886226925452758 * exp(x * x);
    return copysign(x, y);
}

LG f32 lg_erfinv_f32(f32 y) { return (f32)lg_erfinv_f64(y); }
