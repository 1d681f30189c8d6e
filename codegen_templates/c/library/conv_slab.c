#include "conv_slab.h"

#include <string.h>

#include "arrays.h"

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
    if (s->correlation->in_channels == 0)
        return;  /* there is no room for even one channel's */
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

/* Slab positions [begin, end) of one phase of an axis exist in the input, the first of them at input position `at`. */
typedef struct {
    i64 begin, end, at;
} existing;

static existing existing_part(const slab *s, i32 a, i64 phase, i64 first_row)
{
    const correlation *c = s->correlation;
    i64 step = c->axes[a].step, extent = s->axes[a].extent, size = c->in.sizes[2 + a];
    i64 first = phase_first(s, a, phase) + (a == 0 ? first_row * step : 0);
    i64 begin = first < 0 ? least((step - 1 - first) / step, extent) : 0;
    i64 end = first < size ? least((size - first + step - 1) / step, extent) : 0;
    return (existing){begin, most(begin, end), first + begin * step};
}

static i64 input_stride(const slab *s, i32 a)
{
    return s->correlation->in.strides[2 + a];
}

/* The last axis, or the last two, of one phase. */
static void load_plane(const slab *s, i32 a, existing rows, existing run, const char *source, char *target)
{
    const correlation *c = s->correlation;
    i32 last = c->rank - 1;
    i64 element = run.at * input_stride(s, last) + (a < last ? rows.at * input_stride(s, a) : 0);
    elements to = {target + (run.begin + rows.begin * s->axes[a].pitch) * s->with->itemsize, s->axes[a].pitch};
    stored from = {
        .data = (char *)source + element * itemsize_of(c->in.dtype),
        .dtype = c->in.dtype,
        .row_stride = c->axes[a].step * input_stride(s, a),
        .stride = c->axes[last].step * input_stride(s, last),
    };
    if (run.begin < run.end)
        s->with->load(to, from, rows.end - rows.begin, run.end - run.begin);
}

/* All phases of the last axis. Target holds zeros. */
static void fill_plane(const slab *s, i32 a, i64 phase, existing rows, i64 first_row, const char *source, char *target)
{
    i32 last = s->correlation->rank - 1;
    for (i64 own = 0; own < s->axes[last].phases; own++) {
        existing run = existing_part(s, last, own, first_row);
        load_plane(s, a, rows, run, source, target + (phase * s->axes[last].phases + own) * s->phase_size *
                                                     s->with->itemsize);
    }
}

/* Copies what exists of axis a and those behind it; `phase` is that of the axes before. Target holds zeros. */
static void fill_axis(const slab *s, i32 a, i64 phase, i64 first_row, const char *source, char *target)
{
    const correlation *c = s->correlation;
    if (a == c->rank - 1) {
        fill_plane(s, a, phase, (existing){0, 1, 0}, first_row, source, target);
        return;
    }
    for (i64 own = 0; own < s->axes[a].phases; own++) {
        i64 phases = phase * s->axes[a].phases + own;
        existing rows = existing_part(s, a, own, first_row);
        if (a == c->rank - 2) {
            fill_plane(s, a, phases, rows, first_row, source, target);
            continue;
        }
        for (i64 row = 0; row < rows.end - rows.begin; row++) {
            i64 element = (rows.at + row * c->axes[a].step) * input_stride(s, a);
            fill_axis(s, a + 1, phases, first_row, source + element * itemsize_of(c->in.dtype),
                      target + (rows.begin + row) * s->axes[a].pitch * s->with->itemsize);
        }
    }
}

void lg_fill_slab(const slab *s, i64 image, i64 group, i64 first_row, void *target)
{
    const correlation *c = s->correlation;
    for (i64 channel = 0; channel < c->in_channels; channel++) {
        char *plane = (char *)target + channel * s->channel_size * s->with->itemsize;
        i64 element = image * c->in.strides[0] + (group * c->in_channels + channel) * c->in.strides[1];
        memset(plane, 0, s->channel_size * s->with->itemsize);
        fill_axis(s, 0, 0, first_row, (const char *)c->in.data + element * itemsize_of(c->in.dtype), plane);
    }
}

slab_copies lg_plan_slab_copies(const slab *s, i64 first_row)
{
    const correlation *c = s->correlation;
    i32 last = c->rank - 1;
    i64 outer_phases = last ? s->axes[0].phases : 1, inner_phases = s->axes[last].phases;
    slab_copies plan = {0};
    if (last > 1 || outer_phases * inner_phases > MOST_COPIES)
        return plan;
    for (i64 phase = 0; phase < outer_phases * inner_phases; phase++) {
        existing rows = last ? existing_part(s, 0, phase / inner_phases, first_row) : (existing){0, 1, 0};
        existing run = existing_part(s, last, phase % inner_phases, first_row);
        i64 outer_stride = last ? input_stride(s, 0) : 0;
        plan.copies[plan.count++] = (slab_copy){
            .from = run.at * input_stride(s, last) + rows.at * outer_stride,
            .to = phase * s->phase_size + run.begin + rows.begin * s->axes[0].pitch,
            .rows = rows.end - rows.begin,
            .count = run.end - run.begin,
        };
    }
    return plan;
}

void lg_copy_to_slab(const slab *s, const slab_copies *plan, i64 image, i64 group, void *target)
{
    const correlation *c = s->correlation;
    i32 last = c->rank - 1;
    i64 first = image * c->in.strides[0] + group * c->in_channels * c->in.strides[1];
    i64 row_stride = last ? c->axes[0].step * input_stride(s, 0) : 0;
    i64 stride = c->axes[last].step * input_stride(s, last);
    for (i64 channel = 0; channel < c->in_channels; channel++) {
        char *plane = (char *)target + channel * s->channel_size * s->with->itemsize;
        const char *source = (const char *)c->in.data + (first + channel * c->in.strides[1]) * itemsize_of(c->in.dtype);
        for (i32 i = 0; i < plan->count; i++) {
            const slab_copy *copy = &plan->copies[i];
            elements to = {plane + copy->to * s->with->itemsize, s->axes[0].pitch};
            stored from = {(char *)source + copy->from * itemsize_of(c->in.dtype), c->in.dtype, row_stride, stride};
            if (copy->count > 0)
                s->with->load(to, from, copy->rows, copy->count);
        }
    }
}

static i64 positions_of(const slab *s, i32 a, i64 rows)
{
    return a == 0 ? rows : s->correlation->axes[a].positions;
}

i64 lg_slab_planes(const slab *s, i64 rows)
{
    i64 planes = 1;
    for (i32 a = 0; a < s->correlation->rank - 2; a++)
        planes *= positions_of(s, a, rows);
    return planes;
}

windows lg_slab_windows(const slab *s, i64 rows, i64 plane, const void *filled, const i64 *offsets, i64 taps)
{
    i32 last = s->correlation->rank - 1;
    i64 first = 0;
    for (i32 a = last - 2; a >= 0; a--) {
        i64 positions = positions_of(s, a, rows);
        first += plane % positions * s->axes[a].pitch;
        plane /= positions;
    }
    return (windows){
        .from = (const char *)filled + first * s->with->itemsize,
        .pitch = last ? s->axes[last - 1].pitch : 0,
        .rows = last ? positions_of(s, last - 1, rows) : 1,
        .columns = positions_of(s, last, rows),
        .offsets = offsets,
        .taps = taps,
    };
}
