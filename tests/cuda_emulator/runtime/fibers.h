/* Stacks that one thread of the host changes between. */
#pragma once

namespace emulator {

using Fiber = struct FiberState;

Fiber *new_fiber();

/* Makes the next resumption call `body`, which never returns; what the fiber was at is forgotten. */
void prepare(Fiber *fiber, void (*body)());

/* Leaves the running stack and goes on with a fiber, until that calls `suspend`. */
void resume(Fiber *fiber);

/* Goes back to who resumed the running fiber. */
void suspend();

} // namespace emulator
