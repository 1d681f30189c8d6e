/* Scratch memory that grows and is kept: packed operands of one call are as large as those of the next. */
#include <stdio.h>
#include <stdlib.h>

#include "library.h"

enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21 };

typedef struct {
    void *memory;
    i64 bytes;
} block;

/* Running out of memory here ends the process: the other threads of the team already wait at the next barrier. */
static block allocate(i64 bytes)
{
    i64 unit = bytes < HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
    i64 rounded = (bytes + unit - 1) / unit * unit;
    void *memory = aligned_alloc(unit, rounded);
    if (!memory) {
        fprintf(stderr, "lazygrad: out of memory: %lld bytes of scratch memory\n", (long long)rounded);
        abort();
    }
    return (block){memory, rounded};
}

void *lg_private_scratch(i64 bytes)
{
    static _Thread_local block kept;
    if (bytes > kept.bytes) {
        free(kept.memory);
        kept = allocate(bytes);
    }
    return kept.memory;
}

/* Whichever thread comes first lends its memory to the team. When it needs more, others may still be reading what it
   lent them before: that block is freed at the next growth, when every thread has passed a barrier since. */
static void *lend(i64 bytes)
{
    static _Thread_local block kept, outgrown;
    if (bytes > kept.bytes) {
        free(outgrown.memory);
        outgrown = kept;
        kept = allocate(bytes);
    }
    return kept.memory;
}

void *lg_shared_scratch(const team *team, i64 bytes)
{
    void *memory;
    if (team->threads == 1)
        return lend(bytes);
#ifdef _OPENMP
#pragma omp single copyprivate(memory)
#endif
    memory = lend(bytes);
    return memory;
}
