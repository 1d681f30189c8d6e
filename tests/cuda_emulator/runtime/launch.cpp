/* A launch from its first block to its last, or to its first error. */

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <random>
#include <vector>

#include "emulation.h"

namespace emulator {

Launch launch;

struct Failure {
    char text[1024];
    char object[512];     /* the file with the code that failed, */
    std::uintptr_t offset; /* and where in it; 0 if that is not known */
};

static Failure failure;
static sigjmp_buf before;

/* Leaves the kernel: the stacks of its threads hold nothing that anybody has to clean up. */
[[noreturn]] static void fail(const void *code, const char *format, va_list arguments)
{
    int used = snprintf(failure.text, sizeof failure.text, "kernel %s, block (%u, %u, %u), thread %u: ", launch.name,
                        place.block[0], place.block[1], place.block[2], place.thread);
    vsnprintf(failure.text + used, sizeof failure.text - used, format, arguments);
    Dl_info found;
    failure.offset = 0;
    if (code && dladdr(code, &found)) {
        snprintf(failure.object, sizeof failure.object, "%s", found.dli_fname);
        failure.offset = (std::uintptr_t)code - 1 - (std::uintptr_t)found.dli_fbase;
    }
    siglongjmp(before, 1);
}

void fail_at(const void *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(code, format, arguments);
}

static void on_signal(int number, siginfo_t *info, void *)
{
    if (number == SIGFPE)
        fail_at(static_cast<char *>(info->si_addr) + 1, "it divides an integer by zero");
    fail_at(elsewhere, "it uses memory where there is none: %s at %p", strsignal(number), info->si_addr);
}

/* Handlers for as long as a launch runs, on a stack of their own: a kernel's may be what has overflowed. */
class Signals {
  public:
    Signals()
    {
        stack_t own = {};
        own.ss_sp = memory;
        own.ss_size = sizeof memory;
        sigaltstack(&own, &old_stack);
        struct sigaction action = {};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (unsigned i = 0; i < COUNT; i++)
            sigaction(NUMBERS[i], &action, &old_actions[i]);
    }
    ~Signals()
    {
        for (unsigned i = 0; i < COUNT; i++)
            sigaction(NUMBERS[i], &old_actions[i], nullptr);
        sigaltstack(&old_stack, nullptr);
    }

  private:
    static constexpr unsigned COUNT = 3;
    static constexpr int NUMBERS[COUNT] = {SIGSEGV, SIGBUS, SIGFPE};
    static inline char memory[64 << 10];
    stack_t old_stack;
    struct sigaction old_actions[COUNT];
};

static void fill_order(std::vector<unsigned> &order, unsigned count)
{
    order.resize(count);
    for (unsigned i = 0; i < count; i++)
        order[i] = launch.order == DESCENDING ? count - 1 - i : i;
    if (launch.order == SHUFFLED)
        std::shuffle(order.begin(), order.end(), std::mt19937(launch.seed));
}

static void run_blocks()
{
    static std::vector<unsigned> blocks, threads;
    unsigned width = launch.grid[0], height = launch.grid[1];
    fill_order(blocks, width * height * launch.grid[2]);
    fill_order(threads, launch.block);
    begin_launch();
    for (unsigned block : blocks) {
        place = {{block % width, block / width % height, block / width / height}, 0};
        begin_block();
        run_block(threads.data());
    }
}

} // namespace emulator

using namespace emulator;

void emulator_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(nullptr, format, arguments);
}

/* What went wrong, or null. */
extern "C" const Failure *emulator_launch(const Launch *asked)
{
    launch = *asked;
    Signals signals;
    if (sigsetjmp(before, 0)) {
        forget_threads();
        return &failure;
    }
    run_blocks();
    return nullptr;
}
