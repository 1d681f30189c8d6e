/* Integer division rounds towards minus infinity; a zero divisor is reported by the kernel, not divided by, and the one
   quotient that overflows wraps around. Of negative powers a fraction is cut to 0. */
#define LG_OF_INTEGERS(T)                                                                                              \
    LG T lg_fmod_##T(T x, T y) { return y == 0 || y == (T)-1 ? (T)(y == 0 || (T)-1 < 0 ? 0 : x % y) : (T)(x % y); }     \
    LG T lg_remainder_##T(T x, T y)                                                                                    \
    {                                                                                                                  \
        const T rest = lg_fmod_##T(x, y);                                                                              \
        return (T)(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);                                              \
    }                                                                                                                  \
    LG T lg_floor_div_##T(T x, T y)                                                                                    \
    {                                                                                                                  \
        if (y == 0 || (y == (T)-1 && (T)-1 < 0))                                                                       \
            return y == 0 ? (T)0 : (T)(0 - (u64)x);                                                                    \
        const T rest = (T)(x % y);                                                                                     \
        return (T)(x / y - (rest != 0 && (rest < 0) != (y < 0)));                                                      \
    }                                                                                                                  \
    LG T lg_pow_##T(T x, T y)                                                                                          \
    {                                                                                                                  \
        if (y < 0)                                                                                                     \
            return (T)(x == 1 ? 1 : x == (T)-1 ? (y & 1 ? -1 : 1) : 0);                                                \
        u64 power = 1, square = (u64)x;                                                                                \
        for (u64 rest = (u64)y; rest != 0; rest >>= 1, square *= square)                                               \
            power = rest & 1 ? power * square : power;                                                                 \
        return (T)power;                                                                                               \
    }                                                                                                                  \
    LG T lg_shift_left_##T(T x, T y) { return y < 0 || y >= (T)(8 * sizeof(T)) ? (T)0 : (T)((u64)x << y); }            \
    LG T lg_shift_right_##T(T x, T y)                                                                                  \
    {                                                                                                                  \
        return y < 0 || y >= (T)(8 * sizeof(T)) ? (T)(x < 0 ? -1 : 0) : (T)(x >> y);                                   \
    }

LG_OF_INTEGERS(u8)
LG_OF_INTEGERS(i8)
LG_OF_INTEGERS(i16)
LG_OF_INTEGERS(i32)
LG_OF_INTEGERS(i64)
LG_OF_INTEGERS(w32)
