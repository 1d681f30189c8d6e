#include "conv_weights.h"

#include "arrays.h"
#include "gemm_operands.h"

/* A row of the matrix of one group: (in_channels, taps of axis 0, taps of axis 1, …), neighbouring axes merged, those
   of size 1 left out. */
typedef struct {
    i32 rank;
    i64 sizes[MAX_RANK], strides[MAX_RANK];
} row_layout;

static row_layout layout_of_row(const correlation *c)
{
    row_layout row = {0};
    for (i32 a = -1; a < c->rank; a++) {
        i64 size = a < 0 ? c->in_channels : c->axes[a].taps;
        i64 stride = c->weight.strides[3 + a] * (a < 0 ? 1 : c->axes[a].kernel_step);
        i32 previous = row.rank - 1;
        if (size == 1)
            continue;
        if (previous >= 0 && row.strides[previous] == size * stride) {
            row.sizes[previous] *= size;
            row.strides[previous] = stride;
        } else {
            row.sizes[row.rank] = size;
            row.strides[row.rank++] = stride;
        }
    }
    if (row.rank == 0)
        row = (row_layout){1, {1}, {1}};
    return row;
}

/* Whether the matrices can be packed from where the kernel lies. */
static i32 lies_ready(const correlation *c, const row_layout *row)
{
    return lg_is_stored_as_computed(c->weight.dtype) && row->rank == 1 && row->strides[0] == 1;
}

/* Copies one row into consecutive elements, planes of its last two axes at a time. */
static void gather_row(const arithmetic *with, const correlation *c, const row_layout *row, i64 first, char *target)
{
    i32 last = row->rank - 1;
    i64 run = row->sizes[last], runs = last > 0 ? row->sizes[last - 1] : 1;
    i64 planes = run > 0 && runs > 0 ? lg_correlation_depth(c) / (run * runs) : 0;
    for (i64 plane = 0; plane < planes; plane++) {
        i64 element = first, rest = plane;
        for (i32 axis = last - 2; axis >= 0; axis--) {
            element += rest % row->sizes[axis] * row->strides[axis];
            rest /= row->sizes[axis];
        }
        stored from = {
            .data = (char *)c->weight.data + element * itemsize_of(c->weight.dtype),
            .dtype = c->weight.dtype,
            .row_stride = last > 0 ? row->strides[last - 1] : 0,
            .stride = row->strides[last],
        };
        with->load((elements){target + plane * run * runs * with->itemsize, run}, from, runs, run);
    }
}

static i64 kernel_origin(const correlation *c)
{
    i64 origin = 0;
    for (i32 a = 0; a < c->rank; a++)
        origin += c->axes[a].kernel_first * c->weight.strides[3 + a];
    return origin;
}

const char *lg_kernel_row(const arithmetic *with, const correlation *c, i64 channel, char *memory)
{
    row_layout row = layout_of_row(c);
    i64 first = channel / c->out_channels * c->weight.strides[0] + channel % c->out_channels * c->weight.strides[1];
    if (lies_ready(c, &row))
        return (const char *)c->weight.data + (kernel_origin(c) + first) * with->itemsize;
    gather_row(with, c, &row, kernel_origin(c) + first, memory);
    return memory;
}

/* What the parts of packing share. The kernel is read where it lies, or in `matrices` (groups, out_channels, depth). */
typedef struct {
    const arithmetic *with;
    const correlation *c;
    row_layout row;
    char *matrices;
    const char *first;   /* the kernel's element of group 0, row 0, column 0 */
    i64 group_stride, row_stride;
    i64 *offsets;        /* of the columns, unless these are consecutive */
    char *blocks;
    i64 block_bytes;
} packing;

/* With so few columns the kernel is read about as often by packing it as by multiplying. */
enum { FEW_COLUMNS = 64 };

static i64 matrix_bytes(const arithmetic *with, const correlation *c)
{
    return aligned_bytes(c->groups * c->out_channels * lg_correlation_depth(c) * with->itemsize);
}

static i64 block_bytes(const arithmetic *with, const correlation *c)
{
    i64 depth = least(lg_correlation_depth(c), BLOCK_DEPTH);
    return aligned_bytes((c->out_channels * depth + PACKING_SLACK) * with->itemsize);
}

static i64 block_count(const correlation *c)
{
    return c->groups * depth_blocks(lg_correlation_depth(c));
}

static i32 is_converted(const correlation *c)
{
    return !lg_is_stored_as_computed(c->weight.dtype);
}

i64 lg_kernel_blocks_bytes(const arithmetic *with, const correlation *c)
{
    i64 offsets = aligned_bytes(lg_correlation_depth(c) * (i64)sizeof(i64));
    return offsets + block_count(c) * block_bytes(with, c) + (is_converted(c) ? matrix_bytes(with, c) : 0);
}

static void convert_rows(void *closure, i64 begin, i64 end)
{
    const packing *of = closure;
    const correlation *c = of->c;
    i64 row_bytes = lg_correlation_depth(c) * of->with->itemsize;
    for (i64 r = begin; r < end; r++) {
        i64 first = r / c->out_channels * c->weight.strides[0] + r % c->out_channels * c->weight.strides[1];
        gather_row(of->with, c, &of->row, kernel_origin(c) + first, of->matrices + r * row_bytes);
    }
}

static void fill_offsets(const packing *of)
{
    const row_layout *row = &of->row;
    for (i64 k = 0; k < lg_correlation_depth(of->c); k++) {
        i64 rest = k, offset = 0;
        for (i32 axis = row->rank - 1; axis >= 0; axis--) {
            offset += rest % row->sizes[axis] * row->strides[axis];
            rest /= row->sizes[axis];
        }
        of->offsets[k] = offset;
    }
}

static void pack_blocks(void *closure, i64 begin, i64 end)
{
    const packing *of = closure;
    i64 depth = lg_correlation_depth(of->c), blocks = depth_blocks(depth), itemsize = of->with->itemsize;
    for (i64 unit = begin; unit < end; unit++) {
        i64 first = depth_begin(depth, unit % blocks), count = depth_begin(depth, unit % blocks + 1) - first;
        const char *group = of->first + unit / blocks * of->group_stride * itemsize;
        char *packed = of->blocks + unit * of->block_bytes;
        if (of->offsets)
            of->with->gather_left(packed, group, of->row_stride, of->offsets + first, of->c->out_channels, count);
        else
            of->with->pack_left(packed, (matrix){group + first * itemsize, of->row_stride, 1}, of->c->out_channels,
                                count);
    }
}

static packing kernel_in_place(const arithmetic *with, const correlation *c)
{
    return (packing){
        .with = with,
        .c = c,
        .row = layout_of_row(c),
        .first = (const char *)c->weight.data + kernel_origin(c) * with->itemsize,
        .group_stride = c->weight.strides[0],
        .row_stride = c->weight.strides[1],
    };
}

static packing converted_kernel(const team *team, const arithmetic *with, const correlation *c, char *matrices)
{
    i64 depth = lg_correlation_depth(c);
    packing of = {with, c, layout_of_row(c), matrices, matrices, c->out_channels * depth, depth, 0, 0, 0};
    lg_share(team, c->groups * c->out_channels, 1, convert_rows, &of);
    return of;
}

kernel_blocks lg_pack_kernel(const team *team, const arithmetic *with, const correlation *c, char *memory)
{
    kernel_blocks blocks = {.correlation = c, .itemsize = with->itemsize};
    packing of = kernel_in_place(with, c);
    if (lies_ready(c, &of.row) && c->out.sizes[0] * lg_correlation_positions(c) <= FEW_COLUMNS) {
        blocks.memory = of.first;
        blocks.row_stride = of.row_stride;
        return blocks;
    }
    i64 *offsets = take(&memory, lg_correlation_depth(c) * (i64)sizeof(i64));
    if (is_converted(c)) {
        of = converted_kernel(team, with, c, take(&memory, matrix_bytes(with, c)));
    } else if (!lies_ready(c, &of.row)) {
        of.offsets = offsets;
        fill_offsets(&of);
    }
    of.blocks = memory;
    of.block_bytes = blocks.block_bytes = block_bytes(with, c);
    blocks.group_bytes = depth_blocks(lg_correlation_depth(c)) * of.block_bytes;
    blocks.memory = memory;
    lg_share(team, block_count(c), 1, pack_blocks, &of);
    return blocks;
}

const char *lg_kernel_block(const kernel_blocks *blocks, i64 group, i64 b)
{
    const correlation *c = blocks->correlation;
    if (!blocks->row_stride)
        return blocks->memory + group * blocks->group_bytes + b * blocks->block_bytes;
    i64 first = depth_begin(lg_correlation_depth(c), b);
    return blocks->memory + (group * c->weight.strides[0] + first) * blocks->itemsize;
}
