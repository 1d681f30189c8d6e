"""Reports: what programs became, for terminals, notebooks, files and other programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from lazygrad.inspect.programs import tensors_in
from lazygrad.inspect.report.capturing import programs_of, programs_of_call
from lazygrad.inspect.report.html import report_page, save_page
from lazygrad.inspect.report.model import Program
from lazygrad.inspect.report.text import in_words
from lazygrad.inspect.showing import show
from lazygrad.tensor import Tensor


class Report:
    """The result of `explain`; prints as text.

    Attributes:
        programs: what was explained, in the order in which it is computed.
    """

    def __init__(self, programs: list[Program]) -> None:
        self.programs = programs

    def __str__(self) -> str:
        return "\n\n".join([in_words(program) for program in self.programs])

    __repr__ = __str__

    def show(self) -> None:
        """Print the report; what the terminal cannot encode becomes an escape."""
        show(str(self))

    def _repr_html_(self) -> str:
        """In a notebook: the page in a frame of its own, so that its style and names stay there."""
        frame = escape(report_page(self.programs), quote=True)
        return f'<iframe srcdoc="{frame}" style="width: 100%; height: 640px; border: 0"></iframe>'

    def save(self, path: str | Path) -> Path:
        """Write the report to ``path`` as one HTML file that needs no network, and return it; folders are made."""
        return save_page(path, report_page(self.programs))

    def to_json(self) -> dict[str, Any]:
        """Everything in the report as dictionaries, lists, texts and numbers; `Program` says what they mean."""
        return {"format": "lazygrad report 1", "programs": [program.to_json() for program in self.programs]}


def explain(
    what: Tensor | Sequence[Tensor] | Callable[..., Any], *args: Any, measure: bool = False, **kwargs: Any
) -> Report:
    """What a computation becomes, from the lines that record it to the code that runs, with every link between.

    Args:
        what: a pending tensor, with which go the gradients that `backward` has recorded of it; a list of such; or a
            function or module, which is called.
        args, kwargs: of the call.
        measure: whether each step is timed, on the values that the program reads; it is run ten times for that, and
            what the machine can do at best is measured, if it is not known yet.

    Returns:
        A report on the program of the tensors; of a call, on each program that it computes, and on what it leaves
        pending. An optimizer's step is recorded for it, which it otherwise is not from the second step on.

    Raises:
        TypeError: it is neither tensors nor callable.
        RuntimeError: there is nothing to compute.
    """
    if callable(what) and not isinstance(what, Tensor):
        programs = programs_of_call(what, args, kwargs, getattr(what, "__qualname__", type(what).__name__), measure)
    else:
        tensors = tensors_in(what) if isinstance(what, (Tensor, list, tuple)) else []
        if not tensors or args or kwargs:
            raise TypeError(f"explain: expected tensors, or a function or module with its arguments, not {what!r}")
        nodes = [tensor.node() for tensor in tensors]
        programs = programs_of([node for node in nodes if node.value is None], "what realize computes", measure)
    if not any(program.recorded for program in programs):
        raise RuntimeError("explain: everything is computed already; ask before it is")
    return Report(programs)
