"""A plan in words: its steps, the memory they use, and what may be overwritten."""

from __future__ import annotations

from lazygrad.passes.fuse import Group
from lazygrad.passes.fusion_cost import bytes_of
from lazygrad.runtime.overriding import override_words
from lazygrad.runtime.partitioned_plan import AnyPlan, PartitionedPlan
from lazygrad.runtime.plan import Plan


def moved_bytes(plan: AnyPlan) -> int:
    """Bytes the plan's steps read and write, each stored value counted once per step that touches it."""
    if isinstance(plan, PartitionedPlan):
        return sum(moved_bytes(part) for part in plan.plans)
    return sum(step_bytes(plan, group) for group in plan.schedule.steps)


def step_bytes(plan: Plan, group: Group) -> int:
    """Bytes that a step reads and writes."""
    stored = plan.schedule.stored
    return sum(bytes_of(node) for node in group.reads) + sum(bytes_of(node) for node in group.nodes if node in stored)


def describe_plan(plan: Plan) -> str:
    """Steps in order, with places and bytes; then the arena and the donations."""
    schedule, memory = plan.schedule, plan.memory
    lines = [
        f"plan {plan.number}: {plan.kernel_calls} kernels, {plan.library_calls} library calls, "
        f"{moved_bytes(plan):,} bytes moved"
    ]
    kernels = iter(plan.kernels)
    for step, group in enumerate(schedule.steps):
        if group.is_library:
            lines.append(f"step {step}: call {group.nodes[0].op.name}, {step_bytes(plan, group):,} bytes")
            written = group.nodes
        else:
            lowered = next(kernels)
            words = override_words(lowered.kernel)
            called = f"{lowered.kernel.name}, {words}," if words else f"{lowered.kernel.name},"
            lines.append(f"step {step}: {called} {step_bytes(plan, group):,} bytes")
            lines += [f"    {line}" for line in str(lowered.kernel).splitlines()]
            written = lowered.outputs
        for node in written:
            root, view = schedule.memory_of(node)
            slot = memory.slots[root]
            inside = f", strides {view.strides} from {view.offset}" if root is not node else ""
            lines.append(f"    writes {slot.place.value} {slot.index}{inside}: {node.type}")
    lines.append(f"arena: {memory.arena_bytes:,} bytes for {memory.unshared_bytes:,} bytes of temporaries")
    for number, temporary in enumerate(memory.temporaries):
        lines.append(
            f"    {number}: {temporary.node.type} at {temporary.offset}, steps {temporary.first} to {temporary.last}"
        )
    use = plan.memory_use
    lines.append(
        f"peak memory: {use.peak:,} bytes: inputs {use.inputs:,}, new outputs {use.outputs:,}, arena "
        f"{use.arena:,}; {use.updated:,} more if no input could be updated in place"
    )
    for donation in memory.donations:
        lines.append(f"output {donation.output} may overwrite input {donation.input}")
    return "\n".join(lines)
