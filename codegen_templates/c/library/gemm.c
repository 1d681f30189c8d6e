/* Which arithmetic a dtype is multiplied in. */
#include "gemm.h"

const arithmetic *lg_arithmetic_of(i32 dtype)
{
    switch (dtype) {
    case F32:
    case F16:
    case BF16:
        return &lg_arithmetic_f32;
    case F64:
        return &lg_arithmetic_f64;
    case I64:
        return &lg_arithmetic_i64;
    case BOOL:
        return 0;
    default:
        return &lg_arithmetic_i32;
    }
}

i32 lg_is_stored_as_computed(i32 dtype)
{
    return dtype == F32 || dtype == F64 || dtype == I32 || dtype == W32 || dtype == I64;
}
