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

_ROOT = Path(__file__).parent.parent
_DOCS = _ROOT / "docs"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
PAGES = ("exporting.md", *sorted(f"tutorials/{path.name}" for path in (_DOCS / "tutorials").glob("*.md")))
_MARK = "-- the next block --"


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
