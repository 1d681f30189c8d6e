"""The oracle, and the handwritten digits both frameworks learn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .framework import Framework


@pytest.fixture(scope="session")
def torch() -> Framework:
    """PyTorch, on one thread because the tensors are small."""
    module = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")
    pytest.importorskip("torch.utils.data")
    module.set_num_threads(1)
    return Framework(module, module.nn, module.optim, module.utils.data)


@pytest.fixture(scope="session")
def digits() -> tuple[np.ndarray, np.ndarray]:
    """1,797 images of shape [64] with values in [0, 1] as float32, and their labels as int64."""
    datasets: Any = pytest.importorskip("sklearn.datasets", reason="scikit-learn has the digits, and is not installed")
    images, labels = datasets.load_digits(return_X_y=True)
    return (images / 16).astype(np.float32), labels.astype(np.int64)
