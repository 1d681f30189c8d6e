"""A program on one screen of a terminal: 80 columns and 50 lines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from lazygrad.inspect.report.model import Program
from lazygrad.inspect.report.outline import Module, outline

_WIDTH, _MODULES, _LINES, _REASONS = 80, 16, 5, 4
_HEADER = f"{'module':<32}{'recorded':>9}{'primitive':>10}{'kernels':>9}{'calls':>7}{'bytes moved':>13}"


def in_words(program: Program) -> str:
    """The program, its modules, the lines that cost most, the passes, fusion and the plan cache."""
    lines = [
        *_summary(program),
        *_modules(outline(program)),
        *_user_lines(program),
        *_passes(program),
        *_fusion(program),
        *_wrapped(f"plan cache: {program.cache}"),
    ]
    return "\n".join([_cut(line) for line in lines])


def _summary(program: Program) -> Iterator[str]:
    totals = program.totals
    yield program.title
    yield (
        f"{len(program.recorded):,} recorded nodes, {len(program.primitive):,} primitive, "
        f"{totals.kernels} kernels, {totals.library_calls} library calls"
    )
    yield from [f"{step.name}: {step.overridden}" for step in program.steps if step.overridden]
    yield f"{totals.bytes_moved:,} bytes moved, {totals.peak_bytes:,} at most held, {totals.arena_bytes:,} scratch"


def _modules(root: Module) -> Iterator[str]:
    yield ""
    yield _HEADER
    rows = [(depth, module) for depth, module in root.walk() if depth or module.nodes or module.primitives]
    deepest = max((depth for depth, _ in rows), default=0)
    while deepest > 1 and sum(depth <= deepest for depth, _ in rows) > _MODULES:
        deepest -= 1
    for depth, module in rows:
        if depth <= deepest:
            yield _module_row(depth, module, is_all=depth == deepest)


def _module_row(depth: int, module: Module, is_all: bool) -> str:
    """Its own numbers, or with those of all below where these are not shown."""
    names = ("nodes", "primitives", "kernels", "library_calls", "bytes")
    nodes, primitives, kernels, calls, moved = (
        module.total(name) if is_all else getattr(module, name) for name in names
    )
    times = f" ×{module.times}" if module.times > 1 else ""
    name = "  " * (depth - 1) + (module.name or "outside modules")
    label = f"{_shortened(name, 31 - len(times))}{times}"
    if not nodes and not primitives and not is_all:
        return label
    return f"{label:<32}{nodes:>9,}{primitives:>10,}{kernels:>9,}{calls:>7,}{moved:>13,}"


def _user_lines(program: Program) -> Iterator[str]:
    """The lines whose steps take longest, or move the most bytes; a step counts for the line that most of it is of."""
    moved: dict[int, int] = defaultdict(int)
    taken: dict[int, float] = defaultdict(float)
    steps: Counter[int] = Counter()
    for step in program.steps:
        places = Counter(place for number in step.nodes if (place := program.primitive[number].place) is not None)
        for place, _ in places.most_common(1):
            moved[place] += step.bytes
            taken[place] += 1000 * (step.milliseconds or 0.0)
            steps[place] += 1
    yield ""
    is_timed = program.measured is not None
    yield f"{'line':<24}{'steps':>6}{'bytes moved':>14}" + (f"{'µs':>9}" if is_timed else "")
    for place in sorted(moved, key=lambda place: -(taken if is_timed else moved)[place])[:_LINES]:
        where = _shortened(program.place_words(place), 23)
        time = f"{taken[place]:>9,.0f}" if is_timed else ""
        yield f"{where:<24}{steps[place]:>6}{moved[place]:>14,}{time}  {program.places[place].text}"


def _passes(program: Program) -> Iterator[str]:
    yield ""
    yield f"{'pass':<36}{'nodes':>7}{'µs':>9}  rules applied"
    for run in program.passes:
        if not run.rules and run.nodes:
            continue  # it found nothing to do
        rules = ", ".join([f"{rule} ×{count}" if count > 1 else rule for rule, count in run.rules.items()])
        yield f"{run.name:<36}{run.nodes or '':>7}{run.microseconds:>9,.0f}  {rules}"


def _fusion(program: Program) -> Iterator[str]:
    fused = [decision for decision in program.decisions if decision.fused]
    refused: dict[str, list[int]] = defaultdict(list)
    for decision in program.decisions:
        if not decision.fused:
            refused[decision.reason].append(decision.bytes)
    yield ""
    saved = sum(decision.bytes for decision in fused)
    yield f"fusion: {len(fused)} edges fused, {saved:,} bytes saved{'; not fused:' if refused else ''}"
    for reason, lost in sorted(refused.items(), key=lambda item: -sum(item[1]))[:_REASONS]:
        yield f"{len(lost):>6} ({sum(lost):,} bytes): {reason}"


def _wrapped(text: str) -> Iterator[str]:
    yield ""
    words = text.split()
    line = ""
    for word in words:
        if line and len(line) + len(word) >= _WIDTH:
            yield line
            line = "  "
        line += f"{' ' if line.strip() else ''}{word}"
    yield line


def _cut(line: str) -> str:
    line = line.rstrip()
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
