"""Every layer and loss of the tables: what it is made of, what it computes, and its state, equal to PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike

from .cases_layers import LAYERS
from .cases_losses import CTC, LOSSES
from .layers import Layer, computed, facts

CASES = [pytest.param(case, id=case.source) for case in (*LAYERS, *LOSSES, *CTC)]

# Both frameworks warn about the same old words; whether they do is asked elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("case", CASES)
def test_made_alike(case: Layer, torch: Any) -> None:
    assert_alike(lambda t: facts(case, t), torch, lg, slack=0)


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("case", CASES)
def test_computes_alike(case: Layer, training: bool, torch: Any) -> None:
    assert_alike(lambda t: computed(case, t, training), torch, lg, slack=4)


@pytest.mark.parametrize("case", CASES)
def test_state_goes_both_ways(case: Layer, torch: Any) -> None:
    ours, theirs = case.made(lg), case.made(torch)
    changed = {name: value + 1 for name, value in ours.state_dict().items()}
    theirs.load_state_dict({name: torch.from_numpy(value.numpy()) for name, value in changed.items()})
    ours.load_state_dict({name: lg.from_numpy(value.numpy()) for name, value in theirs.state_dict().items()})
    assert_alike(lambda t: dict((ours if t is lg else theirs).state_dict()), torch, lg, slack=0)
