/* Whether numbers lie outside a range, in one pass over them. */
#include "library/arrays.h"

/* A number is outside where it lies below the first or above the last, so that one of the differences has a sign; in a
   range less than 2^31 wide, only a number outside makes one overflow. Every processor has vectors that subtract, not
   every one vectors that compare without a sign. */
#define OUTSIDE(name, number, bits)                                                                                    \
    void name(const number *values, i64 count, i64 first, i64 last, u64 *outside)                                      \
    {                                                                                                                  \
        bits from = (bits)first, to = (bits)last, signs = 0;                                                           \
        _Pragma("omp simd reduction(|: signs)")                                                                        \
        for (i64 k = 0; k < count; k++)                                                                                \
            signs |= ((bits)values[k] - from) | (to - (bits)values[k]);                                                \
        *outside = signs >> (8 * sizeof(bits) - 1);                                                                    \
    }

/* Sets `outside` to 1 where one of the numbers is less than `first` <= 0 or more than `last` >= -1, else to 0. */
OUTSIDE(lg_outside_i32, i32, u32)
OUTSIDE(lg_outside_i64, i64, u64)
