/* The adjoint of a convolution in its weight:

       out[o, c, k] = Σ_{n, p} g[n, o, p] · x[n, c, p · stride + k · dilation − low].

   For each kernel offset this is a product of g, as (outputs × positions), and the input seen through that offset, as
   (positions × channels). The input is copied once into a padded slab with channels last; row p of every right operand
   is then found in it at a fixed distance from the kernel offset's first element. Kernel offsets that follow each other
   on the last axis are neighbours there, and make one wider product. Where that still leaves vectors half empty, as for
   the few channels of an image, all offsets' elements are gathered side by side, and make one product.

   Images are dealt to a number of chunks that depends on sizes only. Each has sums of its own, added up in order: the
   result does not depend on how many threads there are. */
#include "calls.h"

#include <string.h>

#include "conv_planes.h"
#include "conv_weight_dots.h"
#include "conv_weight_pointwise.h"
#include "conv_weight_sums.h"
#include "gemm_operands.h"
#include "matmul.h"

enum {
    MOST_CHUNKS = 16,
    CHANNELS_TOGETHER = 4,  /* of vectors that `multiply_vectors` takes at a time */
    CHUNK_POSITIONS = 512,  /* with fewer, adding up the sums costs more than sharing the work saves */
};

typedef struct {
    weight_blocks blocks;
    weight_dots dots;
    enum { BLOCKS, DOTS, POINTWISE } way;
    i64 taps, chunks, channels_together;
    i32 gathers;  /* of BLOCKS: windows */
    i64 move_count;
    vector_move *moves;
    weight_block_memory block;
    char *packed_g, *gathered;
    char *memory;  /* of the way, for a part */
    char *sums;  /* (chunks, groups · out_channels, taps, in_channels) */
} weight_grad;

static i64 vectors_of(const weight_grad *call, i64 columns)
{
    i64 lanes = call->blocks.with->lanes;
    return (columns + lanes - 1) / lanes;
}

/* Those of neighbouring kernel offsets, each begun anew. */
static i64 apart_vectors(const weight_grad *call)
{
    i64 neighbours = lg_neighbouring_taps(&call->blocks);
    return call->taps / neighbours * vectors_of(call, neighbours * call->blocks.in_channels);
}

/* Elements from the gathered windows of one position to those of the next one. */
static i64 gathered_pitch(const weight_grad *call)
{
    return aligned_to(call->taps * call->blocks.in_channels, call->blocks.with->lanes);
}

/* Whether neighbouring kernel offsets fill so little of their vectors that gathering all of them is less work. */
static i32 prefers_gathering(const weight_grad *call)
{
    enum { MOVE_CYCLES = 2 };  /* for each vector that is gathered, where a vector of products takes one */
    const weight_blocks *w = &call->blocks;
    i64 apart = apart_vectors(call), together = vectors_of(call, call->taps * w->in_channels);
    return (apart - together) * w->out_channels > MOVE_CYCLES * apart;
}

/* How the windows of one position are gathered, all kernel offsets of one behind the other; returns how many moves. */
static i64 plan_moves(const weight_grad *call, vector_move *moves)
{
    const weight_blocks *w = &call->blocks;
    i64 neighbours = lg_neighbouring_taps(w), count = 0;
    for (i64 tap = 0; tap < call->taps; tap += neighbours)
        for (i64 element = 0; element < neighbours * w->in_channels; element += w->with->lanes)
            moves[count++] = (vector_move){lg_tap_offset(w, tap) + element, tap * w->in_channels + element};
    return count;
}

static void multiply_gathered(const weight_grad *call, block_product *product)
{
    const weight_blocks *w = &call->blocks;
    i64 rows[BLOCK_DEPTH], pitch = gathered_pitch(call);
    for (i64 k = 0; k < product->depth; k++)
        rows[k] = k * pitch;
    w->with->gather_right(call->gathered, pitch, call->block.slabs, product->offsets, product->depth, call->moves,
                          call->move_count);
    product->right = call->gathered;
    product->offsets = rows;
    product->columns = call->taps * w->in_channels;
    w->with->multiply(product);
}

/* Kernel offsets that are neighbours in the slabs together. */
static void multiply_neighbours(const weight_grad *call, block_product *product)
{
    const weight_blocks *w = &call->blocks;
    i64 neighbours = lg_neighbouring_taps(w), itemsize = w->with->itemsize;
    char *out = product->out;
    product->columns = neighbours * w->in_channels;
    for (i64 tap = 0; tap < call->taps; tap += neighbours) {
        product->right = call->block.slabs + lg_tap_offset(w, tap) * itemsize;
        product->out = out + tap * w->in_channels * itemsize;
        w->with->multiply(product);
    }
}

/* Adds a block's products, for output channels [begin, end) of one group, to the sums of a chunk or begins these. */
static void add_block(const weight_grad *call, const weight_block *block, i64 begin, i64 end, char *sums, i32 started)
{
    const weight_blocks *w = &call->blocks;
    i64 row = call->taps * w->in_channels, itemsize = w->with->itemsize;
    for (i64 b = 0; b < depth_blocks(block->positions); b++) {
        i64 first = depth_begin(block->positions, b);
        block_product product = {
            .rows = end - begin,
            .depth = depth_begin(block->positions, b + 1) - first,
            .left = call->packed_g,
            .offsets = call->block.offsets + first,
            .tile_stride = w->with->tile_columns,
            .out = sums + begin * row * itemsize,
            .out_stride = row,
            .accumulate = started || b > 0,
        };
        matrix g = {call->block.g_rows + first * itemsize, block->positions, 1};
        w->with->pack_left(call->packed_g, g, end - begin, product.depth);
        (call->gathers ? multiply_gathered : multiply_neighbours)(call, &product);
    }
}

/* Output channels [begin, end) of all groups, counted through them, for one block of images and rows. */
static void read_and_add(weight_grad *call, const weight_block *block, i64 begin, i64 end, char *sums, i32 started)
{
    const weight_blocks *w = &call->blocks;
    for (i64 channel = begin; channel < end;) {
        i64 group = channel / w->out_channels, last = least(end, (group + 1) * w->out_channels);
        lg_read_block_input(w, block, group, &call->block);
        lg_read_block_g(w, block, channel, last, &call->block);
        add_block(call, block, channel, last, sums, started);
        channel = last;
    }
}

/* Images [first, last), for output channels [begin, end) of all groups. */
static void sum_blocks(weight_grad *call, i64 first, i64 last, i64 begin, i64 end, char *sums)
{
    const weight_blocks *w = &call->blocks;
    i64 rows = w->g.sizes[2];
    for (i64 image = first; image < last; image += w->images)
        for (i64 row = 0; row < rows; row += w->rows) {
            weight_block block = {image, least(last - image, w->images), row, least(rows - row, w->rows), 0};
            block.positions = block.images * block.rows * w->row_positions;
            read_and_add(call, &block, begin, end, sums, image > first || row > 0);
        }
}

static void sum_chunk(weight_grad *call, i64 chunk, i64 begin, i64 end)
{
    const weight_blocks *w = &call->blocks;
    i64 first = w->x.sizes[0] * chunk / call->chunks, last = w->x.sizes[0] * (chunk + 1) / call->chunks;
    i64 row = call->taps * w->in_channels * w->with->itemsize;
    char *sums = call->sums + chunk * w->out.sizes[0] * row;
    if (call->way == BLOCKS) {
        sum_blocks(call, first, last, begin, end, sums);
        return;
    }
    memset(sums + begin * row, 0, (end - begin) * row);
    for (i64 image = first; image < last; image++)
        if (call->way == DOTS)
            lg_add_weight_dots(&call->dots, image, begin, end, sums);
        else
            lg_add_pointwise_weights(w, image, begin, end, sums, call->memory);
}

/* Adds up the chunks' sums for output channels [begin, end), and stores them with the kernel last. */
static void store_sums(const weight_grad *call, i64 begin, i64 end)
{
    const weight_blocks *w = &call->blocks;
    i64 row = call->taps * w->in_channels, size = w->out.sizes[0] * row, itemsize = w->with->itemsize;
    for (i64 channel = begin; channel < end; channel++) {
        char *total = call->sums + channel * row * itemsize;
        for (i64 chunk = 1; chunk < call->chunks; chunk++)
            w->with->add(total, total + chunk * size * itemsize, row);
        w->with->transpose(call->packed_g, call->taps, total, w->in_channels, call->taps, w->in_channels);
        stored to = {(char *)w->out.data + channel * row * itemsize_of(w->out.dtype), w->out.dtype, 0, 1};
        w->with->store(to, (elements){call->packed_g, 0}, 1, row);
    }
}

/* Into how many pieces of its channels each chunk is cut. */
static i64 piece_count(const weight_grad *call)
{
    i64 channels = call->blocks.out.sizes[0];
    return (channels + call->channels_together - 1) / call->channels_together;
}

static i64 way_bytes(const weight_grad *call)
{
    if (call->way == POINTWISE)
        return lg_pointwise_weights_bytes(&call->blocks);
    return call->way == DOTS ? lg_weight_dots_bytes(&call->dots) : lg_weight_block_bytes(&call->blocks);
}

/* What a part works with, in memory of the thread that does it. */
static weight_grad with_own_memory(const weight_grad *call)
{
    weight_grad own = *call;
    const weight_blocks *w = &own.blocks;
    i64 row = own.taps * w->in_channels, bytes = aligned_bytes(way_bytes(&own));
    i64 packed = aligned_bytes((most(w->out_channels * BLOCK_DEPTH, row) + PACKING_SLACK) * w->with->itemsize);
    i64 windows = own.gathers ? BLOCK_DEPTH * gathered_pitch(&own) + w->with->lanes : 0;
    i64 gathered = aligned_bytes(windows * w->with->itemsize);
    i64 moves = own.gathers ? aligned_bytes(apart_vectors(&own) * (i64)sizeof(vector_move)) : 0;
    char *memory = lg_private_scratch(bytes + packed + gathered + moves);
    own.gathered = take(&memory, gathered);
    own.moves = take(&memory, moves);
    own.move_count = own.gathers ? plan_moves(&own, own.moves) : 0;
    own.packed_g = take(&memory, packed);
    own.memory = take(&memory, bytes);
    if (own.way == BLOCKS)
        own.block = lg_divide_weight_memory(w, own.memory);
    return own;
}

/* Parts [begin, end) of all chunks, each cut into as many pieces of its channels as there are. */
static void sum_part(void *closure, i64 begin, i64 end)
{
    weight_grad call = with_own_memory(closure);
    i64 channels = call.blocks.out.sizes[0], pieces = piece_count(&call);
    if (call.way == DOTS)
        lg_divide_weight_dots_memory(&call.dots, call.memory);
    for (i64 part = begin; part < end; part++) {
        i64 first = part % pieces * call.channels_together;
        sum_chunk(&call, part / pieces, first, least(first + call.channels_together, channels));
    }
}

static void store_part(void *closure, i64 begin, i64 end)
{
    const weight_grad call = with_own_memory(closure);
    store_sums(&call, begin, end);
}

static void compute(const team *team, weight_grad *call)
{
    i64 channels = call->blocks.out.sizes[0], row = call->taps * call->blocks.in_channels;
    /* How a product with vectors is rounded depends on which others it is computed with. */
    i64 grain = call->way == BLOCKS ? 1 : call->blocks.the.groups > 1 ? call->blocks.out_channels : CHANNELS_TOGETHER;
    i64 pieces = call->chunks >= team->threads ? 1 : (lg_parts(team) + call->chunks - 1) / call->chunks;
    call->channels_together = aligned_to((channels + pieces - 1) / pieces, grain);
    call->sums = lg_shared_scratch(call->chunks * channels * row * call->blocks.with->itemsize);
    lg_share(team, call->chunks * piece_count(call), 1, sum_part, call);
    lg_share(team, channels, 1, store_part, call);
}

/* A kernel that meets few channels would leave most of a vector empty. */
static void choose_way(weight_grad *call, const i64 *attributes)
{
    weight_blocks *w = &call->blocks;
    correlation forward = lg_describe_conv(&w->g, &w->x, &w->out, attributes);
    if (lg_has_pointwise_weights(w)) {
        call->way = POINTWISE;
    } else if (lg_has_few_channels(&forward) || call->taps * w->in_channels < w->with->lanes) {
        call->way = DOTS;
        call->dots = lg_plan_weight_dots(w->with, &forward);
    } else {
        lg_plan_weight_blocks(w);
        call->gathers = prefers_gathering(call);
    }
}

/* out (C_out, C_in / groups, *kernel) from g (N, C_out, *positions) and x (N, C_in, *spatial).

   Attributes: see conv.c. */
i32 lg_conv_weight_grad(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    (void)count;
    const array *g = &inputs[0], *x = &inputs[1];
    conv_attributes the = read_conv_attributes(attributes);
    weight_grad call = {
        .blocks = {
            .with = lg_arithmetic_of(out->dtype),
            .the = the,
            .g = *g,
            .x = *x,
            .out = *out,
            .in_channels = out->sizes[1],
            .out_channels = out->sizes[0] / the.groups,
        },
        .taps = product(out->sizes + 2, the.rank),
    };
    if (!call.blocks.with)
        return REFUSED;
    i64 positions = product(g->sizes + 2, the.rank), images = x->sizes[0];
    team workers = *all;
    if (lg_is_serial_product(out->sizes[0], positions, product(out->sizes + 1, the.rank + 1), images))
        workers.threads = 1;
    if (element_count(out) == 0 || element_count(g) == 0) {
        memset(out->data, 0, element_count(out) * itemsize_of(out->dtype));
        return OK;
    }
    call.chunks = most(least(least(images * positions / CHUNK_POSITIONS, MOST_CHUNKS), images), 1);
    choose_way(&call, attributes);
    compute(&workers, &call);
    return OK;
}
