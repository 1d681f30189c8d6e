/* Which products one thread computes alone. */
#pragma once

#include "library.h"

/* Products of fewer operations are not handed out to other threads: that would take longer. Tests set it to 0. */
#ifndef SERIAL_OPERATIONS
#define SERIAL_OPERATIONS (1 << 18)
#endif

/* Whether a product is computed by the calling thread alone: 2 · rows · columns · depth · items < SERIAL_OPERATIONS.

   For a convolution and both its adjoints: rows = output channels, columns = output positions, depth = input channels
   per group · kernel positions, items = images. */
i32 lg_is_serial_product(i64 rows, i64 columns, i64 depth, i64 items);
