/* What the parts of the runtime share. */
#pragma once

#include <cstddef>
#include <cstdint>

#include "../include/emulator.h"

namespace emulator {

constexpr unsigned LARGEST_BLOCK = 1024, LANES = 32;

enum Order : unsigned { ASCENDING, DESCENDING, SHUFFLED };

/* One launch, as the driver asks for it. */
struct Launch {
    const char *name;
    void (*kernel)(void **);
    void **values;
    unsigned grid[3], block, shared_bytes;
    Order order; /* of blocks, and of the threads of a block */
    unsigned seed;
    unsigned char *shared_begin, *shared_end; /* static shared memory */
};

extern Launch launch; /* the one that runs */

/* Which thread runs. */
struct Place {
    unsigned block[3], thread;
};
extern Place place;

/* launch.cpp: `fail` of the code at an address. */
[[noreturn]] void fail_at(const void *code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* threads.cpp */
void run_block(const unsigned *order);
void forget_threads(); /* after a launch that failed */

/* memory.cpp: which accesses it allows depends on what the threads have put in order. */
void begin_launch();
void begin_block();
void order_block(); /* all threads of the block have met */
void order_warp(unsigned warp);
extern const void *elsewhere; /* the code of the last access to memory that is not the device's */

} // namespace emulator
