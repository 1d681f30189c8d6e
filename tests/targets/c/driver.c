/* Runs one library call on a team of threads, as a plan would; for the tests only. */
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "library.h"

typedef i32 (*epilogue_call)(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes,
                             const epilogue *epilogue);

/* What an epilogue saw of every unit of a row-major output: the bytes it found there, and how often it was asked. */
typedef struct {
    const char *data;
    i64 unit_bytes;
    char *seen;
    i32 *visits;
} observer;

static team this_team(void)
{
#ifdef _OPENMP
    return (team){omp_get_thread_num(), omp_get_num_threads()};
#else
    return (team){0, 1};
#endif
}

i32 drive(library_call call, i32 threads, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    i32 outcome = OK;
    (void)threads;
#pragma omp parallel num_threads(threads) reduction(| : outcome)
    {
        team team = this_team();
        outcome |= call(&team, out, inputs, count, attributes);
    }
    return outcome;
}

static void observe(void *closure, i64 begin, i64 end)
{
    observer *observer = closure;
    i64 offset = begin * observer->unit_bytes;
    memcpy(observer->seen + offset, observer->data + offset, (end - begin) * observer->unit_bytes);
    for (i64 unit = begin; unit < end; unit++) {
#pragma omp atomic
        observer->visits[unit]++;
    }
}

/* Calls with an epilogue that copies the finished units into seen and counts its visits to each. */
i32 drive_epilogue(epilogue_call call, i32 threads, const array *out, const array *inputs, i32 count,
                   const i64 *attributes, i64 unit_bytes, char *seen, i32 *visits)
{
    observer observer = {out->data, unit_bytes, seen, visits};
    epilogue epilogue = {observe, &observer};
    i32 outcome = OK;
    (void)threads;
#pragma omp parallel num_threads(threads) reduction(| : outcome)
    {
        team team = this_team();
        outcome |= call(&team, out, inputs, count, attributes, &epilogue);
    }
    return outcome;
}
