#include "conv_slab.h"

#include <string.h>

#include "arrays.h"

static i64 greatest_common_divisor(i64 a, i64 b)
{
    a = a < 0 ? -a : a;
    while (b) {
        i64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Input position of tap t for output position 0, counted from the lowest one. */
static i64 tap_position(const correlation_axis *axis, i64 tap)
{
    i64 reach = (axis->taps - 1) * axis->tap_step;
    return tap * axis->tap_step - least(reach, 0);
}

/* The residues of the taps' positions modulo the step repeat with this period. */
static i64 phase_count(const correlation_axis *axis)
{
    i64 period = axis->step / most(greatest_common_divisor(axis->tap_step, axis->step), 1);
    return least(most(period, 1), axis->taps);
}

slab lg_slab_layout(const arithmetic *with, const correlation *c, i64 rows)
{
    slab s = {.with = with, .correlation = c, .phase_size = 1, .positions = 1};
    i64 phases = 1;
    for (i32 a = c->rank - 1; a >= 0; a--) {
        const correlation_axis *axis = &c->axes[a];
        i64 positions = a == 0 ? rows : axis->positions, reach = (axis->taps - 1) * axis->tap_step;
        s.axes[a] = (slab_axis){
            .lowest = axis->first + least(reach, 0),
            .phases = phase_count(axis),
            .extent = positions + most(reach, -reach) / axis->step,
            .pitch = s.phase_size,
        };
        s.positions += (positions - 1) * s.phase_size;
        s.phase_size *= s.axes[a].extent;
        phases *= s.axes[a].phases;
    }
    s.channel_size = s.phase_size * phases;
    return s;
}

static i64 tap_offset(const slab *s, i32 a, i64 tap)
{
    return tap_position(&s->correlation->axes[a], tap) / s->correlation->axes[a].step * s->axes[a].pitch;
}

/* Fills offsets for one channel; `phase` and `offset` are those of the axes before a. */
static i64 *offsets_from(const slab *s, i32 a, i64 phase, i64 offset, i64 *next)
{
    const correlation *c = s->correlation;
    if (a == c->rank) {
        *next = phase * s->phase_size + offset;
        return next + 1;
    }
    for (i64 tap = 0; tap < c->axes[a].taps; tap++)
        next = offsets_from(s, a + 1, phase * s->axes[a].phases + tap % s->axes[a].phases,
                            offset + tap_offset(s, a, tap), next);
    return next;
}

void lg_slab_offsets(const slab *s, i64 *offsets)
{
    i64 taps = offsets_from(s, 0, 0, 0, offsets) - offsets;
    for (i64 channel = 1; channel < s->correlation->in_channels; channel++)
        for (i64 tap = 0; tap < taps; tap++)
            offsets[channel * taps + tap] = channel * s->channel_size + offsets[tap];
}

/* The input position of slab position 0 of a phase, which is tap `phase`'s residue. */
static i64 phase_first(const slab *s, i32 a, i64 phase)
{
    const correlation_axis *axis = &s->correlation->axes[a];
    return s->axes[a].lowest + tap_position(axis, phase) % axis->step;
}

/* One row of the last axis: zeros, what exists of the input, zeros. */
static void fill_run(const slab *s, i64 phase, i64 first_row, const char *source, char *target)
{
    const correlation *c = s->correlation;
    i32 a = c->rank - 1;
    i64 itemsize = s->with->itemsize, extent = s->axes[a].extent, step = c->axes[a].step;
    i64 first = phase_first(s, a, phase) + (a == 0 ? first_row * step : 0), size = c->in.sizes[2 + a];
    i64 begin = first < 0 ? least((-first + step - 1) / step, extent) : 0;
    i64 end = first < size ? least((size - first + step - 1) / step, extent) : 0;
    if (!source || begin >= end) {
        memset(target, 0, extent * itemsize);
        return;
    }
    memset(target, 0, begin * itemsize);
    i64 stride = c->in.strides[2 + a];
    s->with->load(target + begin * itemsize, source + (first + begin * step) * stride * itemsize_of(c->in.dtype),
                  c->in.dtype, step * stride, end - begin);
    memset(target + end * itemsize, 0, (extent - end) * itemsize);
}

/* Fills everything below one position and phase of the axes before a; source is NULL where that lies in the padding. */
static void fill_axis(const slab *s, i32 a, i64 phase, i64 first_row, const char *source, char *target)
{
    const correlation *c = s->correlation;
    i64 itemsize = s->with->itemsize;
    for (i64 own = 0; own < s->axes[a].phases; own++) {
        i64 phases = phase * s->axes[a].phases + own;
        if (a == c->rank - 1) {
            fill_run(s, own, first_row, source, target + phases * s->phase_size * itemsize);
            continue;
        }
        i64 first = phase_first(s, a, own) + (a == 0 ? first_row * c->axes[a].step : 0);
        for (i64 position = 0; position < s->axes[a].extent; position++) {
            i64 at = first + position * c->axes[a].step;
            i32 exists = source && at >= 0 && at < c->in.sizes[2 + a];
            const char *row = exists ? source + at * c->in.strides[2 + a] * itemsize_of(c->in.dtype) : 0;
            fill_axis(s, a + 1, phases, first_row, row, target + position * s->axes[a].pitch * itemsize);
        }
    }
}

void lg_fill_slab(const slab *s, i64 image, i64 group, i64 first_row, void *target)
{
    const correlation *c = s->correlation;
    for (i64 channel = 0; channel < c->in_channels; channel++) {
        i64 element = image * c->in.strides[0] + (group * c->in_channels + channel) * c->in.strides[1];
        fill_axis(s, 0, 0, first_row, (const char *)c->in.data + element * itemsize_of(c->in.dtype),
                  (char *)target + channel * s->channel_size * s->with->itemsize);
    }
}
