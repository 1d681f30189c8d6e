"""The pages of `docs/`: their programs run and print what the pages show, and their links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import lazygrad as lg

_ROOT = Path(__file__).parent.parent
_DOCS = _ROOT / "docs"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
PAGES = ("exporting.md", *sorted(f"tutorials/{path.name}" for path in (_DOCS / "tutorials").glob("*.md")))
_MARK = "-- the next block --"

# Pages whose blocks use what a reader has: a model, a loader, a step. What the blocks of a page may need, before them.
_MODEL = """
import lazygrad as lg
from lazygrad import data, nn, optim
from lazygrad.nn import functional as F
model = nn.Sequential(nn.Linear(512, 16), nn.ReLU(), nn.Linear(16, 4))
inputs = x = lg.randn(32, 512).realize()
y = lg.randint(4, (32,)).realize()
loader = data.DataLoader(data.TensorDataset(x, y), batch_size=16)
"""
_TRAINING = """
optimizer = optim.SGD(model.parameters(), lr=0.1)
def step(x, y):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
"""
READERS = {
    "cuda.md": _MODEL + "y = model(x)\ndef step(model, x): return model(x)\n",
    "lazy_evaluation.md": _MODEL + "loader = [x[:5], x[:7]]\ndef train_step(x): return model(x).sum()\n",
    "measuring.md": _MODEL + _TRAINING + "first = second = model\n"
    "def train(): [step(x, y).item() for x, y in loader]\n",
    "inspecting.md": _MODEL + "loss = F.cross_entropy(model(x), y)\nloss.backward()\n"
    "weight = model[0].weight\nfirst = lg.stages(model(x)).recorded\nsecond = lg.stages(loss).recorded\n",
    "add_a_target.md": "from tests.targets.interpreter import *\n",
}


class Block(NamedTuple):
    """A program of a page, and what the page shows that it prints."""

    source: str
    shown: str


def blocks(text: str) -> list[Block]:
    """The Python blocks of a page. A block without a language that follows one is what it prints."""
    found: list[Block] = []
    for language, content in _FENCE.findall(text):
        if language == "python":
            found.append(Block(content, ""))
        elif language == "text" and found:
            found[-1] = Block(found[-1].source, content)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_programs_print_what_pages_show(page: str, tmp_path: Path) -> None:
    """All blocks of a page are one program."""
    wanted = blocks((_DOCS / page).read_text(encoding="utf-8"))
    program = f"\nprint({_MARK!r})\n".join([block.source for block in wanted])
    name = Path(page).with_suffix(".py").name
    (tmp_path / name).write_text(program, encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LAZYGRAD_")} | {
        "PYTHONPATH": str(_ROOT), "LAZYGRAD_CACHE_DIR": str(tmp_path / "cache"), "PYTHONIOENCODING": "utf-8",
    }  # fmt: skip
    run = subprocess.run([sys.executable, name], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    printed = run.stdout.split(f"{_MARK}\n")
    for block, found in zip(wanted, printed, strict=True):
        assert found == block.shown, block.source


@pytest.mark.parametrize("page", READERS)
def test_what_pages_show_runs(page: str, tmp_path: Path) -> None:
    """What it prints depends on the reader's model, or on the machine."""
    shown = [block.source for block in blocks((_DOCS / page).read_text(encoding="utf-8"))]
    (tmp_path / "reader.py").write_text("\n".join([READERS[page], *shown]), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(_ROOT), "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run([sys.executable, "reader.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_the_program_of_the_architecture_becomes_what_the_page_shows() -> None:
    section = (
        (_DOCS / "architecture.md").read_text(encoding="utf-8").partition("## One program")[2].partition("\n## ")[0]
    )
    program, *shown = [content for _, content in _FENCE.findall(section)]
    names = {"lg": lg, "print": lambda _: None}
    exec(compile(program.replace("print(w.grad)", "forms = lg.stages(w.grad)"), "walk.py", "exec"), names)
    forms = names["forms"]
    printed = f"{forms.recorded}\n{forms.fused}".replace("\n    ", "\n").splitlines()
    lines = {" ".join(line.split()) for line in printed}
    for line in "".join(shown).splitlines():
        assert line.strip() == "…" or " ".join(line.split()) in lines, line


def test_no_page_is_left_out() -> None:
    """Each page with a program is run, and what is shown of the sources stands there."""
    texts = {str(page.relative_to(_DOCS)): page.read_text(encoding="utf-8") for page in _DOCS.rglob("*.md")}
    with_programs = {page for page, text in texts.items() if "```python" in text}
    assert with_programs == {*PAGES, *READERS, "architecture.md", "add_an_op.md"}
    (shown,) = re.findall(r"```python\n(.*?)```", texts["add_an_op.md"], re.DOTALL)
    source = (_ROOT / "lazygrad" / "ir" / "primitives" / "elementwise.py").read_text(encoding="utf-8").splitlines()
    assert {line.strip() for line in shown.strip().splitlines()} <= set(source)


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    pages = [*_DOCS.rglob("*.md"), _ROOT / "README.md", _ROOT / "CONTRIBUTING.md"]
    for page in pages:
        for target, heading in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
            if ":" in target:
                continue
            file = (page.parent / target).resolve() if target else page
            assert file.exists(), f"{page.name} links to {target}"
            if heading:
                assert heading in _anchors(file), f"{page.name} links to {target}#{heading}"


def _anchors(file: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_table_of_contents() -> None:
    index = (_DOCS / "index.md").read_text(encoding="utf-8")
    pages = {str(path.relative_to(_DOCS).with_suffix("")) for path in _DOCS.rglob("*.md")} - {"index"}
    assert pages <= set(index.split()), pages - set(index.split())


def test_the_gallery_shows_every_report(tmp_path: Path) -> None:
    """Each with a picture and a link in words; the reports are those that the site has."""
    names = [path.name for path in _load(_DOCS / "gallery" / "reports.py").write(tmp_path / "gallery")]
    text = (_DOCS / "gallery.md").read_text(encoding="utf-8")
    assert re.findall(r'<a href="gallery/([^"]+)">', text) == names
    assert re.findall(r"^:target: gallery/(.+)$", text, re.MULTILINE) == names
    pictures = re.findall(r"^```{image} (.+)$", text, re.MULTILINE)
    assert pictures == [f"gallery/{Path(name).stem}.png" for name in names]
    assert all((_DOCS / picture).exists() for picture in pictures)
    for name, of_it in zip(names, ("Sequential.2", "batch_norm", "GPT.blocks.3", "GPT.blocks.1"), strict=True):
        page = (tmp_path / "gallery" / name).read_text(encoding="utf-8")
        assert of_it in page and len(page) < 1_000_000


def _load(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
