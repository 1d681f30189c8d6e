/* Inverse functions of complex numbers. Source: Kahan, "Branch Cuts for Complex Elementary Functions", 1987. c64 is
   computed as c128. */
LG c128 lg_asin_c128(c128 z)
{
    const c128 below = lg_sqrt_c128(c128(1 - z.re, -z.im)), above = lg_sqrt_c128(c128(1 + z.re, z.im));
    return {atan2(z.re, (below * above).re), asinh((lg_conj_c128(below) * above).im)};
}
LG c128 lg_acos_c128(c128 z)
{
    const c128 below = lg_sqrt_c128(c128(1 - z.re, -z.im)), above = lg_sqrt_c128(c128(1 + z.re, z.im));
    return {2 * atan2(below.re, above.re), asinh((lg_conj_c128(above) * below).im)};
}
LG c128 lg_acosh_c128(c128 z)
{
    const c128 below = lg_sqrt_c128(c128(z.re - 1, z.im)), above = lg_sqrt_c128(c128(z.re + 1, z.im));
    return {asinh((lg_conj_c128(below) * above).re), 2 * atan2(below.im, above.re)};
}
LG c128 lg_atanh_c128(c128 z)
{
    const f64 apart = 1 - z.re, height = z.im * z.im;
    return {log1p(4 * z.re / (apart * apart + height)) / 4, atan2(2 * z.im, apart * (1 + z.re) - height) / 2};
}
/* -i f(i z) */
LG c128 lg_turned_back(c128 x) { return {x.im, -x.re}; }
LG c128 lg_asinh_c128(c128 z) { return lg_turned_back(lg_asin_c128(c128(-z.im, z.re))); }
LG c128 lg_atan_c128(c128 z) { return lg_turned_back(lg_atanh_c128(c128(-z.im, z.re))); }

LG c64 lg_asin_c64(c64 x) { return c64(lg_asin_c128(c128(x))); }
LG c64 lg_acos_c64(c64 x) { return c64(lg_acos_c128(c128(x))); }
LG c64 lg_atan_c64(c64 x) { return c64(lg_atan_c128(c128(x))); }
LG c64 lg_asinh_c64(c64 x) { return c64(lg_asinh_c128(c128(x))); }
LG c64 lg_acosh_c64(c64 x) { return c64(lg_acosh_c128(c128(x))); }
LG c64 lg_atanh_c64(c64 x) { return c64(lg_atanh_c128(c128(x))); }
