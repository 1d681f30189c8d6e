/* Positions of the extremes along an axis. */
#include <string.h>

#include "calls.h"
#include "dtypes.h"
#include "lines.h"

enum { LANES = 512 };  /* lines walked side by side: their extremes stay in the first-level cache */

/* Part of a line, or of several side by side. */
typedef struct {
    i64 first, last;  /* along the line */
    i64 step;
    i64 lanes, lane_step;
} segment;

#define BODY "arg_extreme.inc"
#include "each_dtype.inc"

typedef i64 search_line(const void *x, const segment *s, i32 minimum);
typedef void search_lanes(const void *x, const segment *s, i32 minimum, i64 *found);
typedef i32 replaces(const void *x, i64 later, i64 earlier, i32 minimum);
static search_line *const search_line_of[] = DTYPE_TABLE(search_line);
static search_lanes *const search_lanes_of[] = DTYPE_TABLE(search_lanes);
static replaces *const replaces_of[] = DTYPE_TABLE(replaces);

typedef struct {
    const array *x;
    lines lines;
    i32 minimum;
    i64 width;  /* of a block of lanes, or 0 to take one line after another */
    i64 *found;
    i64 segments;  /* that lines are cut into; a number per line is found in each */
} search;

static i64 unit_count(const search *s)
{
    return s->width ? lane_blocks(&s->lines, s->width) : s->lines.count;
}

/* Finds the extremes in [first, last) of the lines of one unit: a line, or a block of lanes. found has one number per
   line. */
static void search_unit(const search *s, i64 unit, i64 first, i64 last, i64 *found)
{
    const lines *l = &s->lines;
    i64 line = unit, lanes = s->width ? lane_block(l, unit, s->width, &line) : 1;
    segment part = {first, last, l->x_step, lanes, l->x_strides[l->rank - 1]};
    const char *x = (const char *)s->x->data + line_at(l, line).x * itemsize_of(s->x->dtype);
    if (s->width)
        search_lanes_of[s->x->dtype](x, &part, s->minimum, found + line);
    else
        found[line] = search_line_of[s->x->dtype](x, &part, s->minimum);
}

/* The best of what was found in the segments of each line, earlier ones first. */
static void combine(const search *s, i64 *found)
{
    const lines *l = &s->lines;
    for (i64 line = 0; line < l->count; line++) {
        const char *x = (const char *)s->x->data + line_at(l, line).x * itemsize_of(s->x->dtype);
        i64 best = -1;
        for (i64 k = 0; k < s->segments; k++) {
            i64 candidate = s->found[k * l->count + line];
            if (candidate >= 0 &&
                (best < 0 || replaces_of[s->x->dtype](x, candidate * l->x_step, best * l->x_step, s->minimum)))
                best = candidate;
        }
        found[line] = best;
    }
}

static void search_units(void *closure, i64 begin, i64 end)
{
    const search *s = closure;
    for (i64 unit = begin; unit < end; unit++)
        search_unit(s, unit, 0, s->lines.length, s->found);
}

static void search_segments(void *closure, i64 begin, i64 end)
{
    const search *s = closure;
    for (i64 k = begin; k < end; k++) {
        i64 first = s->lines.length * k / s->segments, last = s->lines.length * (k + 1) / s->segments;
        i64 *found = s->found + k * s->lines.count;
        for (i64 line = 0; line < s->lines.count; line++)
            found[line] = -1;
        for (i64 unit = 0; unit < unit_count(s) && first < last; unit++)
            search_unit(s, unit, first, last, found);
    }
}

static i32 arg_extreme(const team *all, const array *out, const array *inputs, i64 axis, i32 minimum)
{
    team team = working_team(all, out, inputs, 1);
    if (element_count(out) == 0)
        return OK;
    search s = {.x = &inputs[0], .lines = lines_along(&inputs[0], out, axis), .minimum = minimum, .found = out->data};
    if (s.lines.length > 0x7FFFFFFF)
        return REFUSED;  /* positions are kept in 32 bits */
    if (has_lanes(&s.lines))
        s.width = lane_width(&team, &s.lines, LANES);
    if (unit_count(&s) >= team.threads) {
        lg_share(&team, unit_count(&s), 1, search_units, &s);
        return OK;
    }

    /* Too few lines: parts are segments of all of them. */
    s.segments = lg_parts(&team);
    s.found = lg_shared_scratch(s.segments * s.lines.count * (i64)sizeof(i64));
    lg_share(&team, s.segments, 1, search_segments, &s);
    combine(&s, out->data);
    return OK;
}

/* The index of the first maximum along an axis, which out, int64, keeps with size 1; the first NaN is the maximum.
   Attributes: [axis]. */
i32 lg_argmax(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)count;
    return arg_extreme(team, out, inputs, attributes[0], 0);
}

/* The index of the first minimum, as lg_argmax; the first NaN is the minimum too. */
i32 lg_argmin(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)count;
    return arg_extreme(team, out, inputs, attributes[0], 1);
}
