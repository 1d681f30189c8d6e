"""The printed reports of small models, kept in files. ``python -m tests.inspect.report.golden`` writes them anew."""

from __future__ import annotations

import re
from pathlib import Path

import lazygrad as lg

from .programs import MODELS

FOLDER = Path(__file__).parent / "golden"
_TIMES = re.compile(r"^(.{43}) +[\d,]+(  |$)", re.MULTILINE)


def printed(name: str) -> str:
    """The report on a model with times masked: the column of the passes is all that a report has of them."""
    lg.manual_seed(0)
    before, head, after = str(lg.explain(MODELS[name]())).partition("\npass ")
    passes, fusion, rest = after.partition("\nfusion: ")
    passes = _TIMES.sub(r"\1 …\2", passes)
    cache = re.sub(r"plan cache: .*", "plan cache: …", rest, flags=re.DOTALL)
    return "".join([before, head, passes, fusion, cache]) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for model in MODELS:
        (FOLDER / f"{model}.txt").write_text(printed(model), encoding="utf-8")
