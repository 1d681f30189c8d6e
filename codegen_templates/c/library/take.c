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

/* x[i0, i1, …]: inputs are x and int64 indices for its first axes, broadcast against each other; out has the shape
   (*broadcast shape, *rest of x). No attributes. Refuses indices outside [-size, size) of their axis. */
i32 lg_take(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    enum { NARROW_ROW = 8 };
    (void)attributes;
    team team = working_team(all, out, inputs, count);
    if (!team.threads)
        return OK;
    const array *x = &inputs[0];
    i32 indices = count - 1;
    addressing a = address_rows(x, out, inputs + 1, indices);
    i64 width = product(x->sizes + indices, x->rank - indices), itemsize = itemsize_of(x->dtype);
    if (a.count * width == 0)
        return indices_in_range(&a) ? OK : REFUSED;
    for (i32 i = 0; i < indices; i++)
        a.steps[i] = x->strides[i];
    i64 row_strides[MAX_RANK];
    row_major_strides(x->sizes + indices, x->rank - indices, row_strides);
    copy_plan row =
        lg_plan_copy(itemsize, x->rank - indices, x->sizes + indices, row_strides, x->strides + indices);
    i32 dense = is_row_major_from(x, indices);

    i64 begin, end, offsets[ADDRESS_BLOCK];
    team_share(&team, a.count, 1, &begin, &end);
    char *to = (char *)out->data + begin * width * itemsize;
    for (; begin < end; begin += ADDRESS_BLOCK) {
        i64 rows = least(ADDRESS_BLOCK, end - begin);
        if (!find_addresses(&a, begin, rows, offsets))
            return REFUSED;
        if (dense && width < NARROW_ROW)
            pick_elements[itemsize](to, x->data, offsets, rows, width);
        else if (dense)
            copy_rows(to, x->data, offsets, rows, width, itemsize);
        else
            for (i64 k = 0; k < rows; k++)
                lg_copy_block(&row, to + k * width * itemsize, (const char *)x->data + offsets[k] * itemsize);
        to += rows * width * itemsize;
    }
    return OK;
}
