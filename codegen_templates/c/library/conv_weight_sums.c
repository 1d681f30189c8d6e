#include "conv_weight_sums.h"

#include <string.h>

#include "gemm_operands.h"

enum { BLOCK_BYTES = 1 << 20 };  /* a block should stay in a core's L2 cache beside the sums */

static void lay_out(weight_blocks *w, i64 rows)
{
    i64 step = w->in_channels;
    w->rows = rows;
    w->row_positions = product(w->g.sizes + 3, w->the.rank - 1);
    for (i32 a = w->the.rank - 1; a >= 0; a--) {
        i64 positions = a == 0 ? rows : w->g.sizes[2 + a];
        w->extent[a] = (positions - 1) * w->the.stride[a] + (w->out.sizes[2 + a] - 1) * w->the.dilation[a] + 1;
        w->pitch[a] = step;
        step *= w->extent[a];
    }
    w->slab_size = step;
}

static i64 image_bytes(const weight_blocks *w)
{
    return (w->slab_size + w->out_channels * w->rows * w->row_positions) * w->with->itemsize;
}

void lg_plan_weight_blocks(weight_blocks *w)
{
    i64 rows = w->g.sizes[2];
    lay_out(w, rows);
    while (image_bytes(w) > BLOCK_BYTES && rows > 1)
        lay_out(w, rows = (rows + 1) / 2);
    w->images = rows < w->g.sizes[2] ? 1 : most(least(BLOCK_BYTES / image_bytes(w), w->g.sizes[0]), 1);
}

static i64 slabs_bytes(const weight_blocks *w)
{
    return aligned_bytes((w->images * w->slab_size + w->with->tile_columns) * w->with->itemsize);
}

static i64 line_bytes(const weight_blocks *w)
{
    return aligned_bytes(w->in_channels * w->extent[w->the.rank - 1] * w->with->itemsize);
}

static i64 g_bytes(const weight_blocks *w)
{
    return aligned_bytes(w->out_channels * w->images * w->rows * w->row_positions * w->with->itemsize);
}

static i64 offsets_bytes(const weight_blocks *w)
{
    return aligned_bytes(w->images * w->rows * w->row_positions * (i64)sizeof(i64));
}

i64 lg_weight_block_bytes(const weight_blocks *w)
{
    return slabs_bytes(w) + line_bytes(w) + g_bytes(w) + offsets_bytes(w);
}

weight_block_memory lg_divide_weight_memory(const weight_blocks *w, char *memory)
{
    weight_block_memory divided;
    divided.slabs = take(&memory, slabs_bytes(w));
    divided.line = take(&memory, line_bytes(w));
    divided.g_rows = take(&memory, g_bytes(w));
    divided.offsets = take(&memory, offsets_bytes(w));
    return divided;
}

static void fill_offsets(const weight_blocks *w, const weight_block *block, i64 *offsets)
{
    for (i64 index = 0; index < block->positions; index++) {
        i64 rest = index, offset = 0;
        for (i32 a = w->the.rank - 1; a >= 0; a--) {
            i64 positions = a == 0 ? block->rows : w->g.sizes[2 + a];
            offset += rest % positions * w->the.stride[a] * w->pitch[a];
            rest /= positions;
        }
        offsets[index] = offset + rest * w->slab_size;
    }
}

/* One line of the last axis, from input position `first` on: read channel by channel, written channels last. */
static void fill_line(const weight_blocks *w, i64 first, const char *source, char *line, char *target)
{
    i32 last = w->the.rank - 1;
    i64 extent = w->extent[last], size = w->x.sizes[2 + last], stride = w->x.strides[2 + last];
    i64 pixel = w->in_channels * w->with->itemsize;
    i64 begin = least(most(-first, 0), extent), end = least(most(size - first, 0), extent), run = end - begin;
    if (!source || run <= 0) {
        memset(target, 0, extent * pixel);
        return;
    }
    stored from = {(char *)source + (first + begin) * stride * itemsize_of(w->x.dtype), w->x.dtype, w->x.strides[1],
                   stride};
    w->with->load((elements){line, run}, from, w->in_channels, run);
    memset(target, 0, begin * pixel);
    w->with->transpose(target + begin * pixel, w->in_channels, line, run, w->in_channels, run);
    memset(target + end * pixel, 0, (extent - end) * pixel);
}

/* Everything below one position of the axes before a; source is NULL where that lies in the padding. */
static void fill_slab(const weight_blocks *w, i32 a, i64 first_row, const char *source, char *line, char *target)
{
    i64 first = (a == 0 ? first_row * w->the.stride[0] : 0) - w->the.before[a];
    if (a == w->the.rank - 1) {
        fill_line(w, first, source, line, target);
        return;
    }
    for (i64 position = 0; position < w->extent[a]; position++) {
        i64 at = first + position;
        i32 exists = source && at >= 0 && at < w->x.sizes[2 + a];
        fill_slab(w, a + 1, first_row, exists ? source + at * w->x.strides[2 + a] * itemsize_of(w->x.dtype) : 0, line,
                  target + position * w->pitch[a] * w->with->itemsize);
    }
}

void lg_read_block_input(const weight_blocks *w, const weight_block *block, i64 group, weight_block_memory *memory)
{
    fill_offsets(w, block, memory->offsets);
    for (i64 i = 0; i < block->images; i++) {
        i64 element = (block->image + i) * w->x.strides[0] + group * w->in_channels * w->x.strides[1];
        fill_slab(w, 0, block->first_row, (const char *)w->x.data + element * itemsize_of(w->x.dtype), memory->line,
                  memory->slabs + i * w->slab_size * w->with->itemsize);
    }
}

/* `rows` positions of axis a and all of the axes behind it, as consecutive elements. */
static char *read_positions(const weight_blocks *w, i32 a, i64 rows, char *source, char *target)
{
    i64 count = rows * product(w->g.sizes + 3 + a, w->the.rank - 1 - a), last = w->the.rank - 1;
    i32 is_run = is_row_major_from(&w->g, 2 + a);
    if (a == last || is_run) {
        stored from = {source, w->g.dtype, 0, is_run ? 1 : w->g.strides[2 + last]};  /* of size 1, it has any stride */
        w->with->load((elements){target, 0}, from, 1, count);
        return target + count * w->with->itemsize;
    }
    for (i64 row = 0; row < rows; row++)
        target = read_positions(w, a + 1, w->g.sizes[3 + a],
                                source + row * w->g.strides[2 + a] * itemsize_of(w->g.dtype), target);
    return target;
}

void lg_read_block_g(const weight_blocks *w, const weight_block *block, i64 begin, i64 end,
                     weight_block_memory *memory)
{
    char *target = memory->g_rows;
    for (i64 channel = begin; channel < end; channel++)
        for (i64 i = 0; i < block->images; i++) {
            i64 element = (block->image + i) * w->g.strides[0] + channel * w->g.strides[1] +
                          block->first_row * w->g.strides[2];
            target = read_positions(w, 0, block->rows, (char *)w->g.data + element * itemsize_of(w->g.dtype), target);
        }
}

i64 lg_neighbouring_taps(const weight_blocks *w)
{
    i32 last = w->the.rank - 1;
    return w->the.dilation[last] == 1 ? w->out.sizes[2 + last] : 1;
}

i64 lg_tap_offset(const weight_blocks *w, i64 tap)
{
    i64 offset = 0;
    for (i32 a = w->the.rank - 1; a >= 0; a--) {
        offset += tap % w->out.sizes[2 + a] * w->the.dilation[a] * w->pitch[a];
        tap /= w->out.sizes[2 + a];
    }
    return offset;
}
