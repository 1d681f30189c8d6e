/* Scratch memory that grows and is kept: packed operands of one call are as large as those of the next. */
#include <stdio.h>
#include <stdlib.h>

#include "library.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)(bytes))
#endif

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

/* The first bytes of a block. A sanitizer sees an access to the others, which the caller has not asked for. */
static void *first_bytes(const block *of, i64 bytes)
{
    ASAN_UNPOISON_MEMORY_REGION(of->memory, bytes);
    ASAN_POISON_MEMORY_REGION((char *)of->memory + bytes, of->bytes - bytes);
    return of->memory;
}

void *lg_private_scratch(i64 bytes)
{
    static _Thread_local block kept;
    if (bytes > kept.bytes) {
        free(kept.memory);
        kept = allocate(bytes);
    }
    return first_bytes(&kept, bytes);
}

/* Whichever thread comes first lends its memory to the team. When it needs more, others may still be reading what it
   lent them before: that block is freed at the next growth, when every thread has passed a barrier since. */
static block lend(i64 bytes)
{
    static _Thread_local block kept, outgrown;
    if (bytes > kept.bytes) {
        free(outgrown.memory);
        outgrown = kept;
        kept = allocate(bytes);
    }
    return kept;
}

void *lg_shared_scratch(const team *team, i64 bytes)
{
    block lent;
    if (team->threads == 1) {
        lent = lend(bytes);
        return first_bytes(&lent, bytes);
    }
#ifdef _OPENMP
#pragma omp single copyprivate(lent)
#endif
    lent = lend(bytes);
    return first_bytes(&lent, bytes);  /* behind the barrier: until then, others read all of what they had before */
}
