/* What a kernel asks of the emulator: which thread it is, meetings with other threads, and errors. */
#pragma once

#include <cstdint>

#define EMULATOR_UNSEEN __attribute__((no_sanitize("thread", "bounds")))

extern "C" {

/* The same for as long as a thread runs, so that the compiler may ask once. */
#define EMULATOR_INDEX(name) unsigned emulator_##name(void) __attribute__((const, nothrow));
EMULATOR_INDEX(thread_x)
EMULATOR_INDEX(block_x)
EMULATOR_INDEX(block_y)
EMULATOR_INDEX(block_z)
EMULATOR_INDEX(block_size)
EMULATOR_INDEX(grid_x)
EMULATOR_INDEX(grid_y)
EMULATOR_INDEX(grid_z)
#undef EMULATOR_INDEX

/* Dynamic shared memory; of its bytes, those exist that the launch asks for. */
extern unsigned char emulator_dynamic_shared[];

/* Waits for all threads of the block; returns how many of them gave a predicate that holds. */
unsigned emulator_meet_block(const char *function, int line, bool predicate);

/* What the lanes of a warp gave at their last meeting. Those that had exited, or never were, are not `present`. */
struct EmulatorLanes {
    std::uint64_t values[32];
    unsigned present;
};

/* Waits for the lanes of `mask` that have not exited. */
const EmulatorLanes *emulator_meet_lanes(const char *function, int line, unsigned mask, std::uint64_t value);

/* The same, after which each of the lanes sees what the others have written. */
void emulator_order_lanes(const char *function, int line, unsigned mask);

/* Notes that an atomic operation reads and writes memory. */
void emulator_atomic(const volatile void *address, unsigned size);

/* Ends the launch; the error names kernel, block and thread. */
[[noreturn]] void emulator_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
}
