/* Which way a correlation is computed. */
#include "conv_correlate.h"

#include "arrays.h"
#include "conv_blocks.h"
#include "conv_planes.h"
#include "conv_pointwise.h"

typedef struct {
    const correlation *c;
    const arithmetic *with;
} groups_call;

/* Groups of all images; a few at a time are finished while they are in the cache, if the epilogue can be cut so. */
static void correlate_groups(void *closure, i64 begin, i64 end)
{
    enum { OUTPUT_BYTES = 1 << 16 };
    const groups_call *call = closure;
    const correlation *c = call->c;
    i64 bytes = c->out_channels * product(c->out.sizes + 2, c->rank) * call->with->itemsize;
    i64 together = lg_finishes_channels(c) ? most(OUTPUT_BYTES / most(bytes, 1), 1) : most(end - begin, 1);
    for (i64 group = begin; group < end; group += together) {
        i64 last = least(group + together, end);
        lg_correlate_groups(call->with, c, 1, group, last);
        if (lg_finishes_channels(c))
            c->epilogue->run(c->epilogue->closure, group * c->out_channels, last * c->out_channels);
    }
}

static void correlate_groups_of_images(void *closure, i64 begin, i64 end)
{
    const groups_call *call = closure;
    for (i64 image = begin; image < end; image++) {
        lg_correlate_groups(call->with, call->c, 1, image * call->c->groups, (image + 1) * call->c->groups);
        lg_finish_images(call->c, image, image + 1);
    }
}

static void share_groups(const team *team, const arithmetic *with, const correlation *c)
{
    groups_call call = {c, with};
    if (c->epilogue && !lg_finishes_channels(c) && lg_shares_images(team, c)) {
        lg_share(team, c->out.sizes[0], 1, correlate_groups_of_images, &call);
        return;
    }
    lg_share(team, c->out.sizes[0] * c->groups, 1, correlate_groups, &call);
    if (!lg_finishes_channels(c))
        lg_finish_all_images(team, c);
}

void lg_correlate(const team *team, const arithmetic *with, const correlation *c)
{
    if (c->out.sizes[0] * c->groups * c->out_channels * lg_correlation_positions(c) == 0)
        return;
    if (lg_is_pointwise(with, c))
        lg_correlate_pointwise(team, with, c);
    else if (lg_has_few_channels(c))
        share_groups(team, with, c);
    else
        lg_correlate_blocks(team, with, c);
}
