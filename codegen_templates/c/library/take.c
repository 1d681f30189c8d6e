/* Reading the rows that index arrays name. */
#include <string.h>

#include "addressing.h"
#include "calls.h"
#include "dtypes.h"
#include "strided_copy.h"

enum { AHEAD = 8 };  /* rows whose first cache lines are asked for early */

#define BODY "take.inc"
#include "each_size.inc"

typedef void pick(void *to, const void *from, const i64 *offsets, i64 count, i64 width);
static pick *const pick_elements[] = SIZE_TABLE(pick_elements);

static void copy_rows(char *to, const char *from, const i64 *offsets, i64 count, i64 width, i64 itemsize)
{
    enum { LINE = 64, LINES = 4 };
    i64 bytes = width * itemsize;
    for (i64 row = 0; row < count; row++) {
        const char *next = from + offsets[least(row + AHEAD, count - 1)] * itemsize;
        for (i64 line = 0; line < least(bytes, LINE * LINES); line += LINE)
            __builtin_prefetch(next + line);
        memcpy(to + row * bytes, from + offsets[row] * itemsize, bytes);
    }
}

typedef struct {
    addressing addresses;
    const array *out, *x;
    i64 width, itemsize;
    copy_plan row;
    i32 is_dense;
    i32 outcome;
} take_call;

static void take_rows(void *closure, i64 begin, i64 end)
{
    enum { NARROW_ROW = 8 };
    take_call *call = closure;
    const array *x = call->x;
    i64 offsets[ADDRESS_BLOCK], width = call->width, itemsize = call->itemsize;
    char *to = (char *)call->out->data + begin * width * itemsize;
    for (; begin < end; begin += ADDRESS_BLOCK) {
        i64 rows = least(ADDRESS_BLOCK, end - begin);
        if (!find_addresses(&call->addresses, begin, rows, offsets)) {
            refuse(&call->outcome);
            return;
        }
        if (call->is_dense && width < NARROW_ROW)
            pick_elements[itemsize](to, x->data, offsets, rows, width);
        else if (call->is_dense)
            copy_rows(to, x->data, offsets, rows, width, itemsize);
        else
            for (i64 k = 0; k < rows; k++)
                lg_copy_block(&call->row, to + k * width * itemsize, (const char *)x->data + offsets[k] * itemsize);
        to += rows * width * itemsize;
    }
}

/* x[i0, i1, …]: inputs are x and int64 indices for its first axes, broadcast against each other; out has the shape
   (*broadcast shape, *rest of x). No attributes. Refuses indices outside [-size, size) of their axis. */
i32 lg_take(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)attributes;
    team team = working_team(all, out, inputs, count);
    const array *x = &inputs[0];
    i32 indices = count - 1, rest = x->rank - indices;
    take_call call = {
        .addresses = address_rows(x, out, inputs + 1, indices),
        .out = out,
        .x = x,
        .width = product(x->sizes + indices, rest),
        .itemsize = itemsize_of(x->dtype),
        .is_dense = is_row_major_from(x, indices),
    };
    if (call.addresses.count * call.width == 0)
        return indices_in_range(&call.addresses) ? OK : REFUSED;
    for (i32 i = 0; i < indices; i++)
        call.addresses.steps[i] = x->strides[i];
    i64 row_strides[MAX_RANK];
    row_major_strides(x->sizes + indices, rest, row_strides);
    call.row = lg_plan_copy(call.itemsize, rest, x->sizes + indices, row_strides, x->strides + indices);
    lg_share(&team, call.addresses.count, 1, take_rows, &call);
    return call.outcome;
}
