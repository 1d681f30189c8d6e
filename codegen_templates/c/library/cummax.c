/* Positions of running maxima along an axis. */
#include "calls.h"
#include "dtypes.h"
#include "lines.h"

enum { LANES = 256 };  /* lines walked side by side: their maxima stay in the first-level cache */

#define BODY "cummax.inc"
#include "each_dtype.inc"

typedef void scan_maxima(const lines *l, const void *x, i64 *out, i64 lanes);
static scan_maxima *const scan_maxima_of[] = DTYPE_TABLE(scan_maxima);

typedef struct {
    const array *out, *x;
    lines lines;
    i64 width;
} cummax_call;

static void scan_blocks(void *closure, i64 begin, i64 end)
{
    const cummax_call *call = closure;
    for (i64 block = begin, line; block < end; block++) {
        i64 lanes = lane_block(&call->lines, block, call->width, &line);
        line_start start = line_at(&call->lines, line);
        const char *x = (const char *)call->x->data + start.x * itemsize_of(call->x->dtype);
        scan_maxima_of[call->x->dtype](&call->lines, x, (i64 *)call->out->data + start.out, lanes);
    }
}

/* The index of the running maximum along an axis: the last one on ties, and once there is a NaN, the last NaN. out is
   int64. Attributes: [axis]. */
i32 lg_cummax_index(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    if (element_count(out) == 0)
        return OK;
    cummax_call call = {out, &inputs[0], lines_along(&inputs[0], out, attributes[0]), 1};
    if (has_lanes(&call.lines))
        call.width = lane_width(&team, &call.lines, LANES);
    lg_share(&team, lane_blocks(&call.lines, call.width), 1, scan_blocks, &call);
    return OK;
}
