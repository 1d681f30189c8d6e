/* What an epilogue sees; for the tests only. */
#include <string.h>

#include "library.h"

typedef i32 (*epilogue_call)(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes,
                             const epilogue *epilogue);

/* Of every unit of a row-major output: the bytes that were there, and how often it was asked. */
typedef struct {
    const char *data;
    i64 unit_bytes;
    char *seen;
    i32 *visits;
} observer;

i32 drive(library_call call, i32 threads, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    return call(&(team){threads}, out, inputs, count, attributes);
}

static void observe(void *closure, i64 begin, i64 end)
{
    observer *observer = closure;
    i64 offset = begin * observer->unit_bytes;
    memcpy(observer->seen + offset, observer->data + offset, (end - begin) * observer->unit_bytes);
    for (i64 unit = begin; unit < end; unit++)
        __atomic_fetch_add(&observer->visits[unit], 1, __ATOMIC_RELAXED);
}

/* Calls with an epilogue that copies the finished units into seen and counts its visits to each. */
i32 drive_epilogue(epilogue_call call, i32 threads, const array *out, const array *inputs, i32 count,
                   const i64 *attributes, i64 units, i64 unit_bytes, char *seen, i32 *visits)
{
    observer observer = {out->data, unit_bytes, seen, visits};
    epilogue epilogue = {observe, &observer, units};
    return call(&(team){threads}, out, inputs, count, attributes, &epilogue);
}
