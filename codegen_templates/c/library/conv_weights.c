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

static i64 matrix_bytes(const arithmetic *with, const correlation *c)
{
    return aligned_bytes(c->groups * c->out_channels * lg_correlation_depth(c) * with->itemsize);
}

static packed_weights layout_of_blocks(const arithmetic *with, const correlation *c, char *memory)
{
    i64 depth = least(lg_correlation_depth(c), BLOCK_DEPTH);
    packed_weights packed = {.memory = memory};
    packed.block_bytes = aligned_bytes((c->out_channels * depth + PACKING_SLACK) * with->itemsize);
    packed.group_bytes = packed.block_bytes * depth_blocks(lg_correlation_depth(c));
    return packed;
}

i64 lg_packed_weights_bytes(const arithmetic *with, const correlation *c)
{
    return matrix_bytes(with, c) + c->groups * layout_of_blocks(with, c, 0).group_bytes;
}

static i64 kernel_origin(const correlation *c)
{
    i64 origin = 0;
    for (i32 a = 0; a < c->rank; a++)
        origin += c->axes[a].kernel_first * c->weight.strides[3 + a];
    return origin;
}

/* The matrix of a group (out_channels × depth): where the kernel lies, or in `matrices`. */
static matrix group_matrix(const arithmetic *with, const correlation *c, const char *matrices, i32 ready, i64 group)
{
    i64 depth = lg_correlation_depth(c);
    if (!ready)
        return (matrix){matrices + group * c->out_channels * depth * with->itemsize, depth, 1};
    i64 element = kernel_origin(c) + group * c->weight.strides[0];
    return (matrix){(const char *)c->weight.data + element * with->itemsize, c->weight.strides[1], 1};
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

/* What the parts of packing share. */
typedef struct {
    const arithmetic *with;
    const correlation *c;
    row_layout row;
    i32 ready;
    char *matrices;
    packed_weights packed;
} packing;

static void gather_rows(void *closure, i64 begin, i64 end)
{
    const packing *of = closure;
    const correlation *c = of->c;
    i64 row_bytes = lg_correlation_depth(c) * of->with->itemsize;
    for (i64 r = begin; r < end; r++) {
        i64 first = r / c->out_channels * c->weight.strides[0] + r % c->out_channels * c->weight.strides[1];
        gather_row(of->with, c, &of->row, kernel_origin(c) + first, of->matrices + r * row_bytes);
    }
}

static void pack_blocks(void *closure, i64 begin, i64 end)
{
    const packing *of = closure;
    i64 depth = lg_correlation_depth(of->c), blocks = depth_blocks(depth);
    for (i64 unit = begin; unit < end; unit++) {
        i64 first = depth_begin(depth, unit % blocks), last = depth_begin(depth, unit % blocks + 1);
        matrix part = group_matrix(of->with, of->c, of->matrices, of->ready, unit / blocks);
        part.data = (const char *)part.data + first * of->with->itemsize;
        of->with->pack_left(of->packed.memory + unit * of->packed.block_bytes, part, of->c->out_channels, last - first);
    }
}

packed_weights lg_pack_weights(const team *team, const arithmetic *with, const correlation *c, char *memory)
{
    packing of = {.with = with, .c = c, .row = layout_of_row(c)};
    of.matrices = take(&memory, matrix_bytes(with, c));
    of.packed = layout_of_blocks(with, c, memory);
    of.ready = lies_ready(c, &of.row);
    if (!of.ready)
        lg_share(team, c->groups * c->out_channels, 1, gather_rows, &of);
    lg_share(team, c->groups * depth_blocks(lg_correlation_depth(c)), 1, pack_blocks, &of);
    return of.packed;
}
