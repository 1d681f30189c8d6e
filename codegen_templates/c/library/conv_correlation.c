/* What all ways of computing a correlation ask of it, and what follows when images are finished. */
#include "conv_correlation.h"

#include "arrays.h"
#include "conv_attributes.h"

correlation lg_describe_conv(const array *out, const array *x, const array *weight, const i64 *attributes)
{
    conv_attributes the = read_conv_attributes(attributes);
    correlation c = {
        .rank = the.rank,
        .groups = the.groups,
        .in_channels = weight->sizes[1],
        .out_channels = weight->sizes[0] / the.groups,
        .in = *x,
        .out = *out,
        .weight = {.data = weight->data, .dtype = weight->dtype, .rank = the.rank + 3},
    };
    c.weight.strides[0] = c.out_channels * weight->strides[0];
    c.weight.strides[1] = weight->strides[0];
    for (i32 axis = 1; axis < the.rank + 2; axis++)
        c.weight.strides[axis + 1] = weight->strides[axis];
    for (i32 a = 0; a < the.rank; a++)
        c.axes[a] = (correlation_axis){
            .positions = out->sizes[2 + a],
            .out_step = 1,
            .first = -the.before[a],
            .step = the.stride[a],
            .taps = weight->sizes[2 + a],
            .tap_step = the.dilation[a],
            .kernel_step = 1,
        };
    return c;
}

i64 lg_correlation_depth(const correlation *c)
{
    i64 depth = c->in_channels;
    for (i32 a = 0; a < c->rank; a++)
        depth *= c->axes[a].taps;
    return depth;
}

i64 lg_correlation_positions(const correlation *c)
{
    i64 positions = 1;
    for (i32 a = 0; a < c->rank; a++)
        positions *= c->axes[a].positions;
    return positions;
}

i32 lg_shares_images(const team *team, const correlation *c)
{
    i64 images = c->out.sizes[0];
    return images % team->threads == 0 || images >= 4 * team->threads;
}

static i64 channel_count(const correlation *c)
{
    return c->groups * c->out_channels;
}

i32 lg_finishes_channels(const correlation *c)
{
    return c->epilogue && c->epilogue->extent == c->out.sizes[0] * channel_count(c);
}

void lg_finish_images(const correlation *c, i64 begin, i64 end)
{
    i64 units = lg_finishes_channels(c) ? channel_count(c) : 1;
    if (c->epilogue)
        c->epilogue->run(c->epilogue->closure, begin * units, end * units);
}

static void finish_images(void *closure, i64 begin, i64 end)
{
    lg_finish_images(closure, begin, end);
}

void lg_finish_all_images(const team *team, const correlation *c)
{
    if (c->epilogue)
        lg_share(team, c->out.sizes[0], 1, finish_images, (void *)c);
}
