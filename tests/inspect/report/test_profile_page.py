"""The page of a profile: what it holds, and what a browser without a network makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.codegen.hostile_names import PIECES, Named, program

from .browser import opened, started
from .test_page import Elements, embedded

VIEWS = ("flame", "activities", "kernels", "lines", "text")


@pytest.fixture(scope="module")
def found() -> lg.profile:
    """Three steps of a model; all that it runs has a plan."""
    before = lg.get_interpreted_runs()
    lg.set_interpreted_runs(0)
    with lg.backend("numpy"):
        model = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 8))
        optimizer = lg.optim.SGD(model.parameters(), lr=0.1)
        waiting = lg.zeros(())
        waiting.zero_()  # computed with the rest, and without a line: its node is that of the number
        with lg.profile() as result:
            for _ in range(3):
                loss = model(lg.ones(16, 32)).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                loss.item()
    lg.set_interpreted_runs(before)
    assert waiting.item() == 0.0
    assert any(not work.place for work in result.works)
    return result


@pytest.fixture(scope="module")
def page_file(found: lg.profile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return found.save(tmp_path_factory.mktemp("profile") / "deep" / "profile.html")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as found:
        yield found


def test_one_file_with_all_in_it(found: lg.profile, page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    data = embedded(text)
    assert data["flame"] == found.to_flame()
    assert not re.findall(r"(?:src|href)\s*=|@import|url\(", text)
    assert {row["activity"]: row["ms"] for row in data["tables"]["activities"]} == found.activities()
    assert len(data["tables"]["kernels"]) == len(found.works) and len(data["tables"]["lines"]) == len(found.lines())
    assert data["text"] == str(found) and "<noscript><pre>activity" in text


@pytest.mark.parametrize(
    "name", ["\ud800", "\0", *PIECES[::12], "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"]
)
def test_names_are_data(name: str, page_file: Path, tmp_path: Path) -> None:
    with lg.profile() as found, lg.profiler.record_function(name):
        program(Named.all(name)).realize()
    path = found.save(tmp_path / "hostile.html")
    assert any(frame["name"] == name for part in found.to_flame()["children"] for frame in part["children"])
    ordinary = Elements(page_file.read_text(encoding="utf-8")).names
    assert Elements(path.read_text(encoding="utf-8")).names == ordinary


@pytest.mark.parametrize("dark", [False, True])
def test_every_view_shows_something(browser: Any, dark: bool, page_file: Path) -> None:
    with opened(browser, page_file, dark) as page:
        backs = set()
        for view in VIEWS:
            page.get_by_role("button", name=view, exact=True).click()
            assert len(page.locator("#view").inner_text()) > 50, view
        page.get_by_role("button", name="flame", exact=True).click()
        for theme in ("light", "dark") if dark else ("dark", "light"):
            page.locator("#theme").click()
            assert page.evaluate("document.documentElement.dataset.theme") == theme
            backs.add(page.locator(".frame").first.evaluate("frame => getComputedStyle(frame).backgroundColor"))
        assert len(backs) == 2, "frames have the colours of the theme"


def test_frames_lie_in_what_they_are_part_of(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        boxes = [frame.bounding_box() for frame in page.locator(".frame").all()]
    whole = boxes[0]
    assert len(boxes) > 10
    for depth in range(5):
        row = sorted((box["x"], box["width"]) for box in boxes if round((box["y"] - whole["y"]) / 46) == depth)
        for (left, width), (right, _) in pairwise(row):
            assert left + width <= right + 0.1
        assert row and row[-1][0] + row[-1][1] <= whole["x"] + whole["width"] + 0.1


def test_a_click_shows_a_line_with_its_kernels_and_a_way_back(browser: Any, found: lg.profile, page_file: Path) -> None:
    (kernels,) = [child for child in found.to_flame()["children"] if child["name"] == "kernels"]
    line = kernels["children"][0]
    with opened(browser, page_file) as page:
        page.evaluate("report.pick('kernels')")  # wide enough to be hit
        page.locator(".frame", has_text=line["name"]).first.click()
        panel = page.locator("#details").inner_text()
        assert line["name"] in panel and line["detail"] in panel
        assert all(child["name"] in panel for child in line["children"])
        assert page.locator(".frame.picked").first.bounding_box()["width"] > 900
        page.locator(".frame").first.click()
        assert page.locator("#details h2").inner_text() == "all"
        assert page.locator(".frame", has_text="realizing").count() == 1


@pytest.mark.parametrize("view", ["activities", "kernels", "lines"])
def test_a_row_leads_to_its_frame(browser: Any, view: str, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        page.get_by_role("button", name=view, exact=True).click()
        row = page.locator("tr.link").first
        name = row.locator("td").first.inner_text()
        row.click()
        assert page.locator("#details h2").inner_text() == name
        assert page.locator("tr.picked td").first.inner_text() == name
        assert view == "activities" or page.locator("tr.link").count() == page.locator("tbody tr").count()


def test_search_says_how_much_was_found(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        page.locator("#search").fill("no_such_kernel")
        assert "0 found" in page.locator("#view .found").inner_text()
        page.locator("#search").fill("all")
        assert "100.0 %" in page.locator("#view .found").inner_text(), "what is in something found counts once"
        page.locator("#search").fill("matmul")
        assert page.locator(".frame:not(.dimmed)").count() < page.locator(".frame.dimmed").count()
