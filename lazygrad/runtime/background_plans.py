"""Plans that a thread of its own makes, while the programs that they are for are computed without one."""

from __future__ import annotations

import importlib
import threading
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from lazygrad.host import background
from lazygrad.host.collector import collector_waits
from lazygrad.ir.device import CPU
from lazygrad.runtime import kept_plans
from lazygrad.runtime.profiling import Activity, span
from lazygrad.runtime.recording import Recording
from lazygrad.targets.devices import device_targets

if TYPE_CHECKING:
    from lazygrad.runtime.partitioned_plan import AnyPlan
    from lazygrad.runtime.plan import Plan

Arrived = deque[tuple[Any, "AnyPlan | None"]]
"""Plans with the keys they go by; None for one that could not be made."""

# After so long a process is past its first steps, in which a thread that plans would take turns with the program.
_SECONDS_OF_FIRST_STEPS = 1.0


def plan_in_background(recording: Recording, arrived: Arrived) -> None:
    """Have a plan made of a program on the CPU; until it has arrived, the program is interpreted."""
    # The compiler half is loaded here: each file that another thread reads costs it a wait for this one's turn to end.
    importlib.import_module("lazygrad.runtime.plan")
    load_renderers()
    plan, key = _planning(recording), (recording.key, True)

    def make() -> None:
        try:
            made = plan()
            made.make_ready()
        except Exception:
            arrived.append((key, None))  # it is planned where it is asked for next, which tells what is wrong
        else:
            arrived.append((key, made))

    background.submit(key, make, is_quick=True)


def plan_for_later_processes(recording: Recording) -> None:
    """Have a plan made and compiled when this process, whose first steps are all that it could serve, is past these."""
    plan, key = _planning(recording), (recording.key, "later")

    def make() -> None:
        with suppress(Exception):  # whoever plans it while somebody waits for it tells what is wrong
            plan().start_compiling()

    timer = threading.Timer(_SECONDS_OF_FIRST_STEPS, background.submit, (key, make), {"is_quick": True})
    timer.daemon = True
    timer.start()


def _planning(recording: Recording) -> Callable[[], Plan]:
    """What makes the plan, from pure data: nothing that it keeps refers to a value."""
    program, recorded, parts = recording.key, recording.program(), recording.slots_of_parts()

    def plan() -> Plan:
        from lazygrad.runtime.plan import Plan

        with collector_waits(), span(Activity.PLANNING):
            made = Plan(recorded, parts=parts)
            made.when_compiled = partial(kept_plans.keep, program)
            return made

    return plan


def make_in_background(key: Hashable, make: Callable[[], None]) -> None:
    """Have ``make`` called, which makes a plan for many sizes."""
    load_renderers()
    importlib.import_module("lazygrad.runtime.dynamic.range_plan")

    def quietly() -> None:
        with suppress(Exception):  # planned where it is asked for next, it tells what is wrong
            make()

    background.submit(key, quietly, is_quick=True)


def load_renderers() -> None:
    """Import what turns programs into sources."""
    device_targets(CPU)
    importlib.import_module("jinja2")
