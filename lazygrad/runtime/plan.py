"""A compiled plan: the forms of one program, and the code that runs it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import count
from types import MappingProxyType
from typing import Any
from weakref import WeakSet

from lazygrad.codegen.editing import NO_EDITS, Edits
from lazygrad.codegen.lower import LoweredKernel, lower
from lazygrad.host import background
from lazygrad.host.arena import arena
from lazygrad.host.buffer import Buffer
from lazygrad.host.collector import collector_waits
from lazygrad.host.forks import unlocked_in_child
from lazygrad.host.poison import poison
from lazygrad.host.refusal import Refused
from lazygrad.host.warn_once import warn_once
from lazygrad.ir.device import CPU
from lazygrad.ir.graph import Graph
from lazygrad.memory.plan import MemoryPlan, MemoryUse, memory_use, plan_memory
from lazygrad.passes.fusion_cost import tightest
from lazygrad.passes.pipeline import Stages, run_passes
from lazygrad.passes.schedule import Schedule
from lazygrad.runtime.backend_choice import AUTO, get_backend, in_question, is_there, waits_for_compiler
from lazygrad.runtime.blame import name_line
from lazygrad.runtime.overriding import edited, edits_of
from lazygrad.runtime.profiling import Activity, profiling, span
from lazygrad.runtime.tiers import runs
from lazygrad.targets.base import LoweredProgram, Source, Target
from lazygrad.targets.compiled_calls import compiled_calls_may_be_used
from lazygrad.targets.devices import device_targets
from lazygrad.targets.executable import Executable, LoadError, Watched

_numbers = count(1)
# What a plan holds for each node of its graphs was measured: 600 to 700 bytes on numpy, 800 when it is compiled, too.
_BYTES_OF_PLAN, _BYTES_OF_NODE = 1 << 14, 1 << 10


class Plan:
    """Everything known about one program.

    The first run is the first target's of the device. From the second on, targets that compile work in the background,
    and the fastest takes over when it is ready: a plan that runs once never pays for a compiler.

    Attributes:
        is_one_program: whether one program on one device, of one size, computes everything.
        device: what it runs on.
        targets: those of the device, slowest first.
        stages: the recorded, primitive, fused and scheduled forms.
        program: its steps, their kernels and the places of stored values.
        sources: the program in each target's language.
        runs: how often it ran.
        fastest: by choice of backend the executable that runs, where nothing faster is to come.
        number: counts plans in this process.
        when_compiled: told of this plan, of a target that compiles and of its executable, once that is ready.
    """

    is_one_program = True

    def __init__(
        self,
        recorded: Graph,
        fusion: bool = True,
        parts: Mapping[int, int] = MappingProxyType({}),
        targets: tuple[Target[Any], ...] = (),
    ) -> None:
        """``parts``: for input slots that hold a part of another input, the slot of that. ``targets``: of a device that
        need not be there, for a plan that is only looked at."""
        self.number = next(_numbers)
        self.when_compiled: Callable[[Plan, str, Executable], None] | None = None
        self.device = recorded.roots[0].device if recorded.roots else CPU
        self.targets = targets or device_targets(self.device)
        self.stages: Stages = run_passes(recorded, fusion, tightest(target.limits for target in self.targets))
        self.stages.forget_between()
        schedule = self.stages.schedule
        assert schedule is not None
        kernels = lower(schedule)
        memory = plan_memory(schedule, kernels, [target.overwriting for target in self.targets], parts)
        self.program = LoweredProgram(schedule, kernels, memory, f"plan {self.number}")
        self.sources = Sources(self.targets, self.program)
        self.runs = 0
        self._executables: dict[str, Executable] = {}  # by target
        self.fastest: dict[str, Executable] = {}
        self._failed: set[str] = set()  # targets that could not load it
        self._submitted_in: int | None = None
        with _alive_lock:
            _alive.add(self)

    @property
    def schedule(self) -> Schedule:
        return self.program.schedule

    @property
    def kernels(self) -> tuple[LoweredKernel, ...]:
        return self.program.kernels

    @property
    def memory(self) -> MemoryPlan:
        return self.program.memory

    @property
    def kernel_calls(self) -> int:
        return sum(not group.is_library for group in self.schedule.steps)

    @property
    def library_calls(self) -> int:
        return sum(group.is_library for group in self.schedule.steps)

    @property
    def bytes_held(self) -> int:
        """About how much memory it keeps between runs, in all targets' forms; arena and values are not its own."""
        nodes = sum([len(graph) for graph in (self.stages.recorded, self.stages.differentiated, self.stages.primitive)])
        return _BYTES_OF_PLAN + _BYTES_OF_NODE * nodes

    @property
    def memory_use(self) -> MemoryUse:
        """What one run occupies."""
        return memory_use(self.schedule, self.memory)

    def run(
        self,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        scalars: Sequence[Any],
        recorded: Callable[[], Graph] | None = None,
    ) -> None:
        """Run once on the backend chosen here. Buffers are in slot order; outputs, of any shape, are written to.

        Args:
            inputs, outputs, scalars: in slot order.
            recorded: builds the recorded graph of this run, whose lines an error names; default: the plan's own.

        Raises:
            IndexError, RuntimeError, ValueError: what the data of an operand is refused with. The inputs are then as
                they were.
        """
        choice = get_backend()
        executable = self.fastest.get(choice) or self._choose(choice)
        self.runs += 1
        first = self._executables.get(self.targets[0].name)
        if executable is not first:
            try:
                self._run_on(executable, inputs, outputs, scalars, recorded)
                runs.compiled += 1
                return
            except Refused:
                first = self._load(self.targets[0])  # it says why
        assert first is not None
        runs.planned += 1
        with compiled_calls_may_be_used() if choice == AUTO and self.device is CPU else nullcontext():
            self._run_on(first, inputs, outputs, scalars, recorded)

    def _run_on(
        self,
        executable: Executable,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        scalars: Sequence[Any],
        recorded: Callable[[], Graph] | None,
    ) -> None:
        poison(arena.memory)
        try:
            executable.run(inputs, outputs, scalars)
        except Refused:
            raise
        except Exception as error:
            self._name_line(error, executable, recorded)
            raise

    def _name_line(self, error: Exception, executable: Executable, recorded: Callable[[], Graph] | None) -> None:
        step = executable.failed_step(error)
        if step is not None:
            now = None if recorded is None else recorded()
            name_line(error, self.schedule.steps[step], self.stages.recorded, now)

    # Which of its executables runs.

    def _choose(self, choice: str) -> Executable:
        """The fastest executable that is ready; faster ones are asked for."""
        if edited:
            executable = self._with_edited()
            if executable is not None:
                self.fastest[choice] = executable
                return executable
        targets = in_question(self.targets, choice)
        for target in targets:
            executable = self._executables.get(target.name)
            if executable is None:
                executable = self._compiled(target, choice) if target.compiles else self._load(target)
            if executable is not None:
                if target is targets[0]:
                    self.fastest[choice] = executable
                return executable
        raise AssertionError(f"the first target of {self.device} compiles")

    def _with_edited(self) -> Executable | None:
        """The code with what others have edited; None if that is no kernel of this plan."""
        target = self.overridden_target()
        if target is None:
            return None
        with collector_waits():
            return self._watched(target, target.load(self.source_in_force(target), self.program), self.edits(target))

    def overridden_target(self) -> Target[Any] | None:
        """The target whose kernels others have edited; of several the fastest, since only one's can run."""
        return next((target for target in reversed(self.targets) if self.edits(target)), None)

    def edits(self, target: Target[Any]) -> Edits:
        """Those of the plan's kernels that others have edited for a target."""
        return edits_of(self.kernels, target.name)

    def source_in_force(self, target: Target[Any]) -> Any:
        """The program in a target's language, with what others have edited.

        Raises:
            LoadError: an edited source lacks a function.
        """
        source, edits = self.sources[target.name], self.edits(target)
        return target.edited(source, self.program, edits) if edits else source

    def choose_anew(self) -> None:
        """Let the next run ask again which executable it is, and whether it is timed."""
        targets = {target.name: target for target in self.targets}
        for name, executable in list(self._executables.items()):
            plain = executable.plain if isinstance(executable, Watched) else executable
            self._executables[name] = self._watched(targets[name], plain)
        self.fastest.clear()

    def _watched(self, target: Target[Any], executable: Executable, edits: Edits = NO_EDITS) -> Executable:
        recorder = profiling.recorder
        return executable if recorder is None else recorder.watched(self.program, target, executable, edits)

    def executable(self, name: str) -> Executable:
        """The code of one target; waits for its compiler.

        Raises:
            KeyError: the device has no such target.
            RuntimeError: it cannot run here.
        """
        target = {target.name: target for target in self.targets}[name]
        missing = target.missing()
        if missing is not None:
            raise RuntimeError(missing.error)
        if not target.compiles:
            return self._load(target)
        self.compile()
        if name not in self._executables:
            raise RuntimeError(f"plan {self.number} could not be made ready for {name!r}; a warning said why")
        return self._executables[name]

    def make_ready(self) -> None:
        """Have the code of the first target, so that a run need not make it."""
        self._load(self.targets[0])

    def _load(self, target: Target[Any]) -> Executable:
        executable = self._executables.get(target.name)
        if executable is None:
            with collector_waits():
                executable = self._watched(target, target.load(self.sources[target.name], self.program))
            self._executables[target.name] = executable
        return executable

    def _compiled(self, target: Target[Any], choice: str) -> Executable | None:
        """The executable of a target that compiles, if it is ready.

        A first run asks for a compiler only where it must, since finding one takes time.
        """
        may_ask = self.runs > 0 or choice == target.name or waits_for_compiler()
        if target.name in self._failed or not may_ask or not is_there(target, choice):
            return None
        if waits_for_compiler():
            self.compile()
        elif self.runs:
            self.start_compiling()
        return self._executables.get(target.name)

    @property
    def is_compiled(self) -> bool:
        """Whether the code of all targets that compile is ready."""
        return all(target.name in self._executables for target in self.targets if target.compiles)

    def compile(self) -> None:
        """Have the code of all targets now; waits for compilers. Of one that fails, a warning says so, once."""
        if not self.is_compiled:
            self.start_compiling()
            background.wait(self)

    def start_compiling(self) -> None:
        """Have the code of all targets made in the background."""
        process = os.getpid()  # a forked child does not have the thread that its parent asked
        if self._submitted_in != process:
            self._submitted_in = process
            background.submit(self, self._compile)

    def _compile(self) -> None:
        for target in self.targets:
            if target.compiles and target.name not in self._executables and target.name not in self._failed:
                self._compile_for(target)

    def _compile_for(self, target: Target[Any]) -> None:
        try:
            with span(Activity.COMPILING, target.name):
                executable = target.load(self.sources[target.name], self.program)
            self._executables[target.name] = self._watched(target, executable)
            if self.when_compiled is not None:
                self.when_compiled(self, target.name, executable)
        except LoadError as error:
            if not background.program_ends():  # then the compiler was stopped, and nobody needs its code
                reason = f"a plan could not be compiled, so it stays on {self.targets[0].name}: {error}"
                warn_once("compile", reason)
        finally:
            if target.name not in self._executables:
                self._failed.add(target.name)


_alive: WeakSet[Plan] = WeakSet()
_alive_lock = unlocked_in_child(threading.Lock())


def all_choose_anew() -> None:
    """Have every plan ask again which of its executables runs."""
    with _alive_lock:
        plans = list(_alive)
    for plan in plans:
        plan.choose_anew()


class Sources(Mapping[str, Any]):
    """A program in the language of each target, by the target's name; rendered when asked for.

    Attributes:
        rendered: what was asked for.
    """

    def __init__(self, targets: Sequence[Target[Any]], program: LoweredProgram) -> None:
        self._targets = {target.name: target for target in targets}
        self._program = program
        self.rendered: dict[str, Source] = {}

    def __getitem__(self, name: str) -> Any:
        source = self.rendered.get(name)
        if source is None:
            source = self.rendered[name] = self._targets[name].render(self._program)
        return source

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets)

    def __len__(self) -> int:
        return len(self._targets)
