/* Building blocks of matrix products and convolutions, one set per arithmetic: f32, f64 and wrapping 32- and 64-bit
   integers. Every other dtype is converted to one of these first.

   Both are the same computation: a block of `out (+)= left · right`, where left has been packed into panels of a few
   rows, and row k of right begins anywhere (`right + offsets[k]`). In a matrix product the rows follow each other in a
   packed panel; in a convolution they are the overlapping windows of an image, which need not be copied at all.

   Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008: packed panels and
   the loops around them. Van Zee and van de Geijn, "BLIS: A Framework for Rapidly Instantiating BLAS Functionality",
   ACM TOMS 41(3), 2015: all of it around one small kernel. Dukhan, "The Indirect Convolution Algorithm",
   arXiv:1907.02129, 2019: rows found through a table instead of being copied. */
#pragma once

#include "library.h"

/* Depth of a block: a panel of `right` that deep, a tile wide, stays in the L1 cache together with one of `left`. */
enum { BLOCK_DEPTH = 256 };

/* A product is summed in blocks of equal depth, rather than whole ones and a rest. */
static inline i64 depth_blocks(i64 depth)
{
    return (depth + BLOCK_DEPTH - 1) / BLOCK_DEPTH;
}

static inline i64 depth_begin(i64 depth, i64 block)
{
    return depth ? depth * block / depth_blocks(depth) : 0;
}

/* Elements that `multiply` and `pack_left` may touch behind a packed operand. */
enum { PACKING_SLACK = 64 };

/* A matrix of elements of one arithmetic, seen through strides counted in elements. */
typedef struct {
    const void *data;
    i64 row_stride;
    i64 column_stride;
} matrix;

/* Rows of consecutive elements of an arithmetic, pitch elements apart. */
typedef struct {
    void *data;
    i64 pitch;
} elements;

/* Rows of elements as arrays hold them: row_stride elements apart, and within a row, stride. */
typedef struct {
    void *data;
    i32 dtype;
    i64 row_stride;
    i64 stride;
} stored;

/* out (+)= left · right, for out of rows × columns.

   `columns` elements of every row of right are used, but up to a multiple of `lanes` of them are read. */
typedef struct {
    i64 rows;
    i64 columns;
    i64 depth;
    const void *left;  /* from pack_left */
    const void *right;
    const i64 *offsets;
    i64 tile_stride;  /* elements from the first tile_columns columns of right to the next ones */
    void *out;
    i64 out_stride;  /* between rows; the elements of a row lie side by side */
    i32 accumulate;
} block_product;

/* A vector's elements, from one place to another. */
typedef struct {
    i64 from, to;
} vector_move;

/* Input in which each output position (row, column) finds its element for a tap at row · pitch + column + offset.

   Up to a vector behind the last column is read. */
typedef struct {
    const void *from;
    i64 pitch;
    i64 rows, columns;
    const i64 *offsets;
    const i64 *kernel_offsets;  /* of a tap's element in the kernel, for sums */
    i64 taps;
} windows;

/* Elements from one item to the next, of each of three nested counts. */
typedef struct {
    i64 outer, middle, inner;
} steps;

/* out[v · out_stride + r] = Σ_k left(r, k) · right[v · depth + k], for `count` vectors; reads left once for four.
   With several vectors, how a product is rounded depends on its place among four of them and four rows: parts of these
   begin at multiples of four. */
typedef void multiply_vectors(void *out, i64 out_stride, matrix left, i64 rows, i64 depth, const void *right,
                              i64 count);

extern multiply_vectors lg_multiply_vectors_f32, lg_multiply_vectors_f64;
extern multiply_vectors lg_multiply_vectors_i32, lg_multiply_vectors_i64;

typedef struct {
    i32 dtype;         /* of its elements, as load and store call it */
    i64 itemsize;
    i64 lanes;         /* elements in a vector register */
    i64 tile_rows;     /* of out, computed together in registers; fewer are no loss */
    i64 tile_columns;  /* as above, and what `pack_right` packs together */

    /* Copies rows of elements stored as any of the arithmetic's dtypes to and from elements of its own. */
    void (*load)(elements to, stored from, i64 rows, i64 count);
    void (*store)(stored to, elements from, i64 rows, i64 count);

    /* Rows of `count` elements of to, taken from those of two others in turn; up to a vector behind these is read. */
    void (*interleave)(elements to, elements even, elements odd, i64 rows, i64 count);

    void (*add)(void *total, const void *elements, i64 count);
    /* The same for three nested counts of elements. */
    void (*add_at_steps)(void *total, steps to, const void *elements, steps from, const i64 *counts);
    /* to[k · step + i] = from[i · stride + k], for i < rows and k < depth. */
    void (*transpose)(void *to, i64 step, const void *from, i64 stride, i64 rows, i64 depth);

    /* Packs left, of rows × depth, in the order in which `multiply` reads it. */
    void (*pack_left)(void *packed, matrix left, i64 rows, i64 depth);
    /* The same of elements left[i · row_stride + offsets[k]]. */
    void (*gather_left)(void *packed, const void *left, i64 row_stride, const i64 *offsets, i64 rows, i64 depth);
    /* Packs right, of depth × columns with columns ≤ tile_columns, into rows of tile_columns, filled up with zeros. */
    void (*pack_right)(void *packed, matrix right, i64 depth, i64 columns);

    /* The same in whole vectors, for rows `pitch` apart: row k has element right[offsets[k] + from] and those behind it
       at `to`. What is written too far, up to a vector behind the last row, is overwritten by later moves: these are in
       order. */
    void (*gather_right)(void *packed, i64 pitch, const void *right, const i64 *offsets, i64 depth,
                         const vector_move *moves, i64 count);

    void (*multiply)(const block_product *product);
    /* The same with left where it lies, which pays when it has few columns to meet. */
    void (*multiply_unpacked)(const block_product *product, i64 row_stride, i64 column_stride);

    multiply_vectors *multiply_vectors;
} arithmetic;

/* Has `lg_arithmetic_of` answer with it for its dtypes. */
void lg_add_arithmetic(const arithmetic *added);

/* The arithmetic in which products of a dtype are summed, or NULL for bool, which has none. It must have been added. */
const arithmetic *lg_arithmetic_of(i32 dtype);

/* What convolutions of few channels do with the windows of a plane. */
typedef struct {
    i32 dtype;
    /* out(row, column) = Σ_t kernel[kernel_offsets[t]] · tap t of that position. What lies between the rows of out may
       be overwritten. */
    void (*sum)(const windows *w, const void *kernel, void *out, i64 out_pitch);
    /* dots[t] += Σ g(row, column) · tap t of that position; up to a vector behind the last column of g is read. */
    void (*dot)(const windows *w, const void *g, i64 g_pitch, void *dots);
} window_products;

/* As the two functions of arithmetics. */
void lg_add_windows(const window_products *added);
const window_products *lg_windows_of(const arithmetic *with);

/* Whether elements of the dtype are stored as they are computed with. */
i32 lg_is_stored_as_computed(i32 dtype);
