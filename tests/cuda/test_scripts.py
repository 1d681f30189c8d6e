"""Scripts as people write them for a GPU find on CUDA devices what PyTorch finds on the CPU.

The devices are emulated, with the memory that a GPU has: their allocator is the one that a GPU has, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cuda_emulator.build import missing
from tests.cuda_emulator.device import emulated_devices
from tests.programs.loading import load_file

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_finds_what_torch_finds(path: Path, torch: Any) -> None:
    with emulated_devices():
        found = [*load_file(path, "lazygrad").main("cuda")]
    np.testing.assert_allclose(found, [*load_file(path, "torch").main("cpu")], rtol=1e-5)
