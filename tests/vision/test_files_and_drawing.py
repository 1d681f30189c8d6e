"""Images in files, and boxes and masks on images."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import lazygrad as lg
from lazygrad.vision import io, utils
from tests.oracle.comparing import assert_close
from tests.vision.test_transforms import pixels


def test_files(tmp_path: Path) -> None:
    image = lg.tensor(pixels().transpose(2, 0, 1))
    io.write_png(image, tmp_path / "a.png")
    assert io.read_image(str(tmp_path / "a.png")).equal(image)
    assert io.decode_png(io.encode_png(image[:1], 9)).equal(image[:1])
    io.write_jpeg(image, tmp_path / "a.jpg", quality=90)
    read = io.read_image(tmp_path / "a.jpg")
    assert read.shape == image.shape and (read.float() - image.float()).abs().mean().item() < 12
    with Image.open(tmp_path / "a.jpg") as expected:
        assert np.array_equal(read.permute(1, 2, 0).numpy(), np.asarray(expected))
    for mode, channels in (("GRAY", 1), (io.ImageReadMode.GRAY_ALPHA, 2), ("rgb", 3), (io.ImageReadMode.RGBA, 4)):
        assert io.read_image(tmp_path / "a.png", mode).shape[0] == channels
    Image.fromarray(pixels()).convert("P").save(tmp_path / "palette.png")
    assert io.read_image(tmp_path / "palette.png").shape[0] == 3
    for bad in (lambda: io.encode_png(image.float()), lambda: io.decode_image(lg.zeros(9, dtype=lg.uint8))):
        with pytest.raises(RuntimeError):
            bad()


def test_orientation(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held upright
    Image.fromarray(pixels()).save(tmp_path / "a.jpg", exif=exif)
    lying, upright = (io.read_image(tmp_path / "a.jpg", apply_exif_orientation=turn) for turn in (False, True))
    assert upright.equal(lying.rot90(-1, (1, 2)))


# With U for the module of utilities, D for the framework, i for an image, b for boxes, m for masks.
SAME = """
U.draw_bounding_boxes(i, b)
U.draw_bounding_boxes(i[:1], b, colors="red", width=2)
U.draw_bounding_boxes(i / 255, b, ["one", None], [(1, 2, 3), "#ff00ff"], fill=True)
U.draw_segmentation_masks(i, m)
U.draw_segmentation_masks(i, m[0], 0.3, "blue")
""".strip().splitlines()
REFUSED = """
U.draw_bounding_boxes(3, b)
U.draw_bounding_boxes(i.to(D.int64), b)
U.draw_bounding_boxes(i[None], b)
U.draw_bounding_boxes(i, b, ["one"])
U.draw_bounding_boxes(i, b.flip(1))
U.draw_bounding_boxes(i, b, colors=["red"])
U.draw_segmentation_masks(i, m.float())
U.draw_segmentation_masks(i[:1], m)
U.draw_segmentation_masks(i, m[:, 1:])
""".strip().splitlines()


def value(source: str, module: Any, framework: Any) -> Any:
    masks = np.random.default_rng(0).random((2, 33, 27)) > 0.5
    names = {"U": module, "D": framework, "i": framework.tensor(np.ascontiguousarray(pixels().transpose(2, 0, 1)))}
    names |= {"b": framework.tensor([[1.0, 2, 20, 30], [4, 4, 9, 12]]), "m": framework.tensor(masks)}
    return eval(source, names)


@pytest.mark.parametrize("source", SAME)
def test_drawings(source: str, torchvision: Any) -> None:
    import torch
    import torchvision.utils

    assert_close(value(source, utils, lg), value(source, torchvision.utils, torch))


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_refused(source: str, torchvision: Any) -> None:
    import torch
    import torchvision.utils

    errors = []
    for module, framework in ((utils, lg), (torchvision.utils, torch)):
        with pytest.raises(Exception) as caught:
            value(source, module, framework)
        errors.append(type(caught.value).__name__)
    assert errors[0] == errors[1]
