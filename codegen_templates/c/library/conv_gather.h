/* Columns of a correlation's products, gathered out of slabs into tiles: neighbours in a slab a vector at a time. */
#pragma once

#include "conv_slab.h"

typedef struct {
    vector_move *moves;
    i64 *first_moves;  /* of each tile, and behind the last one */
} gathered_columns;

/* Vectors that the columns of `rows` rows of one image are copied in, without what the ends of tiles cut. */
i64 lg_gathered_vectors(const slab *s, i64 rows);

i64 lg_gathered_columns_bytes(const arithmetic *with, i64 columns);

/* For `rows` rows of each of some images, whose slabs are `slab_size` elements apart. */
gathered_columns lg_plan_gathered_columns(const slab *s, i64 rows, i64 images, i64 slab_size, char *memory);
