/* Constant padding. */
#include <string.h>

#include "calls.h"
#include "dtypes.h"
#include "strided_copy.h"

/* An axis of the output: `ahead` elements of padding, `kept` ones of x from `start` on, and padding to the end. */
typedef struct {
    i64 size, ahead, kept, start, from;
} padded_axis;

typedef struct {
    i32 rank;
    padded_axis axes[MAX_RANK];
} pad_plan;

#define BODY "pad.inc"
#include "each_size.inc"

typedef void pad_line(void *to, const void *from, const void *value, const padded_axis *axis, i64 is_padding);
static pad_line *const pad_line_of[] = SIZE_TABLE(pad_line);

static padded_axis pad_axis(i64 size, i64 stride, i64 before, i64 after)
{
    padded_axis axis = {.size = before + size + after, .ahead = most(before, 0), .start = most(-before, 0),
                        .from = stride};
    axis.kept = most(0, size + least(after, 0) - axis.start);
    return axis;
}

/* Whether x and out both walk an axis together with an inner one that is not padded. Long lines are not made longer:
   lines are what threads share. */
static i32 merges(const padded_axis *outer, const padded_axis *inner)
{
    enum { LONG = 4096 };
    i32 is_whole = inner->ahead == 0 && inner->kept == inner->size;
    return is_whole && inner->size < LONG && outer->from == inner->from * inner->size;
}

static pad_plan plan_pad(const array *x, const i64 *before, const i64 *after)
{
    pad_plan plan = {0};
    for (i32 a = x->rank - 1; a >= 0; a--) {
        padded_axis axis = pad_axis(x->sizes[a], x->strides[a], before[a], after[a]);
        padded_axis *inner = plan.axes + plan.rank - 1;  /* axes are collected from the last to the first */
        if (plan.rank && merges(&axis, inner)) {
            i64 unit = inner->size;
            *inner = (padded_axis){axis.size * unit, axis.ahead * unit, axis.kept * unit, axis.start * unit,
                                   inner->from};
        } else {
            plan.axes[plan.rank++] = axis;
        }
    }
    if (!plan.rank)
        plan.axes[plan.rank++] = (padded_axis){.size = 1, .kept = 1};
    return plan;
}

/* x surrounded by a value: inputs are x and the value, a number of the same dtype. Attributes: [before…, after…], one
   per axis each; negative amounts crop. */
i32 lg_pad(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    if (!team.threads || element_count(out) == 0)
        return OK;
    const array *x = &inputs[0];
    pad_plan plan = plan_pad(x, attributes, attributes + x->rank);
    i64 itemsize = itemsize_of(out->dtype), begin, end;
    const padded_axis *line = &plan.axes[0];
    i64 lines = element_count(out) / line->size;
    team_share(&team, lines, 1, &begin, &end);
    for (i64 k = begin; k < end; k++) {
        i64 rest = k, offset = line->start * line->from, is_padding = 0;
        for (i32 a = 1; a < plan.rank; a++) {
            const padded_axis *axis = &plan.axes[a];
            i64 position = rest % axis->size - axis->ahead;
            rest /= axis->size;
            is_padding |= (u64)position >= (u64)axis->kept;
            offset += (position + axis->start) * axis->from;
        }
        pad_line_of[itemsize]((char *)out->data + k * line->size * itemsize,
                              (const char *)x->data + (is_padding ? 0 : offset) * itemsize, inputs[1].data, line,
                              is_padding);
    }
    return OK;
}
