"""The report as a page: what it holds, and what a browser without a network makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.inspect import Report
from tests.codegen.hostile_names import PIECES, Named, program
from tests.examples.running import load

from .browser import opened, started
from .programs import MODELS

VIEWS = ("modules", "recorded", "primitive", "fused", "plan", "lines", "memory", "roofline", "passes", "fusion", "text",
         "source numpy", "source c")  # fmt: skip


@pytest.fixture(scope="module")
def report() -> Report:
    return lg.explain(MODELS["classifier"]())


@pytest.fixture(scope="module")
def page_file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report.save(tmp_path_factory.mktemp("report") / "deep" / "report.html")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as found:
        yield found


# How many pixels of the canvas are drawn on.
_INKED = """() => {
  const canvas = document.querySelector("canvas");
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  return pixels.filter((value, i) => i % 4 === 3 && value > 0).length;
}"""


def gpt_step(layers: int, **options: int) -> Any:
    """The loss of a small GPT, with its model: the gradients are pending."""
    example = load("char_gpt")
    model = example.GPT(80, layers=layers, **options)
    inputs = lg.arange(4 * example.CONTEXT).reshape(4, -1) % 80
    loss = example.F.cross_entropy(model(inputs).flatten(0, 1), inputs.flatten())
    loss.backward()
    return model, loss


def embedded(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_one_file_with_all_in_it(report: Report, page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    (program,) = embedded(text)
    assert len(program["recorded"]) == len(report.programs[0].recorded)
    assert not re.findall(r"(?:src|href)\s*=|@import|url\(", text)
    assert [level["name"] for level in program["levels"]] == list(VIEWS[:5])


def test_a_training_step_of_the_gpt_takes_less_than_a_megabyte(tmp_path: Path) -> None:
    model, loss = gpt_step(layers=2)
    assert lg.explain(loss).save(tmp_path / "gpt.html").stat().st_size < 1_000_000
    assert model is not None


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.append(tag)


@pytest.mark.parametrize(
    "name", ["\ud800", "\0", *PIECES[::6], "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>"]
)
def test_names_are_data(name: str, report: Report, tmp_path: Path) -> None:
    path = lg.explain(program(Named.all(name))).save(tmp_path / "hostile.html")
    ordinary = Elements(Report(report.programs).save(tmp_path / "plain.html").read_text(encoding="utf-8"))
    assert Elements(path.read_text(encoding="utf-8")).names == ordinary.names


def test_a_notebook_gets_a_frame(report: Report) -> None:
    shown = Elements(report._repr_html_())
    assert shown.names == ["iframe"]


@pytest.mark.parametrize("dark", [False, True])
def test_every_view_shows_something(browser: Any, dark: bool, page_file: Path) -> None:
    with opened(browser, page_file, dark) as page:
        assert page.evaluate("document.documentElement.dataset.theme") == ("dark" if dark else "light")
        for view in VIEWS:
            page.get_by_role("button", name=view, exact=True).click()
            drawn = page.evaluate("""() => {
                const canvas = document.querySelector("#view canvas");
                return canvas ? canvas.toDataURL().length : document.getElementById("view").innerText.length;
            }""")
            assert drawn > (8_000 if view in VIEWS[:5] else 50), view
        page.locator("#theme").click()
        assert page.evaluate("document.documentElement.dataset.theme") == ("light" if dark else "dark")


def test_a_click_on_a_node_shows_its_kernel(browser: Any, report: Report, page_file: Path) -> None:
    (program,) = report.programs
    node = next(i for i, value in enumerate(program.primitive) if value.op == "tanh")
    step = program.primitive[node].step
    assert step is not None
    with opened(browser, page_file) as page:
        page.get_by_role("button", name="primitive", exact=True).click()
        page.mouse.click(*page.evaluate(f"report.centre('primitive', {node})"))
        panel = page.locator("#details").inner_text()
        assert program.steps[step].name in panel and "kernel " in panel and "np.tanh(" in panel
        place = program.primitive[node].place
        assert place is not None and program.places[place].text in panel
        page.locator("#details").get_by_text(f"{program.place_words(place)}").first.click()
        assert "Kernels and calls" in page.locator("#details").inner_text()


def test_what_comes_after_the_passes_has_neither_nodes_nor_rules(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        page.get_by_role("button", name="passes", exact=True).click()
        rows = dict(
            page.evaluate("""[...document.querySelectorAll("#view tbody tr")].map((row) => {
            const cells = [...row.cells].map((cell) => cell.innerText);
            return [cells[0], [cells[1], cells[3]]];
        })""")
        )
        assert rows["render numpy"] == ["", ""]
        assert rows["reuse_realized"][1] == "none" and int(rows["reuse_realized"][0]) > 0


def test_search_goes_to_what_it_finds(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file) as page:
        page.get_by_role("button", name="recorded", exact=True).click()
        page.locator("#search").fill("layer_norm")
        assert "1 found" in page.locator("#view").inner_text()
        page.keyboard.press("Enter")
        assert page.locator("#details h2").inner_text() == "layer_norm"


def test_thousands_of_nodes_are_drawn_and_found(browser: Any, tmp_path: Path) -> None:
    x = lg.ones(4, 4).realize()
    for i in range(1000):
        x = (x * 1.5 + i).tanh()
    report = lg.explain(x)
    assert len(report.programs[0].recorded) > 5000
    path = report.save(tmp_path / "long.html")
    with opened(browser, path) as page:
        page.get_by_role("button", name="recorded", exact=True).click()
        assert page.evaluate("report.state.camera.recorded.scale") > 0
        page.mouse.move(500, 400)
        page.mouse.wheel(0, 2000)  # from afar, where boxes have no words
        page.mouse.down()
        page.mouse.move(520, 440, steps=5)
        page.mouse.up()
        page.wait_for_function("report.state.camera.recorded.scale < 0.33")
        page.wait_for_timeout(200)  # it is drawn with care when it stands still
        assert page.evaluate(_INKED) > 100
        page.locator("#search").fill("tanh")
        page.keyboard.press("Enter")
        assert page.locator("#details h2").inner_text() == "tanh"
