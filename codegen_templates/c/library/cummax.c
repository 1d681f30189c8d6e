/* Positions of running maxima along an axis. */
#include "calls.h"
#include "dtypes.h"
#include "lines.h"

enum { LANES = 256 };  /* lines walked side by side: their maxima stay in the first-level cache */

#define BODY "cummax.inc"
#include "each_dtype.inc"

typedef void scan_maxima(const lines *l, const void *x, i64 *out, i64 lanes);
static scan_maxima *const scan_maxima_of[] = DTYPE_TABLE(scan_maxima);

/* The index of the running maximum along an axis: the last one on ties, and once there is a NaN, the last NaN. out is
   int64. Attributes: [axis]. */
i32 lg_cummax_index(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    if (!team.threads || element_count(out) == 0)
        return OK;
    const array *x = &inputs[0];
    lines l = lines_along(x, out, attributes[0]);
    i64 width = has_lanes(&l) ? lane_width(&team, &l, LANES) : 1, begin, end, line;
    team_share(&team, lane_blocks(&l, width), 1, &begin, &end);
    for (i64 block = begin; block < end; block++) {
        i64 lanes = lane_block(&l, block, width, &line);
        line_start start = line_at(&l, line);
        scan_maxima_of[x->dtype](&l, (const char *)x->data + start.x * itemsize_of(x->dtype),
                                 (i64 *)out->data + start.out, lanes);
    }
    return OK;
}
