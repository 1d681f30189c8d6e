/* lg_<name>_<type>, with numpy's results for NaN, infinities and signed zeros. */
#define LG_FUNCTION(name, function)                                                                                    \
    LG f32 lg_##name##_f32(f32 x) { return function##f(x); }                                                           \
    LG f64 lg_##name##_f64(f64 x) { return function(x); }

LG_FUNCTION(exp, exp)
LG_FUNCTION(exp2, exp2)
LG_FUNCTION(expm1, expm1)
LG_FUNCTION(log, log)
LG_FUNCTION(log2, log2)
LG_FUNCTION(log10, log10)
LG_FUNCTION(log1p, log1p)
LG_FUNCTION(sqrt, sqrt)
LG_FUNCTION(sin, sin)
LG_FUNCTION(cos, cos)
LG_FUNCTION(tan, tan)
LG_FUNCTION(asin, asin)
LG_FUNCTION(acos, acos)
LG_FUNCTION(atan, atan)
LG_FUNCTION(sinh, sinh)
LG_FUNCTION(cosh, cosh)
LG_FUNCTION(tanh, tanh)
LG_FUNCTION(asinh, asinh)
LG_FUNCTION(acosh, acosh)
LG_FUNCTION(atanh, atanh)
LG_FUNCTION(erf, erf)
LG_FUNCTION(erfc, erfc)
LG_FUNCTION(floor, floor)
LG_FUNCTION(ceil, ceil)
LG_FUNCTION(trunc, trunc)
LG_FUNCTION(round, rint) /* ties to even */
LG_FUNCTION(abs, fabs)

#define LG_OF_FLOATS(T, S)                                                                                             \
    LG T lg_sign_##T(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x == x ? (T)0 : x; }                                 \
    LG T lg_copysign_##T(T x, T y) { return copysign##S(x, y); }                                                       \
    LG T lg_atan2_##T(T y, T x) { return atan2##S(y, x); }                                                             \
    LG T lg_pow_##T(T x, T y) { return pow##S(x, y); }                                                                 \
    LG T lg_fmod_##T(T x, T y) { return fmod##S(x, y); }                                                               \
    /* NaN wins; of two zeros the second is taken. */                                                                  \
    LG T lg_maximum_##T(T x, T y) { return x > y || x != x ? x : y; }                                                  \
    LG T lg_minimum_##T(T x, T y) { return x < y || x != x ? x : y; }                                                  \
    /* The rest with y's sign; a rest of 0 keeps x's, as in PyTorch. */                                                \
    LG T lg_remainder_##T(T x, T y)                                                                                    \
    {                                                                                                                  \
        const T rest = fmod##S(x, y);                                                                                  \
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;                                                   \
    }                                                                                                                  \
    /* (x - rest) / y is an integer but for its own rounding, hence the nearest one; x / 0 is not rounded. */          \
    LG T lg_floor_div_##T(T x, T y)                                                                                    \
    {                                                                                                                  \
        if (y == 0)                                                                                                    \
            return x / y;                                                                                              \
        const T rest = fmod##S(x, y);                                                                                  \
        const T quotient = (x - rest) / y - (rest != 0 && (rest < 0) != (y < 0) ? (T)1 : (T)0);                        \
        const T floored = floor##S(quotient);                                                                          \
        return quotient == 0 ? copysign##S((T)0, x / y) : quotient - floored > (T)0.5 ? floored + 1 : floored;         \
    }

LG f32 lg_logistic(f32 x) { return 1 / (1 + expf(-x)); }
LG f64 lg_logistic(f64 x) { return 1 / (1 + exp(-x)); }

LG_OF_FLOATS(f32, f)
LG_OF_FLOATS(f64, )
