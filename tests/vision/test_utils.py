"""Grids of images, beside torchvision's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import lazygrad as lg
from lazygrad.vision import utils
from tests.oracle.comparing import assert_close

IMAGES = np.random.default_rng(0).normal(size=(7, 3, 4, 5)).astype(np.float32)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"nrow": 3, "padding": 0},
        {"nrow": 2, "pad_value": 0.5, "normalize": True},
        {"normalize": True, "scale_each": True},
        {"normalize": True, "value_range": (-1, 2)},
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", ["batch", "gray", "list", "one", "plane"])
def test_grids(options: dict[str, Any], shape: str, torchvision: Any) -> None:
    import torch
    from torchvision.utils import make_grid

    def made(framework: Any, function: Any) -> Any:
        images = framework.tensor(IMAGES)
        given = {
            "batch": images, "gray": images[:, :1], "list": [*images], "one": images[0, :1], "plane": images[0, 0]
        }[shape]  # fmt: skip
        return function(given, **options)

    assert_close(made(lg, utils.make_grid), made(torch, make_grid), slack=0.1)


def test_files_hold_the_grid(tmp_path: Path) -> None:
    images = lg.tensor(np.abs(IMAGES)).clamp(0, 1)
    utils.save_image(images, tmp_path / "grid.png", nrow=4, padding=1)
    read = np.asarray(Image.open(tmp_path / "grid.png"))
    grid = utils.make_grid(images, 4, 1).numpy()
    assert read.shape == (11, 25, 3) == (*grid.shape[1:], 3)
    assert np.abs(read - grid.transpose(1, 2, 0) * 255).max() <= 0.51
    with pytest.raises(TypeError, match="tensor or list of tensors expected"):
        utils.make_grid(IMAGES)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="value_range has to be a tuple"):
        utils.make_grid(images, normalize=True, value_range=3)  # type: ignore[arg-type]
