"""A program for a device that is not there: its plan, its source, and machine code where a compiler for it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lazygrad.inspect.stages.forms import Forms
from lazygrad.ir.node import Node
from lazygrad.passes.partition import is_on_one_device
from lazygrad.runtime.plan import Plan
from lazygrad.runtime.recording import Recording
from lazygrad.targets.cuda import nvrtc
from lazygrad.targets.cuda.nvrtc import Resources
from lazygrad.targets.devices import target_called
from lazygrad.tensor import Tensor

_TARGETS = ("cuda",)


@dataclass(frozen=True)
class Compiled:
    """What `compile_for` made. It prints as the source.

    Attributes:
        plan: the program as that target runs it.
        source: of the plan, in the target's language.
        arch: the architecture.
        cubin: machine code for it, None without a compiler.
        kernels: registers, stack and spilled bytes of each kernel, by its name; empty without a compiler.
        missing: what has to be installed for machine code, or None.
    """

    plan: Plan
    source: str = field(repr=False)
    arch: str
    cubin: bytes | None = field(repr=False)
    kernels: Mapping[str, Resources]
    missing: str | None

    def __str__(self) -> str:
        return self.source

    @property
    def forms(self) -> Forms:
        """All forms of the program; ``forms.kernels[0].save("kernel.py")`` writes a program of one kernel."""
        return Forms(self.plan)


def compile_for(
    fn: Callable[..., Any], *args: Any, target: str = "cuda", arch: str = "sm_90", **options: Any
) -> Compiled:
    """What a function becomes on a device that need not be there. Nothing is computed.

    Args:
        fn: called once. It returns tensors, alone or in lists, tuples and dictionaries; gradients that it shall compute
            are among them.
        args, options: its arguments, tensors on the CPU.
        target: "cuda".
        arch: an architecture, for example "sm_90".

    Raises:
        ValueError: another target, or the function computes nothing.
        NotImplementedError: an operation has no form on that target.
        RuntimeError: the program is on several devices, or the compiler refuses it.
    """
    if target not in _TARGETS:
        raise ValueError(f"compile_for: the target must be one of {', '.join(_TARGETS)}, not {target!r}")
    roots = [node for node in _nodes(fn(*args, **options)) if node.value is None]
    if not roots:
        raise ValueError("compile_for: the function returned no tensor that is yet to be computed")
    recorded = Recording(roots).program()
    if not is_on_one_device(recorded):
        raise RuntimeError("compile_for: the program is on several devices; compile each part for its own")
    plan = Plan(recorded, targets=(target_called(target),))
    source = plan.sources[target].text
    missing = nvrtc.missing()
    if missing is not None:
        return Compiled(plan, source, arch, None, {}, missing)
    made = nvrtc.compile_program(source, arch)
    return Compiled(plan, source, arch, made.cubin, made.kernels, None)


def _nodes(result: Any) -> Iterator[Node]:
    if isinstance(result, Tensor):
        yield result.node()
    elif isinstance(result, Mapping):
        yield from _nodes(list(result.values()))
    elif isinstance(result, list | tuple):
        for each in result:
            yield from _nodes(each)
