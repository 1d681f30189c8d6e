/* Which arithmetic a dtype is multiplied in. Each is an object of its own, which says so when it is loaded. */
#include <stdio.h>
#include <stdlib.h>

#include "gemm.h"

enum { ARITHMETICS = 4 };

static const arithmetic *arithmetics[ARITHMETICS];

static i32 arithmetic_number(i32 dtype)
{
    switch (dtype) {
    case F32:
    case F16:
    case BF16:
        return 0;
    case F64:
        return 1;
    case I64:
        return 2;
    default:
        return 3;
    }
}

void lg_add_arithmetic(const arithmetic *added)
{
    arithmetics[arithmetic_number(added->dtype)] = added;
}

/* Who plans a product has the arithmetic loaded; without it nothing right could be computed. */
const arithmetic *lg_arithmetic_of(i32 dtype)
{
    if (dtype == BOOL)
        return 0;
    const arithmetic *found = arithmetics[arithmetic_number(dtype)];
    if (!found) {
        fprintf(stderr, "lazygrad: the arithmetic of dtype %d is not loaded\n", dtype);
        abort();
    }
    return found;
}

i32 lg_is_stored_as_computed(i32 dtype)
{
    return dtype == F32 || dtype == F64 || dtype == I32 || dtype == W32 || dtype == I64;
}
