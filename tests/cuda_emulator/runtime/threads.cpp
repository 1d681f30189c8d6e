/* The threads of a block. Each runs until it waits for others, so that a kernel without barriers hardly changes stacks. */

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "emulation.h"
#include "fibers.h"

namespace emulator {

Place place;

enum class State { NEW, READY, AT_BARRIER, AT_MEETING, EXITED };

struct Thread {
    State state;
    Fiber *fiber;
    const char *function; /* in which it waits, and of which line */
    int line;
    unsigned mask;
    std::uint64_t value; /* what it gives to the others */
    bool orders;         /* whether each then sees what the others have written */
};

static Thread threads[LARGEST_BLOCK];
static EmulatorLanes warps[LARGEST_BLOCK / LANES];
static const unsigned *turns; /* the threads in the order in which they run */
static unsigned turn, exited;
static unsigned predicates; /* how many threads gave one that holds, at the last barrier */
static std::vector<Fiber *> fibers, idle;

static Thread &self() { return threads[place.thread]; }

/* Runs new threads one after another on the stack of the first, as long as none waits. */
static void run_threads()
{
    for (;;) {
        Fiber *fiber = self().fiber;
        self().state = State::READY;
        launch.kernel(launch.values);
        self().state = State::EXITED;
        exited++;
        if (turn + 1 < launch.block && threads[turns[turn + 1]].state == State::NEW) {
            place.thread = turns[++turn];
            self().fiber = fiber;
        } else {
            idle.push_back(fiber);
            suspend();
        }
    }
}

static Fiber *idle_fiber()
{
    if (idle.empty()) {
        fibers.push_back(new_fiber());
        prepare(fibers.back(), run_threads);
        return fibers.back();
    }
    Fiber *fiber = idle.back();
    idle.pop_back();
    return fiber;
}

void forget_threads()
{
    for (Fiber *fiber : fibers)
        prepare(fiber, run_threads);
    idle = fibers;
}

/* Gives each thread that can run a turn; whether there was one. */
static bool run_those_that_can()
{
    bool some = false;
    for (turn = 0; turn < launch.block; turn++) {
        Thread &thread = threads[place.thread = turns[turn]];
        if (thread.state != State::NEW && thread.state != State::READY)
            continue;
        some = true;
        if (thread.state == State::NEW)
            thread.fiber = idle_fiber();
        resume(thread.fiber);
    }
    return some;
}

static std::string described(const Thread &thread)
{
    char text[160];
    unsigned number = (unsigned)(&thread - threads);
    if (thread.state == State::EXITED)
        snprintf(text, sizeof text, "thread %u has exited", number);
    else if (thread.state == State::AT_BARRIER)
        snprintf(text, sizeof text, "thread %u waits in %s of line %d", number, thread.function, thread.line);
    else
        snprintf(text, sizeof text, "thread %u waits in %s of line %d for the lanes of mask 0x%08x", number,
                 thread.function, thread.line, thread.mask);
    return text;
}

static bool wait_together(const Thread &a, const Thread &b)
{
    return a.state == b.state && a.line == b.line && a.mask == b.mask && !strcmp(a.function, b.function);
}

/* Lets the lanes of a meeting go on if all of them are there that have not exited. */
static bool end_meeting(const Thread &one)
{
    unsigned first = (unsigned)(&one - threads) / LANES * LANES, present = 0;
    for (unsigned lane = 0; lane < LANES && first + lane < launch.block; lane++) {
        const Thread &other = threads[first + lane];
        if (!(one.mask >> lane & 1) || other.state == State::EXITED)
            continue;
        if (!wait_together(one, other))
            return false;
        present |= 1u << lane;
    }
    EmulatorLanes &lanes = warps[first / LANES];
    lanes.present = (lanes.present & ~one.mask) | present;
    for (unsigned lane = 0; lane < LANES; lane++)
        if (present >> lane & 1) {
            lanes.values[lane] = threads[first + lane].value;
            threads[first + lane].state = State::READY;
        }
    if (one.orders)
        order_warp(first / LANES);
    return true;
}

/* Whether `other` is the reason why `one` waits. */
static bool keeps_waiting(const Thread &one, const Thread &other)
{
    auto first = &one - threads, second = &other - threads;
    bool met = one.state == State::AT_BARRIER ||
               (first / LANES == second / LANES && one.mask >> second % LANES & 1 && other.state != State::EXITED);
    return met && !wait_together(one, other);
}

/* Lets all threads go on, which wait for one barrier. */
static void end_barrier()
{
    Thread *end = threads + launch.block;
    Thread *one = std::find_if(threads, end, [](const Thread &thread) { return thread.state != State::EXITED; });
    Thread *other = std::find_if(threads, end, [&](const Thread &thread) { return keeps_waiting(*one, thread); });
    if (other != end) {
        place.thread = (unsigned)(one - threads);
        emulator_fail("%s, but %s", described(*one).c_str(), described(*other).c_str());
    }
    predicates = 0;
    for (unsigned thread = 0; thread < launch.block; thread++) {
        predicates += threads[thread].value != 0;
        threads[thread].state = State::READY;
    }
    order_block();
}

/* Lets the lanes go on whose last missing ones have exited. */
static bool end_meetings_of_the_last()
{
    bool some = false;
    for (unsigned thread = 0; thread < launch.block; thread++)
        some |= threads[thread].state == State::AT_MEETING && end_meeting(threads[thread]);
    return some;
}

void run_block(const unsigned *order)
{
    turns = order;
    exited = 0;
    for (unsigned thread = 0; thread < launch.block; thread++)
        threads[thread].state = State::NEW;
    for (EmulatorLanes &lanes : warps)
        lanes.present = 0;
    while (exited < launch.block)
        if (!run_those_that_can() && !end_meetings_of_the_last())
            end_barrier();
}

static void wait(Thread as)
{
    Thread &thread = self();
    as.fiber = thread.fiber;
    thread = as;
    if (thread.state == State::AT_BARRIER || !end_meeting(thread))
        suspend();
}

static const EmulatorLanes *meet(const char *function, int line, unsigned mask, std::uint64_t value, bool orders)
{
    if (!(mask >> place.thread % LANES & 1))
        emulator_fail("%s of line %d has the mask 0x%08x, in which its own lane is not", function, line, mask);
    wait({State::AT_MEETING, nullptr, function, line, mask, value, orders});
    return &warps[place.thread / LANES];
}

} // namespace emulator

using namespace emulator;

unsigned emulator_meet_block(const char *function, int line, bool predicate)
{
    wait({State::AT_BARRIER, nullptr, function, line, 0, predicate, true});
    return predicates;
}

const EmulatorLanes *emulator_meet_lanes(const char *function, int line, unsigned mask, std::uint64_t value)
{
    return meet(function, line, mask, value, false);
}

void emulator_order_lanes(const char *function, int line, unsigned mask) { meet(function, line, mask, 0, true); }

unsigned emulator_thread_x() { return place.thread; }
unsigned emulator_block_x() { return place.block[0]; }
unsigned emulator_block_y() { return place.block[1]; }
unsigned emulator_block_z() { return place.block[2]; }
unsigned emulator_block_size() { return launch.block; }
unsigned emulator_grid_x() { return launch.grid[0]; }
unsigned emulator_grid_y() { return launch.grid[1]; }
unsigned emulator_grid_z() { return launch.grid[2]; }
