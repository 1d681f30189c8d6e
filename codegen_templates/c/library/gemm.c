/* Which arithmetic a dtype is multiplied in. Each is an object of its own, which says so when it is loaded. */
#include <stdio.h>
#include <stdlib.h>

#include "gemm.h"

enum { ARITHMETICS = 4 };

static const arithmetic *arithmetics[ARITHMETICS];
static const window_products *windows_of_planes[ARITHMETICS];

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

/* Who plans a call has what it needs loaded; without it nothing right could be computed. */
static const void *loaded(const void *found, i32 dtype)
{
    if (!found) {
        fprintf(stderr, "lazygrad: the arithmetic of dtype %d is not loaded\n", dtype);
        abort();
    }
    return found;
}

void lg_add_arithmetic(const arithmetic *added)
{
    arithmetics[arithmetic_number(added->dtype)] = added;
}

const arithmetic *lg_arithmetic_of(i32 dtype)
{
    return dtype == BOOL ? 0 : loaded(arithmetics[arithmetic_number(dtype)], dtype);
}

void lg_add_windows(const window_products *added)
{
    windows_of_planes[arithmetic_number(added->dtype)] = added;
}

const window_products *lg_windows_of(const arithmetic *with)
{
    return loaded(windows_of_planes[arithmetic_number(with->dtype)], with->dtype);
}

i32 lg_is_stored_as_computed(i32 dtype)
{
    return dtype == F32 || dtype == F64 || dtype == I32 || dtype == W32 || dtype == I64;
}
