/* The C library's functions of arrays, in place: numpy's own round other last bits on processors with wide vectors. */
#include <math.h>

#include "library/arrays.h"

#define IN_PLACE(name)                                                                                                 \
    void lg_##name(f64 *values, i64 count)                                                                             \
    {                                                                                                                  \
        for (i64 k = 0; k < count; k++)                                                                                \
            values[k] = name(values[k]);                                                                               \
    }

IN_PLACE(exp)
IN_PLACE(log)
IN_PLACE(log1p)
IN_PLACE(sin)
IN_PLACE(cos)
IN_PLACE(tan)
