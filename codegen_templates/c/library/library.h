/* What generated plans and the library of ready-made calls share: scalar types, arrays, teams of threads.

   A plan runs as one program on a team of threads. Every thread executes every step, takes its own part of it, and
   meets the others at a barrier wherever the next step needs what another thread wrote. Barriers between steps are the
   plan's business; a call puts barriers only between its own phases. */
#pragma once

typedef unsigned char bool8;
typedef unsigned char u8;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef unsigned int u32;
typedef __INT64_TYPE__ i64;
typedef __UINT64_TYPE__ u64;
typedef _Float16 f16;
typedef struct { unsigned short bits; } bf16;
typedef float f32;
typedef double f64;
typedef float _Complex c64;
typedef double _Complex c128;

enum dtype { BOOL, U8, I8, I16, I32, I64, F16, BF16, F32, F64, U32, C64, C128 };

enum { MAX_RANK = 16 };

/* A strided array: element (i, j, …) lies at data + itemsize · (i · strides[0] + j · strides[1] + …).
   Strides are counted in elements and may be 0 or negative. Outputs are row-major. A number is an array of rank 0. */
typedef struct {
    void *data;
    i32 dtype;
    i32 rank;
    i64 sizes[MAX_RANK];
    i64 strides[MAX_RANK];
} array;

typedef struct {
    i32 thread;  /* 0 … threads - 1 */
    i32 threads;
} team;

/* Holds a runtime number in its own type. */
typedef struct {
    u64 words[2];
} scalar_slot;

/* Run by a call on a finished part of its output, while that part is still in the cache. Parts cover [0, extent). */
typedef struct {
    void (*run)(void *closure, i64 begin, i64 end);
    void *closure;
} epilogue;

/* Outcome of a call; anything but OK means that an input was refused and the output is meaningless (but no memory
   outside the output was touched). Each thread may return its own outcome. */
enum { OK = 0, REFUSED = 1 };

typedef i32 (*library_call)(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);

static inline void team_barrier(const team *team)
{
    (void)team;
#ifdef _OPENMP
    if (team->threads > 1) {
#pragma omp barrier
    }
#endif
}

/* This thread's share of [0, extent): contiguous, in units of grain, all of it to thread 0 when there is only one. */
static inline void team_share(const team *team, i64 extent, i64 grain, i64 *begin, i64 *end)
{
    i64 units = (extent + grain - 1) / grain;
    i64 first = (units * team->thread + team->threads - 1) / team->threads * grain;
    i64 last = (units * (team->thread + 1) + team->threads - 1) / team->threads * grain;
    *begin = first < extent ? first : extent;
    *end = last < extent ? last : extent;
}

/* Scratch memory, uninitialised, 64-byte aligned, valid until the same thread's next call of the same function. */
void *lg_private_scratch(i64 bytes);                    /* one per thread */
void *lg_shared_scratch(const team *team, i64 bytes); /* one for the team; every thread calls it; has a barrier */
