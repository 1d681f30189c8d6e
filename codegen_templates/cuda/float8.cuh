/* 8-bit floats are moved and cast, and nothing else is computed of them. Their formats are described in host/calls/float8.py. */
typedef u8 f8e4m3fn, f8e5m2, f8e4m3fnuz, f8e5m2fnuz, f8e8m0fnu;

/* A format with a sign. */
template <i32 FRACTION_BITS, i32 BIAS, i32 LARGEST, i32 TOO_LARGE, i32 NOT_A_NUMBER, bool HAS_ONE_ZERO>
struct lg_float8 {
    LG static u8 store(f32 x)
    {
        const u32 bits = __float_as_int(x), magnitude = bits & 0x7fffffffu, dropped = 23 - FRACTION_BITS;
        /* Between powers of two both formats have evenly spaced numbers, so that rounding the bits rounds the number. */
        const u32 odd = magnitude >> dropped & 1u, rounded = (magnitude + (1u << (dropped - 1)) - 1u + odd) >> dropped;
        i32 code = (i32)rounded - ((127 - BIAS) << FRACTION_BITS);
        if (code < 1 << FRACTION_BITS) { /* the sum with a number of this size has the spacing of subnormal numbers */
            const u32 offset = (u32)(127 + 24 - FRACTION_BITS - BIAS) << 23, small = magnitude < offset ? magnitude : offset;
            code = __float_as_int(__int_as_float(small) + __int_as_float(offset)) - (i32)offset;
        }
        code = magnitude > 0x7f800000u ? NOT_A_NUMBER : code > LARGEST ? TOO_LARGE : code;
        const u32 sign = HAS_ONE_ZERO && (code == 0 || code == 0x80) ? 0u : bits >> 24 & 0x80u;
        return (u8)((u32)code | sign);
    }
    LG static f32 load(u8 code)
    {
        const i32 magnitude = code & 0x7f, exponent = magnitude >> FRACTION_BITS;
        const i32 fraction = magnitude & ((1 << FRACTION_BITS) - 1), is_normal = exponent > 0;
        const i32 power = (is_normal ? exponent : 1) - BIAS - FRACTION_BITS;
        f32 number = (f32)(fraction + (is_normal << FRACTION_BITS)) * __int_as_float((power + 127) << 23);
        if (HAS_ONE_ZERO)
            number = code == 0x80 ? lg_nan_f32() : number;
        else if (magnitude > LARGEST)
            number = magnitude == TOO_LARGE ? lg_infinity_f32() : lg_nan_f32();
        return code & 0x80 ? -number : number;
    }
};

/* Powers of two without a sign; 0 stands for 2^-127, which is the middle of float32's subnormal numbers. */
struct lg_float8_powers {
    LG static u8 store(f32 x)
    {
        const u32 bits = __float_as_int(x), exponent = bits >> 23 & 0xffu, fraction = bits & 0x7fffffu;
        const u32 code = exponent + (exponent == 0 ? fraction > 0x400000u : fraction >> 22);
        return (u8)(code < 0xffu ? code : 0xffu);
    }
    LG static f32 load(u8 code)
    {
        return code == 0xff ? lg_nan_f32() : __int_as_float(code ? (i32)code << 23 : 0x400000);
    }
};
