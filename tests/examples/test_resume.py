"""A training that is killed and goes on from its checkpoint has the weights of one that is not, to the last bit.

On whichever backend the tests run; every plan is made at once, so that no step is computed by another tier.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

from .running import FOLDER, load

pytest.importorskip("sklearn", reason="scikit-learn has the digits that it trains on, and is not installed")


def start(checkpoint: Path) -> subprocess.Popen[str]:
    # No step is interpreted, and none waits on numpy for its C code: their sums may round otherwise.
    settings = {"LAZYGRAD_INTERPRETED_RUNS": "0", "LAZYGRAD_WAIT_FOR_COMPILER": "1"}
    environment = os.environ | settings | {"PYTHONPATH": str(FOLDER.parent)}
    command = [sys.executable, str(FOLDER / "resume.py"), "--short", "--checkpoint", str(checkpoint)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_killed_and_started_again(tmp_path: Path) -> None:
    straight = start(tmp_path / "straight.pt")
    killed = start(tmp_path / "killed.pt")
    for line in killed.stdout or ():
        if line.startswith(
            "epoch   3"
        ):  # the file is that of the second epoch, or of the third, or half of it is written
            killed.kill()
            break
    assert killed.wait() == -9
    expected = straight.communicate(timeout=120)[0].splitlines()
    went_on = start(tmp_path / "killed.pt").communicate(timeout=120)[0].splitlines()
    assert straight.returncode == 0
    assert "was written after epoch" in went_on[0] and went_on[0][-1] in "23"
    assert went_on[-2:] == expected[-2:] and expected[-2].startswith("weights ")
    killed_state, straight_state = lg.load(tmp_path / "killed.pt"), lg.load(tmp_path / "straight.pt")
    # In the first step of a process the loss has a plan of its own, later it shares one with the gradients: two
    # kernels, whose sums may be made in another order. Nothing depends on the number that is shown.
    np.testing.assert_allclose(killed_state.pop("losses"), straight_state.pop("losses"), rtol=1e-6)
    assert_same(killed_state, straight_state)


def assert_same(have: Any, want: Any) -> None:
    """Tensors in both are equal bit for bit, and so is everything else."""
    assert type(have) is type(want)
    if isinstance(want, lg.Tensor):
        assert have.dtype is want.dtype
        np.testing.assert_array_equal(have.numpy(), want.numpy())
    elif isinstance(want, dict):
        assert list(have) == list(want)
        for key in want:
            assert_same(have[key], want[key])
    elif isinstance(want, list | tuple):
        assert len(have) == len(want)
        for one, other in zip(have, want, strict=True):
            assert_same(one, other)
    else:
        assert have == want


class Checkpoints:
    """One epoch of a small training, and what a second one makes of its checkpoint."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.example = folder, load("resume")
        self.trained(None).save(folder / "first.pt")

    def trained(self, checkpoint: dict[str, Any] | None) -> Any:
        lg.manual_seed(0)
        images = lg.rand(300, 64)
        training = self.example.Training(images, (images.argmax(1) % 10), epochs=8)
        training.scaler.set_growth_interval(5)
        if checkpoint is not None:
            lg.save(checkpoint, self.folder / "changed.pt")
            training.load(self.folder / "changed.pt")
        training.run_epoch()
        return training

    def after(self, checkpoint: dict[str, Any]) -> dict[str, Any]:
        self.trained(checkpoint).save(self.folder / "second.pt")
        found: dict[str, Any] = lg.load(self.folder / "second.pt")
        return found

    def first(self) -> dict[str, Any]:
        found: dict[str, Any] = lg.load(self.folder / "first.pt")
        return found


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Checkpoints:
    return Checkpoints(tmp_path_factory.mktemp("checkpoints"))


def test_whole_checkpoint(checkpoints: Checkpoints) -> None:
    """Without a file between, with one, and with one written from what was read from one."""
    lg.manual_seed(0)
    straight = checkpoints.trained(None)
    straight.run_epoch()
    straight.save(checkpoints.folder / "straight.pt")
    assert_same(checkpoints.after(checkpoints.first()), lg.load(checkpoints.folder / "straight.pt"))


@pytest.mark.parametrize("part", ["model", "optimizer", "schedule", "scaler", "order", "default"])
def test_every_part_of_it_counts(part: str, checkpoints: Checkpoints) -> None:
    """With the part as it is at the beginning, the second epoch is another."""
    checkpoint = checkpoints.first()
    lg.manual_seed(0)
    lg.rand(300, 64)
    fresh = checkpoints.example.Training(lg.rand(300, 64), lg.zeros(300, dtype=lg.int64), epochs=8)
    fresh.scaler.set_growth_interval(5)
    fresh.save(checkpoints.folder / "fresh.pt")
    right = checkpoints.after(checkpoint)
    wrong = checkpoints.after(checkpoint | {part: lg.load(checkpoints.folder / "fresh.pt")[part]})
    with pytest.raises(AssertionError):
        assert_same(wrong, right)
