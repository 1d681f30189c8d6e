"""torchvision as the oracle."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest


@pytest.fixture(scope="session")
def torchvision() -> Any:
    """torchvision, of which only what needs no compiled operations is asked."""
    torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    if find_spec("torchvision") is None:
        pytest.skip("torchvision, the oracle of these tests, is not installed")
    # Its operations for detection may be built for another torch; it is imported all the same if they have names.
    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, name):
            library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision as found
    import torchvision.transforms

    found._library_of_names = library
    return found
