"""Where the time of a training loop goes: kernels, lines, what lazygrad does around them, and waiting for data."""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from lazygrad.host.arena import arena
from lazygrad.host.buffer import Meter, pool
from lazygrad.host.interference import Interference
from lazygrad.inspect.environment.cache import cache_info
from lazygrad.inspect.profiling.flame import Frame, Part
from lazygrad.inspect.profiling.recorder import Event, ProfileRecorder, SpanSums, Work
from lazygrad.inspect.report.html import page, save_page
from lazygrad.inspect.report.places import text_of_line
from lazygrad.inspect.tables import Cell, html_table, text_table
from lazygrad.inspect.timing import BUSY
from lazygrad.ir.node import next_serial
from lazygrad.ir.printable import printable
from lazygrad.runtime.plan import all_choose_anew
from lazygrad.runtime.profiling import Activity, profiling, span

_COMPUTING = {"kernel": "kernels", "call": "library calls", "operation": "interpreted operations"}
_PYTHON = "Python: the program and recording"
_AROUND = (
    Activity.CALLING, Activity.INTERPRETING, Activity.REALIZING, Activity.PLANNING, Activity.COMPILING,
    Activity.LOADING, Activity.PROFILING,
)  # fmt: skip


class profile:
    """Within this context, what this thread runs is timed; afterwards it prints as tables.

    Kernels are timed one by one: plans run a second rendering of themselves, which looks at the clock between steps.
    That is made when a plan runs first, which takes time of its own, called profiling. `clear` begins anew after that.

    Attributes:
        seconds: how long the context lasted.
        nodes: how many were made, by recording and by planning.
        cache: how programs were run meanwhile: differences of `cache_info`.
        misses: why programs had no plan, with how often.
        bytes_taken, bytes_peak: memory of values of 32 KB or more that was handed out, and the most that was in use
            at one time beyond what was in use at the beginning. What arrays outside share counts as used.
        arena_bytes: scratch memory of plans.
        interference: the part of all processors that other programs used; None if the system does not say.

    Raises:
        RuntimeError: another profile is on.
    """

    def __init__(self) -> None:
        self._recorder, self._meter = ProfileRecorder(), Meter()
        self.seconds, self.nodes = 0.0, 0
        self.cache: dict[str, int] = {}
        self.arena_bytes = 0
        self.interference: float | None = None

    def __enter__(self) -> profile:
        if profiling.recorder is not None:
            raise RuntimeError("profile: another one is on; profiles do not nest")
        self._recorder = profiling.recorder = ProfileRecorder()
        all_choose_anew()
        self._begin()
        return self

    def clear(self) -> None:
        """Forget what happened so far, and begin anew: for a loop whose first steps are not to count."""
        self._recorder.clear()
        self._begin()

    def _begin(self) -> None:
        self._meter = pool.meter = Meter()
        self._before, self._serial = cache_info(), next_serial()
        self._watch, self._processor = Interference(), time.process_time()
        self._start = time.perf_counter_ns()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.seconds = (time.perf_counter_ns() - self._start) / 1e9
        profiling.recorder = pool.meter = None
        all_choose_anew()
        self.interference = self._watch.share(time.process_time() - self._processor)
        self.nodes = next_serial() - self._serial - 1
        after = cache_info()
        self.cache = {name: getattr(after, name) - getattr(self._before, name) for name in _COUNTS}
        self.arena_bytes = arena.memory.nbytes

    @property
    def misses(self) -> dict[str, int]:
        return dict(self._recorder.misses)

    @property
    def bytes_taken(self) -> int:
        return self._meter.taken

    @property
    def bytes_peak(self) -> int:
        return self._meter.most

    @property
    def works(self) -> list[Work]:
        """Kernels, calls and interpreted operations, what took longest first."""
        ran = [work for work in self._recorder.works.values() if work.calls]
        return sorted(ran, key=lambda work: -work.nanoseconds)

    @property
    def spans(self) -> dict[tuple[Activity, str], SpanSums]:
        """What else took time, by activity and name; what `record_function` marks is of the activity ``OWN``."""
        return self._recorder.spans

    @property
    def events(self) -> list[Event]:
        """What happened when; at most the first 200,000 events."""
        return self._recorder.events

    def activities(self) -> dict[str, float]:
        """Milliseconds of what the profiled thread did, which add up to the whole.

        What is left is Python outside the runtime: the program itself, and recording its operations.
        """
        found = dict.fromkeys(_COMPUTING.values(), 0.0)
        for work in self._recorder.works.values():
            found[_COMPUTING[work.category]] += work.nanoseconds / 1e6
        found |= {activity.value: self._recorder.own(activity) / 1e6 for activity in _AROUND}
        rest = 1000 * self.seconds - sum(found.values())
        return found | {_PYTHON: max(0.0, rest)}

    def lines(self) -> dict[tuple[str, int], float]:
        """Milliseconds of kernels, calls and operations by file and line.

        The time of a kernel that several lines share is divided by the elements that it computes for each.
        """
        found: dict[tuple[str, int], float] = {}
        for work in self.works:
            for origin, part in work.origins:
                key = origin.file, origin.line
                found[key] = found.get(key, 0.0) + part * work.nanoseconds / 1e6
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    # Forms.

    def _of_all(self) -> Iterator[dict[str, Cell]]:
        for name, milliseconds in self.activities().items():
            yield {"activity": name, "ms": milliseconds, "%": 100 * milliseconds / (1000 * self.seconds or 1)}

    def _of_works(self) -> Iterator[dict[str, Cell]]:
        for work in self.works:
            milliseconds = work.nanoseconds / 1e6
            moved = None if work.bytes is None or not milliseconds else work.calls * work.bytes / milliseconds / 1e6
            yield {
                "what": work.name, "from": work.place, "backend": work.backend, "runs": work.calls, "ms": milliseconds,
                "µs each": 1000 * milliseconds / (work.calls or 1), "GB/s": moved,
            }  # fmt: skip

    def _of_lines(self) -> Iterator[dict[str, Cell]]:
        for (file, line), milliseconds in self.lines().items():
            yield {
                "line": _place(file, line),
                "ms": milliseconds,
                "source": text_of_line(file, line),
            }

    def table(self, rows: int = 20) -> str:
        """Activities, the first ``rows`` kernels and lines, cache and memory, as text."""
        parts = [text_table(self._of_all()), text_table(list(self._of_works())[:rows])]
        parts += [text_table(list(self._of_lines())[:rows]), self._notes()]
        return "\n\n".join(["\n".join(part) for part in parts if part])

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<profile of {self.seconds:.3g} s; print it>"

    def _repr_html_(self) -> str:
        return "".join(html_table(records) for records in (self._of_all(), self._of_works(), self._of_lines()))

    def _notes(self) -> list[str]:
        counts = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in self.cache.items())
        lines = [f"{self.nodes:,} nodes made; {counts}"]
        lines += _reasons(self.misses)
        lines.append(
            f"memory: {self.bytes_taken:,} bytes handed out, at most {self.bytes_peak:,} in use beyond the beginning, "
            f"arena {self.arena_bytes:,}"
        )
        elsewhere = {activity.value: ns / 1e6 for activity, ns in self._recorder.elsewhere.items()}
        if elsewhere:
            lines.append("in other threads: " + ", ".join(f"{name} {ms:.4g} ms" for name, ms in elsewhere.items()))
        if self.interference is not None and self.interference > BUSY:
            share = round(100 * self.interference)
            lines.append(f"busy machine: other programs used {share} % of the processors, so the times say little")
        return lines

    def to_chrome_trace(self, path: str | Path | None = None) -> str:
        """The timeline as JSON that Perfetto and chrome://tracing read; written to ``path`` if there is one."""
        process = os.getpid()
        events: list[dict[str, Any]] = [
            {
                "name": event.name, "cat": event.category, "ph": "X", "pid": process, "tid": event.thread,
                "ts": (event.start - self._start) / 1e3, "dur": event.duration / 1e3, "args": {"place": event.place},
            }
            for event in self.events
        ]  # fmt: skip
        text = json.dumps({"traceEvents": events, "displayTimeUnit": "ms", "dropped": self._recorder.dropped})
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def to_flame(self) -> dict[str, Any]:
        """Nested ``{"name", "detail", "value" in ms, "children"}``, longest first.

        The whole, its activities, and in these lines with their source as ``detail``, modules in which a line ran,
        and kernels. Of what is around kernels, and of Python, what has a name: plans, what `record_function` marks.
        """
        whole = Frame(Part("all"))
        for work in self.works:
            milliseconds, activity = work.nanoseconds / 1e6, Part(_COMPUTING[work.category])
            for origin, weight in work.origins:
                line = Part(_place(origin.file, origin.line), text_of_line(origin.file, origin.line))
                module = [Part(printable(origin.scope))] if origin.scope else []
                whole.add([activity, line, *module, Part(work.name)], weight * milliseconds)
            if not work.origins:
                whole.add([activity, Part(work.name)], milliseconds)
        named: Counter[str] = Counter()
        for (kind, name), sums in self.spans.items():
            if name != kind.value:
                around = _PYTHON if kind is Activity.OWN else kind.value
                whole.add([Part(around), Part(name)], sums.own / 1e6)
                named[around] += sums.own
        for around, milliseconds in self.activities().items():
            rest = milliseconds - named[around] / 1e6
            if around not in _COMPUTING.values() and rest > 0:
                whole.add([Part(around)], rest)
        return whole.to_json()

    def save(self, path: str | Path) -> Path:
        """Write a page with the flame, the tables and the notes to ``path``, one HTML file that needs no network.

        Returns:
            The path; folders are made.
        """
        tables = {
            "activities": list(self._of_all()), "kernels": list(self._of_works()), "lines": list(self._of_lines()),
        }  # fmt: skip
        summary = f"{self.seconds:.3g} s · {len(tables['kernels'])} kernels and calls · {len(tables['lines'])} lines"
        text = self.table()
        data = {
            "flame": self.to_flame(), "tables": tables, "notes": self._notes(), "summary": summary, "text": text,
        }  # fmt: skip
        return save_page(path, page("profile", "profile.js", data, "search: line, module, kernel", [text]))


def _place(file: str, line: int) -> str:
    return printable(f"{Path(file).name}:{line}")


def _reasons(misses: Mapping[str, int]) -> Iterator[str]:
    """Why programs had no plan, most frequent first; reasons that differ in numbers only are one."""
    alike: dict[str, list[tuple[str, int]]] = {}
    for reason, count in misses.items():
        alike.setdefault(_SIZES.sub("", reason), []).append((reason, count))
    for reasons in sorted(alike.values(), key=lambda each: -sum(count for _, count in each)):
        times = sum(count for _, count in reasons)
        where = f", at {len(reasons)} different sizes" if len(reasons) > 1 else ""
        yield f"no plan, {times} {'time' if times == 1 else 'times'}{where}: {reasons[-1][0]}"


_SIZES = re.compile(r"\[[\d,]*\]|\([\d, ]*\)|\S+ became \S+")
_COUNTS = ("hits", "misses", "interpreted", "planned_runs", "compiled_runs")


class record_function:
    """Marks a part of a program by a name, which timelines show; also as a decorator."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        self._span = span(Activity.OWN, self.name)
        self._span.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._span.__exit__(kind, error, traceback)
