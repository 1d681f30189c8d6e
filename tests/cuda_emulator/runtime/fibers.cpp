#include "fibers.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>

namespace emulator {

constexpr std::size_t STACK_BYTES = 256 << 10, GUARD_BYTES = 4096;

/* The whole of a stack but its guard, a page below it, which no access survives. */
static unsigned char *new_stack()
{
    void *found = mmap(nullptr, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED || mprotect(found, GUARD_BYTES, PROT_NONE)) {
        perror("no stack for a thread of a kernel");
        abort();
    }
    return static_cast<unsigned char *>(found) + GUARD_BYTES;
}

#if defined(__x86_64__)

struct FiberState {
    unsigned char *stack;
    void *stack_pointer;
};

static void *resumer; /* stack pointer of who called `resume` */
static Fiber *running;

/* Pushes what a call must leave as it was, stores the stack pointer, and pops the same from the other stack. Kernels do
   not change the control words of the floating-point units. */
extern "C" void emulator_switch(void **from, void *to);
asm(R"(
    .text
    .globl emulator_switch
    .hidden emulator_switch
    .type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulator_switch, .-emulator_switch
)");

Fiber *new_fiber() { return new Fiber{new_stack(), nullptr}; }

void prepare(Fiber *fiber, void (*body)())
{
    auto *top = reinterpret_cast<std::uintptr_t *>(fiber->stack + STACK_BYTES);
    *--top = 0;                                      /* where `body` would return to; keeps the stack aligned for it */
    *--top = reinterpret_cast<std::uintptr_t>(body); /* where the first switch returns to */
    for (int saved = 0; saved < 6; saved++)
        *--top = 0;
    fiber->stack_pointer = top;
}

void resume(Fiber *fiber)
{
    running = fiber;
    emulator_switch(&resumer, fiber->stack_pointer);
}

void suspend() { emulator_switch(&running->stack_pointer, resumer); }

#else

struct FiberState {
    unsigned char *stack;
    ucontext_t context;
};

static ucontext_t resumer;
static Fiber *running;

Fiber *new_fiber() { return new Fiber{new_stack(), {}}; }

void prepare(Fiber *fiber, void (*body)())
{
    getcontext(&fiber->context);
    fiber->context.uc_stack = {fiber->stack, 0, STACK_BYTES};
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, body, 0);
}

void resume(Fiber *fiber)
{
    running = fiber;
    swapcontext(&resumer, &fiber->context);
}

void suspend() { swapcontext(&running->context, &resumer); }

#endif

} // namespace emulator
