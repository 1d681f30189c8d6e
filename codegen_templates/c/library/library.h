/* What generated plans and the library of ready-made calls share: scalar types, arrays, teams of threads.

   A plan is run by the thread that calls it, step by step. What is worth more than one thread it hands out as a range of
   units; see team.c. A step is over when all its units are. */
#pragma once

typedef unsigned char bool8;
typedef unsigned char u8;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef unsigned short u16;
typedef unsigned int u32;
typedef u32 w32;  /* a random word */
typedef __INT64_TYPE__ i64;
typedef __UINT64_TYPE__ u64;
typedef _Float16 f16;
typedef struct { unsigned short bits; } bf16;
typedef float f32;
typedef double f64;
typedef unsigned char f8e4m3fn, f8e5m2, f8e4m3fnuz, f8e5m2fnuz, f8e8m0fnu;  /* moved only; numpy casts them */
typedef float _Complex c64;
typedef double _Complex c128;

/* Elements that are moved and not looked at, by how many bits they have. Memory of any type may be read and written
   through these; through a pointer to another type than its own, a compiler may take it for unchanged. */
typedef u8 any8 __attribute__((may_alias));
typedef u16 any16 __attribute__((may_alias));
typedef u32 any32 __attribute__((may_alias));
typedef u64 any64 __attribute__((may_alias));
typedef struct { u64 low, high; } __attribute__((may_alias)) any128;  /* aligned as its halves: complex numbers may be */

enum dtype {
    BOOL, U8, I8, I16, I32, I64, F16, BF16, F32, F64, W32, C64, C128,
    U16, U32, U64, F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F8E8M0FNU
};

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

/* How many threads may work on a call, the one that calls included. */
typedef struct {
    i32 threads;
} team;

/* Does the units [begin, end) of something. */
typedef void (*part_function)(void *closure, i64 begin, i64 end);

/* Holds a runtime number in its own type. */
typedef struct {
    u64 words[2];
} scalar_slot;

/* Run by a call on a finished part of its output, while that part is still in the cache. Parts cover [0, extent). */
typedef struct {
    part_function run;
    void *closure;
    i64 extent;  /* where a call can have parts of several sizes */
} epilogue;

/* Outcome of a call; anything but OK means that an input was refused and the output is meaningless (but no memory
   outside the output was touched). */
enum { OK = 0, REFUSED = 1 };

typedef i32 (*library_call)(const team *team, const array *out, const array *inputs, i32 count, const i64 *attributes);

/* Has a team do all units of [0, extent), in parts that begin at multiples of grain, and returns when that is done. Which
   thread does a part, and how many parts there are, must not show in the result. A part runs on any thread of the team;
   parts handed out inside a part are done by the thread that hands them out. */
void lg_share(const team *team, i64 extent, i64 grain, part_function run, void *closure);

/* How many parts a team makes of many units: more than threads, so that a slow one leaves some to the others. */
i64 lg_parts(const team *team);

/* Scratch memory, uninitialised, 64-byte aligned, valid until the same thread's next call of the same function. */
void *lg_private_scratch(i64 bytes);  /* for a part */
void *lg_shared_scratch(i64 bytes);   /* for the call: what its parts read or write together */
