/* The normal distribution, in f64. */
LG f64 lg_erfcx(f64 x) { return erfcx(x); }
LG f64 lg_ndtri(f64 p) { return normcdfinv(p); }
LG f64 lg_log_ndtr(f64 x)
{
    const f64 z = x * 0.7071067811865476;
    return x < -1 ? log(erfcx(-z) / 2) - z * z : log1p(-erfc(z) / 2);
}
