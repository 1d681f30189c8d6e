"""The program of docs/inspecting.md, and its pictures.

python docs/inspecting/codebook.py            # both reports as text
python docs/inspecting/codebook.py --pictures # and the pictures of the page; needs playwright and Chromium
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import lazygrad as lg
from lazygrad import nn
from lazygrad.inspect import Report

FOLDER = Path(__file__).parent
# Which view of which report, and the line of this file that is picked in it.
PICTURES = {
    "lines": ("slow", "lines", "x[:, None]"),
    "memory": ("slow", "memory", "x[:, None]"),
    "kernels": ("slow", "fused", "x[:, None]"),
    "memory_after": ("fast", "memory", "@ self.codes.T"),
}


class Codebook(nn.Module):
    """Each point as a mixture of the codes that are near it."""

    def __init__(self, codes: int, width: int) -> None:
        super().__init__()
        self.codes = nn.Parameter(lg.randn(codes, width))

    def distances(self, x: lg.Tensor) -> lg.Tensor:
        return (x[:, None] - self.codes).square().sum(2)

    def forward(self, x: lg.Tensor) -> lg.Tensor:
        return lg.softmax(-self.distances(x), dim=1) @ self.codes


class FastCodebook(Codebook):
    """|x - c|² = |x|² - 2 x·c + |c|², of which the middle is a product of matrices."""

    def distances(self, x: lg.Tensor) -> lg.Tensor:
        squares = x.square().sum(1, keepdim=True) + self.codes.square().sum(1)
        return squares - 2 * (x @ self.codes.T)


def report(kind: type[Codebook]) -> Report:
    """What a training step of an autoencoder with such a codebook becomes, with times."""
    lg.manual_seed(0)
    encoder, codebook, decoder = nn.Linear(64, 32), kind(256, 32), nn.Linear(32, 64)
    x = lg.randn(512, 64)
    loss = (decoder(codebook(encoder(x))) - x).square().mean()
    loss.backward()
    return lg.explain(loss, measure=True)


def draw(reports: dict[str, Report]) -> None:
    """Write the pictures beside this file."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1240, "height": 620}, offline=True).new_page()
        for name, (kind, view, line) in PICTURES.items():
            page.goto(reports[kind].save(Path(folder) / f"{kind}.html").as_uri())
            places = reports[kind].programs[0].places
            number = next(i for i, place in enumerate(places) if line in place.text)
            page.evaluate(f"report.show('{view}'); report.pick('place', {number})")
            page.wait_for_timeout(200)
            page.screenshot(path=FOLDER / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    both = {"slow": report(Codebook), "fast": report(FastCodebook)}
    for each in both.values():
        print(each, end="\n\n")
    if "--pictures" in sys.argv:
        draw(both)
