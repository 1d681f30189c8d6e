"""Pages, such as that of a report, as one HTML file that needs nothing else: style, script and data are in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lazygrad.inspect.report.levels import Level, levels
from lazygrad.inspect.report.model import Program, Value
from lazygrad.inspect.report.text import in_words

_FOLDER = Path(__file__).parent / "page"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )


def page(title: str, script: str, data: Any, search: str, texts: Sequence[str]) -> str:
    """An HTML page. All that comes from programs is data or escaped text.

    Args:
        title: of the window.
        script: the file that makes the page of its data.
        data: for the script, as JSON.
        search: what the search field says while it is empty.
        texts: what is shown where no script runs.
    """
    return (
        _environment()
        .get_template("report.html")
        .render(
            title=title,
            style=_part("report.css"),
            script=_part("common.js") + _part(script),
            data=_embedded(data),
            search=search,
            texts=texts,
        )
    )


def report_page(programs: Sequence[Program]) -> str:
    """The page of a report."""
    return page(
        ", ".join(dict.fromkeys(program.title for program in programs)),
        "report.js",
        [_shown(program) for program in programs],
        "search: op, name, module, line, type",
        [in_words(program) for program in programs],
    )


def save_page(path: str | Path, text: str) -> Path:
    """Write a page to ``path``, and return it; folders are made."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target


def _part(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _embedded(data: Any) -> str:
    """JSON that can stand inside a script element: nothing in it ends that."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _shown(program: Program) -> dict[str, Any]:
    """What the script needs: values as rows, since there are thousands."""
    whole = program.to_json()
    for name in ("recorded", "primitive"):
        whole[name] = [_row(value) for value in getattr(program, name)]
    for place in whole["places"]:
        place["file"] = _from_here(place["file"])
    whole["decisions"] = [[d.a, d.b, int(d.fused), d.reason, d.bytes] for d in program.decisions]
    whole["buffers"] = [[b.node, b.place, b.bytes, b.offset, b.first, b.last] for b in program.buffers]
    whole["levels"] = [_graph(level) for level in levels(program)]
    whole["text"] = in_words(program)
    return whole


def _from_here(file: str) -> str:
    """A path below the current folder as it is from there: what lies above is nobody's business but the writer's."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _row(value: Value) -> list[Any]:
    """In the order in which the script reads it."""
    attrs = " ".join([f"{name}={text}" for name, text in value.attrs.items()])
    return [
        value.title,
        value.name,
        value.type,
        value.bytes,
        attrs,
        value.inputs,
        value.place,
        value.scope,
        value.forward,
        value.sources,
        value.step,
    ]


def _graph(level: Level) -> dict[str, Any]:
    """Boxes that stand for one value each are found by its number, and have its words."""
    is_plain = level.of != "recorded" or level.name == "recorded"
    return {
        "name": level.name,
        "of": level.of,
        "boxes": [[box.title, box.detail, box.kind, [] if is_plain else box.members] for box in level.boxes],
        "edges": [number for edge in level.edges for number in edge],
        "points": [round(number, 2) for point in level.points for number in point],
    }
