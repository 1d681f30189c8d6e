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

/* Running out of memory here ends the process: in the middle of a plan there is no way back. */
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

static void *first_bytes_of(block *kept, i64 bytes)
{
    if (bytes > kept->bytes) {
        free(kept->memory);
        *kept = allocate(bytes);
    }
    return first_bytes(kept, bytes);
}

void *lg_private_scratch(i64 bytes)
{
    static _Thread_local block kept;
    return first_bytes_of(&kept, bytes);
}

void *lg_shared_scratch(i64 bytes)
{
    static _Thread_local block kept;
    return first_bytes_of(&kept, bytes);
}
