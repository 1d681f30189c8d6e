/* The device's memory, and what kernels may do with it.

   g++ has each access of a kernel call a function of this file, as it would call those of its thread sanitizer. Of every
   byte is known whether it was allocated and written; of every word who wrote and who read it last, and when. Time is
   counted in intervals: one ends where all threads of a block have met. Two threads of a block race for a word which both
   use in one interval, unless they are lanes of a warp and have met in between; two blocks race in any case. */

#include <cstring>
#include <sys/mman.h>

#include "emulation.h"

namespace emulator {

enum ByteState : unsigned char { ABSENT = 0, UNWRITTEN = 1, WRITTEN = 3 }; /* one bit more than the one before */
enum Access { READ, WRITE, ATOMIC };

/* One access to a word. */
struct Stamp {
    std::uint64_t interval : 36, epoch : 12, thread : 10, bytes : 4;
    std::uint64_t several : 2; /* of reads: bit 0, other lanes read it too; bit 1, other warps. Of writes: an atomic one */
};

struct Record {
    Stamp write, read;
};

enum { OTHER_LANES = 1, OTHER_WARPS = 2, WAS_ATOMIC = 1 };

struct Region {
    const char *name;
    std::uintptr_t begin;
    std::size_t bytes;
    unsigned char *states;
    Record *records;
    std::uint64_t since; /* the first interval whose accesses matter */
};

constexpr std::size_t ARENA_BYTES = (std::size_t)1 << 38, SHARED_BYTES = 256 << 10;
constexpr unsigned char POISON = 0xff; /* a NaN of each kind */

static unsigned char shared_states[2][SHARED_BYTES + 8];
static Record shared_records[2][SHARED_BYTES / 4];

static Region arena = {"global memory", 0, 0, nullptr, nullptr, 1};
static Region fixed = {"shared memory", 0, 0, shared_states[0], shared_records[0], 1};
static Region dynamic = {"dynamic shared memory", (std::uintptr_t)emulator_dynamic_shared, SHARED_BYTES,
                         shared_states[1], shared_records[1], 1};

const void *elsewhere;

static std::uint64_t interval = 1, block_since = 1;
static unsigned epochs[LARGEST_BLOCK / LANES]; /* how often the lanes of each warp have met */

void order_block() { interval++; }
void order_warp(unsigned warp) { epochs[warp] = (epochs[warp] + 1) % (1 << 12); }

void begin_launch()
{
    arena.since = ++interval;
    memset(dynamic.states, ABSENT, SHARED_BYTES);
    memset(fixed.states, ABSENT, SHARED_BYTES);
    fixed.begin = (std::uintptr_t)launch.shared_begin;
    fixed.bytes = launch.shared_end - launch.shared_begin;
}

static void begin_shared(Region &region, std::size_t bytes)
{
    region.since = block_since;
    memset((void *)region.begin, POISON, bytes);
    memset(region.states, UNWRITTEN, bytes);
}

void begin_block()
{
    block_since = ++interval;
    begin_shared(fixed, fixed.bytes);
    begin_shared(dynamic, launch.shared_bytes);
}

static unsigned warp_of(unsigned thread) { return thread / LANES; }

/* Whether what a stamp tells of has happened before what the running thread does now. */
static bool is_before(const Region &region, Stamp old)
{
    if (old.interval < region.since)
        return true;
    if (old.interval != interval)
        return old.interval >= block_since; /* else another block did it in this launch */
    bool same_warp = warp_of(old.thread) == warp_of(place.thread);
    return old.thread == place.thread || (same_warp && old.epoch != epochs[warp_of(place.thread)]);
}

/* The same of all reads since the last write. */
static bool are_before(const Region &region, Stamp old)
{
    if (old.interval == interval && old.several) {
        unsigned warp = warp_of(place.thread);
        bool unordered_lanes = old.several & OTHER_LANES && old.epoch == epochs[warp];
        if (old.several & OTHER_WARPS || warp_of(old.thread) != warp || unordered_lanes)
            return false;
    }
    return is_before(region, old);
}

static Stamp stamp(unsigned bytes)
{
    return {interval, epochs[warp_of(place.thread)], place.thread, bytes, 0};
}

static void note_read(Record &record, unsigned bytes)
{
    Stamp now = stamp(bytes), old = record.read;
    bool same_bytes = old.bytes & bytes || old.thread == now.thread; /* else the word holds elements of two threads */
    if (old.interval == interval && same_bytes) {
        now.bytes |= old.bytes;
        now.several = old.several;
        if (warp_of(old.thread) != warp_of(now.thread))
            now.several |= OTHER_WARPS;
        else if (old.epoch != now.epoch)
            now.several &= ~OTHER_LANES;
        else if (old.thread != now.thread)
            now.several |= OTHER_LANES;
    }
    record.read = now;
}

static void note_write(Record &record, unsigned bytes, Access access)
{
    Stamp now = stamp(bytes), old = record.write;
    if (old.interval == interval && old.thread == now.thread)
        now.bytes |= old.bytes;
    now.several = access == ATOMIC ? WAS_ATOMIC : 0;
    record.write = now;
}

static const char *verb(Access access) { return access == READ ? "reads" : access == WRITE ? "writes" : "updates"; }

[[noreturn]] static void fail_race(const void *code, const Region &region, std::uintptr_t address, Access access,
                                   Stamp old, const char *did)
{
    const char *when = old.interval < block_since ? "a thread of another block" : "it";
    if (old.interval < block_since)
        fail_at(code, "race: it %s %s at 0x%zx, which %s %s", verb(access), region.name, address, when, did);
    fail_at(code, "race: it %s %s at 0x%zx, which thread %u %s without a barrier in between", verb(access), region.name,
            address, (unsigned)old.thread, did);
}

static void touch_word(const void *code, const Region &region, std::uintptr_t address, unsigned bytes, Access access)
{
    Record &record = region.records[address / 4 - region.begin / 4];
    bool both_atomic = access == ATOMIC && record.write.several & WAS_ATOMIC;
    if (record.write.bytes & bytes && !both_atomic && !is_before(region, record.write))
        fail_race(code, region, address, access, record.write, "has written");
    if (access == READ) {
        note_read(record, bytes);
        return;
    }
    if (record.read.bytes & bytes && !are_before(region, record.read))
        fail_race(code, region, address, access, record.read, "has read");
    note_write(record, bytes, access);
}

[[noreturn]] static void fail_bytes(const void *code, const Region &region, std::uintptr_t address, unsigned size,
                                    Access access, bool absent)
{
    fail_at(code, "it %s %u bytes of %s at 0x%zx, %s", verb(access), size, region.name, address,
            absent ? "outside of what there is" : "which nobody has written");
}

/* Checks up to 8 bytes at a time: their states are the bytes of one word. */
static void check_bytes(const void *code, const Region &region, std::uintptr_t address, unsigned size, Access access)
{
    constexpr std::uint64_t EACH = 0x0101010101010101;
    for (unsigned done = 0, count; done < size; done += count) {
        count = size - done < 8 ? size - done : 8;
        unsigned char *states = region.states + (address + done - region.begin);
        std::uint64_t found = 0, some = ~(std::uint64_t)0 >> (64 - 8 * count);
        __builtin_memcpy(&found, states, 8);
        if ((found & EACH * UNWRITTEN & some) != (EACH * UNWRITTEN & some))
            fail_bytes(code, region, address, size, access, true);
        if (access != WRITE && (found & EACH * WRITTEN & some) != (EACH * WRITTEN & some))
            fail_bytes(code, region, address, size, access, false);
        found |= EACH * WRITTEN & some;
        if (access == WRITE)
            __builtin_memcpy(states, &found, 8);
    }
}

static const Region *region_of(std::uintptr_t address)
{
    if (address - arena.begin < arena.bytes)
        return &arena;
    if (address - fixed.begin < fixed.bytes)
        return &fixed;
    if (address - dynamic.begin < dynamic.bytes)
        return &dynamic;
    return nullptr; /* a thread's own memory, or a constant */
}

/* `size` bytes of one object, which the device only moves where the address is a multiple of their number. */
static void touch(const void *code, const volatile void *pointer, unsigned size, Access access, bool aligned = true)
{
    auto address = (std::uintptr_t)pointer;
    const Region *region = region_of(address);
    if (!region) {
        elsewhere = code;
        return;
    }
    if (aligned && address % size)
        fail_at(code, "it %s %u bytes of %s at 0x%zx, which is no multiple of %u", verb(access), size, region->name,
                address, size);
    check_bytes(code, *region, address, size, access);
    for (std::uintptr_t at = address; at < address + size; at = (at / 4 + 1) * 4) {
        std::uintptr_t end = at / 4 * 4 + 4 < address + size ? at / 4 * 4 + 4 : address + size;
        touch_word(code, *region, at, ((1u << (end - at)) - 1) << at % 4, access);
    }
}

} // namespace emulator

using namespace emulator;

alignas(4096) unsigned char emulator_dynamic_shared[SHARED_BYTES];

void emulator_atomic(const volatile void *address, unsigned size)
{
    touch(__builtin_return_address(0), address, size, ATOMIC);
}

/* What g++ calls. */
extern "C" {

void __tsan_init() {}

#define EMULATOR_ACCESS(size)                                                                                          \
    void __tsan_read##size(void *address) { touch(__builtin_return_address(0), address, size, READ); }                 \
    void __tsan_write##size(void *address) { touch(__builtin_return_address(0), address, size, WRITE); }               \
    void __tsan_unaligned_read##size(void *address) { touch(__builtin_return_address(0), address, size, READ, false); } \
    void __tsan_unaligned_write##size(void *address) { touch(__builtin_return_address(0), address, size, WRITE, false); }
EMULATOR_ACCESS(1)
EMULATOR_ACCESS(2)
EMULATOR_ACCESS(4)
EMULATOR_ACCESS(8)
EMULATOR_ACCESS(16)
#undef EMULATOR_ACCESS

void __tsan_read_range(void *address, unsigned long size)
{
    touch(__builtin_return_address(0), address, (unsigned)size, READ, false);
}

void __tsan_write_range(void *address, unsigned long size)
{
    touch(__builtin_return_address(0), address, (unsigned)size, WRITE, false);
}

struct SourceLocation {
    const char *file;
    unsigned line, column;
};

void __ubsan_handle_out_of_bounds(SourceLocation *where, std::uintptr_t index)
{
    fail_at(nullptr, "line %u, column %u: %td is no index of this array", where->line, where->column, (std::intptr_t)index);
}

unsigned char __tsan_atomic8_load(const volatile void *, int)
{
    emulator_fail("it has a static variable with a constructor, and shared memory has none");
}

/* What the driver calls. */

/* Where the device's memory begins, where the states of its bytes do, and how many there are; false without memory. */
bool emulator_arena(std::uintptr_t *begin, std::uintptr_t *states, std::size_t *bytes)
{
    /* Behind the arena lie a byte of state for each of its bytes, and 16 bytes of record for each word. */
    void *found = mmap(nullptr, ARENA_BYTES * 6, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                       -1, 0);
    if (found == MAP_FAILED)
        return false;
    *begin = arena.begin = (std::uintptr_t)found;
    *bytes = arena.bytes = ARENA_BYTES;
    arena.states = static_cast<unsigned char *>(found) + ARENA_BYTES;
    arena.records = reinterpret_cast<Record *>(arena.states + ARENA_BYTES);
    *states = (std::uintptr_t)arena.states;
    return true;
}

/* Gives whole pages back to the host. */
void emulator_free(std::uintptr_t address, std::size_t size)
{
    std::size_t offset = address - arena.begin;
    madvise((void *)address, size, MADV_DONTNEED);
    madvise(arena.states + offset, size, MADV_DONTNEED);
    madvise(arena.records + offset / 4, size / 4 * sizeof(Record), MADV_DONTNEED);
}
}
