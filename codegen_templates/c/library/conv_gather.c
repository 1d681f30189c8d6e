#include "conv_gather.h"

#include "arrays.h"
#include "gemm_operands.h"

static i64 rows_of_axis(const slab *s, i32 a, i64 rows)
{
    return a == 0 ? rows : s->correlation->axes[a].positions;
}

static i64 position_count(const slab *s, i64 rows)
{
    i64 count = 1;
    for (i32 a = 0; a < s->correlation->rank; a++)
        count *= rows_of_axis(s, a, rows);
    return count;
}

i64 lg_gathered_vectors(const slab *s, i64 rows)
{
    i64 line = rows_of_axis(s, s->correlation->rank - 1, rows), lanes = s->with->lanes;
    return position_count(s, rows) / line * ((line + lanes - 1) / lanes);
}

static i64 tile_count(const arithmetic *with, i64 columns)
{
    return (columns + with->tile_columns - 1) / with->tile_columns;
}

i64 lg_gathered_columns_bytes(const arithmetic *with, i64 columns)
{
    return aligned_bytes(columns * (i64)sizeof(vector_move)) +
           aligned_bytes((tile_count(with, columns) + 1) * (i64)sizeof(i64));
}

/* Where an output position of a row-major count finds its element of tap 0. */
static i64 offset_of(const slab *s, i64 rows, i64 position)
{
    i64 offset = 0;
    for (i32 a = s->correlation->rank - 1; a >= 0; a--) {
        i64 size = rows_of_axis(s, a, rows);
        offset += position % size * s->axes[a].pitch;
        position /= size;
    }
    return offset;
}

/* A move copies a whole vector; of what it writes too far, the next move writes over. */
gathered_columns lg_plan_gathered_columns(const slab *s, i64 rows, i64 images, i64 slab_size, char *memory)
{
    i64 positions = position_count(s, rows), columns = images * positions, tile = s->with->tile_columns, next = 0;
    gathered_columns plan;
    plan.moves = take(&memory, columns * (i64)sizeof(vector_move));
    plan.first_moves = take(&memory, (tile_count(s->with, columns) + 1) * (i64)sizeof(i64));
    for (i64 column = 0; column < columns; column++) {
        i64 from = column / positions * slab_size + offset_of(s, rows, column % positions), to = column % tile;
        if (to == 0)
            plan.first_moves[column / tile] = next;
        const vector_move *last = plan.moves + next - 1;
        if (to > 0 && from - last->from == to - last->to && to - last->to < s->with->lanes)
            continue;
        plan.moves[next++] = (vector_move){from, to};
    }
    plan.first_moves[tile_count(s->with, columns)] = next;
    return plan;
}
