/* Tiles of matrices in shared memory, and products of two of them by a block. A thread has some rows and columns of what
   a block computes; SHARING neighbouring lanes have the same rows. */

LG f32 lg_wide(f32 x) { return x; }

/* By multiplications and additions of single numbers. */
template <i32 WIDTH>
struct lg_plain {
    typedef f32 type;
    static const i32 SIZE = WIDTH, THREADS = 256, ROWS = SIZE / 16, COLUMNS = SIZE / 16, SHARING = 16, PAD = 4;

    LG static i32 row(i32 r) { return (i32)threadIdx.x / 16 * ROWS + r; }
    LG static i32 column(i32 c) { return (i32)threadIdx.x % 16 + 16 * c; }

    /* How many columns of LENGTH a thread has of sums, how many of them lie side by side, and which they are. */
    template <i32 LENGTH> LG static constexpr i32 count() { return LENGTH / 16; }
    template <i32 LENGTH> LG static constexpr i32 beside() { return LENGTH % 64 == 0 ? 4 : LENGTH % 32 == 0 ? 2 : 1; }
    template <i32 LENGTH> LG static i32 place(i32 n)
    {
        const i32 width = beside<LENGTH>();
        return (n / width * 16 + (i32)threadIdx.x % 16) * width + n % width;
    }

    /* found = a @ bᵀ, of rows of LENGTH. */
    template <i32 LENGTH> LG static void dots(f32 (&found)[ROWS][COLUMNS], const f32 *a, const f32 *b)
    {
        const f32 *const own = a + row(0) * (LENGTH + PAD), *const other = b + column(0) * (LENGTH + PAD);
#pragma unroll
        for (i32 r = 0; r < ROWS; r++)
#pragma unroll
            for (i32 c = 0; c < COLUMNS; c++)
                found[r][c] = 0;
#pragma unroll 2
        for (i32 k = 0; k < LENGTH; k += 4) {
            lg_pack<f32, 4> x[ROWS], y[COLUMNS];
#pragma unroll
            for (i32 r = 0; r < ROWS; r++)
                x[r] = lg_read<4>(own + r * (LENGTH + PAD) + k);
#pragma unroll
            for (i32 c = 0; c < COLUMNS; c++)
                y[c] = lg_read<4>(other + 16 * c * (LENGTH + PAD) + k);
#pragma unroll
            for (i32 r = 0; r < ROWS; r++)
#pragma unroll
                for (i32 c = 0; c < COLUMNS; c++)
#pragma unroll
                    for (i32 i = 0; i < 4; i++)
                        found[r][c] = fmaf(x[r].at[i], y[c].at[i], found[r][c]);
        }
    }

    /* sums += weights @ values, of rows of LENGTH. */
    template <i32 LENGTH, i32 COUNT> LG static void sums(f32 (&sums)[ROWS][COUNT], const f32 *weights, const f32 *values)
    {
        const i32 width = beside<LENGTH>();
        const f32 *const own = weights + row(0) * (SIZE + PAD), *const first = values + place<LENGTH>(0);
#pragma unroll 1
        for (i32 k = 0; k < SIZE; k += 4) {
            lg_pack<f32, 4> x[ROWS];
#pragma unroll
            for (i32 r = 0; r < ROWS; r++)
                x[r] = lg_read<4>(own + r * (SIZE + PAD) + k);
#pragma unroll
            for (i32 i = 0; i < 4; i++)
#pragma unroll
                for (i32 n = 0; n < COUNT; n += width) {
                    const auto y = lg_read<width>(first + (k + i) * (LENGTH + PAD) + n * 16);
#pragma unroll
                    for (i32 j = 0; j < width; j++)
#pragma unroll
                        for (i32 r = 0; r < ROWS; r++)
                            sums[r][n + j] = fmaf(x[r].at[i], y.at[j], sums[r][n + j]);
                }
        }
    }
};

/* Some rows of a matrix; zeros behind its last row and column. */
template <class TILE, i32 LENGTH, class T>
LG void lg_load_tile(typename TILE::type *to, const T *from, i64 rows, i32 columns, i64 down, i64 along)
{
    for (i32 i = threadIdx.x; i < TILE::SIZE * LENGTH; i += TILE::THREADS) {
        const i32 row = i / LENGTH, column = i % LENGTH;
        const bool is_inside = row < rows && column < columns;
        to[row * (LENGTH + TILE::PAD) + column] = is_inside ? (typename TILE::type)lg_wide(from[row * down + column * along]) : (typename TILE::type)0.0f;
    }
}
