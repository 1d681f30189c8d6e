"""The reports of docs/gallery.md: what training steps of three models became, and where the time of one went.

python docs/gallery/reports.py FOLDER             # what `make docs` does
python docs/gallery/reports.py FOLDER --pictures  # and the pictures of the page; needs playwright and Chromium
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import lazygrad as lg
from lazygrad import nn
from lazygrad.nn import functional as F

HERE = Path(__file__).parent
# What is done in each page before its picture is taken.
PICTURES = {
    "mlp": "report.show('fused'); report.pick('step', 1)",
    "cnn": "report.show('memory'); report.pick('step', 1)",
    "gpt": "report.show('modules')",
    "gpt_profile": "report.show('flame')",
}


def mlp() -> tuple[nn.Module, lg.Tensor]:
    """Two linear layers, for images of 8 × 8 pixels."""
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    images, labels = lg.rand(32, 64), lg.randint(10, (32,)).realize()
    return model, F.cross_entropy(model(images), labels)


def cnn() -> tuple[nn.Module, lg.Tensor]:
    """Two convolutions with batch normalization, for the same images."""
    model = nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, kernel_size=3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )
    images, labels = lg.rand(32, 1, 8, 8), lg.randint(10, (32,)).realize()
    return model, F.cross_entropy(model(images), labels)


def gpt() -> tuple[nn.Module, lg.Tensor]:
    """That of examples/char_gpt.py, with four layers."""
    char_gpt = char_gpt_example()
    model = char_gpt.GPT(96, layers=4)
    inputs, targets = char_gpt.random_batch(lg.arange(1000) % 96)
    return model, F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


def char_gpt_example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("char_gpt", HERE.parents[1] / "examples" / "char_gpt.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def save_report(make: Callable[[], tuple[nn.Module, lg.Tensor]], path: Path) -> None:
    lg.manual_seed(0)
    model, loss = make()  # gradients are computed for a model that is there
    loss.backward()
    lg.explain(loss).save(path)
    model.zero_grad()


def save_profile(path: Path) -> None:
    """Ten steps of a small GPT, after some in which plans and clocks are made."""
    lg.manual_seed(0)
    char_gpt = char_gpt_example()
    model, text = char_gpt.GPT(96, width=64), lg.arange(1000) % 96
    optimizer = lg.optim.AdamW(model.parameters())
    with planned_at_once(), lg.profile() as found:
        for step in range(14):
            if step == 4:
                found.clear()
            inputs, targets = char_gpt.random_batch(text)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
            loss.backward()
            optimizer.step()
            loss.item()
    found.save(path)


@contextmanager
def planned_at_once() -> Iterator[None]:
    """On numpy, which is everywhere and compiles nothing."""
    before = lg.get_interpreted_runs()
    lg.set_interpreted_runs(0)
    try:
        with lg.backend("numpy"):
            yield
    finally:
        lg.set_interpreted_runs(before)


def write(folder: Path) -> list[Path]:
    """All pages, as files in ``folder``."""
    for make in (mlp, cnn, gpt):
        save_report(make, folder / f"{make.__name__}.html")
    save_profile(folder / "gpt_profile.html")
    return [folder / f"{name}.html" for name in PICTURES]


def draw(folder: Path) -> None:
    """Write the pictures of the pages in ``folder`` beside this file."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1240, "height": 620}, offline=True).new_page()
        for name, script in PICTURES.items():
            page.goto((folder / f"{name}.html").resolve().as_uri())
            page.evaluate(script)
            page.wait_for_timeout(200)
            page.screenshot(path=HERE / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    write(Path(sys.argv[1]))
    if "--pictures" in sys.argv:
        draw(Path(sys.argv[1]))
