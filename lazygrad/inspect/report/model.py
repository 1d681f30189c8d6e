"""What a program became, as plain data with links both ways.

Line of user code ↔ recorded node ↔ primitive node ↔ step of the plan ↔ line of generated source. Everything is a
number, a text or a list, so that a report can be written to a file and read by other programs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Place:
    """A line of the user's code.

    Attributes:
        file, line: where it is.
        text: the line, without what it is indented by; empty where the file cannot be read.
        function: the function it is in.
    """

    file: str
    line: int
    text: str
    function: str


@dataclass(slots=True)
class Value:
    """A node of the recorded or of the primitive graph.

    Attributes:
        op, kind, attrs, type, bytes: what it is.
        inputs: numbers of the nodes it reads, in the same graph.
        title: in a few words: ``softmax``, ``d loss / d 0.weight``, ``gradient of softmax at model.py:12``.
        name: of a leaf, such as a parameter's path; of a recorded node, the variable that the user's line assigns.
        place: number of the line that made it, or None.
        scope: module path.
        forward: of a node that computes a gradient, the recorded node whose gradient passes through it. Of a `grad`
            node, the value that is differentiated.
        sources: of a primitive, the recorded nodes it comes from; the first is the one that made it.
        step: of a primitive, the step that computes it.
        is_root: whether it is a result of the program.
    """

    op: str
    kind: str
    attrs: dict[str, str]
    type: str
    bytes: int
    inputs: list[int]
    title: str
    name: str = ""
    place: int | None = None
    scope: str = ""
    forward: int | None = None
    sources: list[int] = field(default_factory=list)
    step: int | None = None
    is_root: bool = False

    @property
    def is_gradient(self) -> bool:
        """Whether it computes a gradient, or stands for one."""
        return self.op == "grad" or self.title.startswith(("gradient of ", "grad of "))


@dataclass(slots=True)
class Step:
    """One kernel or library call of the plan.

    Attributes:
        name: of the kernel or the call.
        is_library: whether it is a call.
        nodes: primitives it computes.
        reads, writes: primitives that lie in memory.
        bytes: of these.
        shape: of a kernel's iteration domain.
        kernel: the kernel form as text; empty for a call.
        overridden: what runs in its place while `override` is in force; else empty.
        sources: by target, the lines of its source: first and last, counted from 1.
        flops: arithmetic operations, where they are known.
        milliseconds: what it took when it was measured, or None.
        timed_with: the step whose time includes its own, where the target runs both as one.
    """

    name: str
    is_library: bool
    nodes: list[int]
    reads: list[int]
    writes: list[int]
    bytes: int
    shape: list[int]
    kernel: str = ""
    sources: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    flops: int | None = None
    milliseconds: float | None = None
    timed_with: int | None = None
    overridden: str = ""


@dataclass(slots=True)
class Source:
    """Generated code of one target.

    Attributes:
        text: all of it.
        lines: for each line that computes something, counted from 1, the primitives it stands for.
    """

    target: str
    text: str
    lines: dict[int, list[int]]


@dataclass(slots=True)
class PassRun:
    """One pass over the program.

    Attributes:
        name: of the pass.
        nodes: in the graph that it returned.
        microseconds: what it took while it was watched.
        rules: how often it applied each rule.
    """

    name: str
    nodes: int
    microseconds: float
    rules: dict[str, int]


@dataclass(slots=True)
class Decision:
    """Why two primitives ``a`` and ``b`` do or do not share a kernel, and the bytes that it would save or saves."""

    a: int
    b: int
    fused: bool
    reason: str
    bytes: int


@dataclass(slots=True)
class Buffer:
    """A stored value.

    Attributes:
        node: the primitive, or the input.
        place, slot: ``input``, ``output`` or ``arena``, and the how manieth there.
        offset: in the arena.
        first, last: the steps between which it is needed.
    """

    node: int
    place: str
    slot: int
    bytes: int
    offset: int
    first: int
    last: int


@dataclass(slots=True)
class Totals:
    """What one run of the plan does, as the plan counts it."""

    kernels: int
    library_calls: int
    bytes_moved: int
    peak_bytes: int
    arena_bytes: int
    planning_milliseconds: float


@dataclass(slots=True)
class Measured:
    """On what the steps were timed.

    Attributes:
        target: that ran them.
        runs: of which the medians are given.
        bytes_per_second, flops: what the machine can do at best, per second.
        words: the same, and whether the machine was quiet.
    """

    target: str
    runs: int
    bytes_per_second: float
    flops: float
    words: str


@dataclass(slots=True)
class Program:
    """One program: what was recorded, what it became, and why.

    Attributes:
        title: what was asked for.
        places: lines of user code.
        recorded, primitive: the graphs, inputs first.
        steps, sources, decisions, buffers: of the plan.
        passes: in order.
        cache: whether there is a plan for it, and if not, why.
        totals: of one run.
        measured: on what the steps were timed, or None.
    """

    title: str
    places: list[Place]
    recorded: list[Value]
    primitive: list[Value]
    steps: list[Step]
    sources: list[Source]
    decisions: list[Decision]
    buffers: list[Buffer]
    passes: list[PassRun]
    cache: str
    totals: Totals
    measured: Measured | None = None

    def made_of(self, recorded: int) -> list[int]:
        """The primitives that come from a recorded node."""
        return [number for number, value in enumerate(self.primitive) if recorded in value.sources]

    def steps_of_place(self, place: int) -> Counter[int]:
        """The steps that compute what a line recorded, with how many of their primitives that is."""
        made = [value for value in self.primitive if value.place == place]
        return Counter(value.step for value in made if value.step is not None)

    def place_words(self, place: int | None) -> str:
        """``file:line``, without folders."""
        if place is None:
            return ""
        found = self.places[place]
        return f"{found.file.replace(chr(92), '/').rpartition('/')[2]}:{found.line}"

    def to_json(self) -> dict[str, Any]:
        """The same as dictionaries, lists, texts and numbers."""
        return asdict(self)
