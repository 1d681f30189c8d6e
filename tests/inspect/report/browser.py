"""A headless Chromium without a network, for tests of the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

# Chromium's own services would look for a network at each start.
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
              "--disable-sync", "--no-first-run"]  # fmt: skip


@contextmanager
def started() -> Iterator[Any]:
    """The browser; the test is skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed, which drives the browser")
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=_ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, path: Path, dark: bool = False) -> Iterator[Any]:
    """The page at ``path``, with the network off. Nothing may be written to its console, and nothing may fail."""
    said: list[str] = []
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": 1400, "height": 860}, offline=True, color_scheme=scheme)
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(path.as_uri())
    yield page
    context.close()
    assert not said, "\n".join(said)
