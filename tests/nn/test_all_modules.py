"""Every layer and loss of the tables: what it is made of, what it computes, and its state, equal to PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike

from .cases_basic_layers import BASIC
from .cases_layers import LAYERS
from .cases_losses import CTC, LOSSES
from .layers import Layer, computed, facts

CASES = [pytest.param(case, id=case.source) for case in (*BASIC, *LAYERS, *LOSSES, *CTC)]
CALLED = [each for each in CASES if each.values[0].inputs]

# Both frameworks warn about the same old words; whether they do is asked elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("case", CASES)
def test_made_alike(case: Layer, torch: Any) -> None:
    assert_alike(lambda t: facts(case, t), torch, lg, slack=0)


@pytest.mark.usefixtures("numbers_of_the_cpu")
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("case", CALLED)
def test_computes_alike(case: Layer, training: bool, torch: Any) -> None:
    assert_alike(lambda t: computed(case, t, training), torch, lg, slack=4)


@pytest.mark.parametrize("case", CASES)
def test_state_goes_both_ways(case: Layer, torch: Any) -> None:
    ours, theirs = case.made(lg), case.made(torch)
    changed = {name: value + 1 for name, value in ours.state_dict().items()}
    theirs.load_state_dict({name: torch.from_numpy(value.numpy()) for name, value in changed.items()})
    ours.load_state_dict({name: lg.from_numpy(value.numpy()) for name, value in theirs.state_dict().items()})
    assert_alike(lambda t: dict((ours if t is lg else theirs).state_dict()), torch, lg, slack=0)


ON_EACH_BACKEND = {
    *[case.source for case in BASIC if case.inputs],
    "nn.Conv2d(4, 6, 3, padding=(2, 1), padding_mode='replicate', stride=2)",
    "nn.Conv3d(4, 6, (1, 2, 3), stride=(2, 1, 1), padding=(0, 1, 2), groups=2, bias=False)",
    "nn.ConvTranspose2d(4, 6, (3, 2), stride=(2, 1), padding=1, output_padding=(1, 0), groups=2)",
    "nn.ReflectionPad2d((1, 1, 2, 0))",
    "nn.Upsample(scale_factor=2)",
    "nn.Upsample(scale_factor=1.7, mode='bilinear', align_corners=True)",
    "nn.Upsample(scale_factor=2, mode='trilinear')",
    "nn.Fold((4, 5), 2)",
    "nn.InstanceNorm2d(4, eps=1e-3, affine=True, track_running_stats=True)",
    "nn.MaxPool3d((1, 2, 3), stride=2, padding=(0, 1, 1), ceil_mode=True, return_indices=True)",
    "nn.MaxUnpool2d(2, stride=2)",
    "nn.AdaptiveMaxPool2d((None, 2), return_indices=True)",
    "nn.FractionalMaxPool2d((3, 2), output_ratio=(0.5, 0.8), return_indices=True)",
    "nn.LocalResponseNorm(3, alpha=0.5, beta=0.6, k=2.0)",
    "nn.CTCLoss()",
}
_FEW = [each for each in CALLED if each.id in ON_EACH_BACKEND]


@pytest.mark.parametrize("case", _FEW)
def test_a_few_on_each_backend(case: Layer, torch: Any) -> None:
    assert_alike(lambda t: computed(case, t, True), torch, lg, slack=4)


def test_the_few_are_there() -> None:
    assert {each.id for each in _FEW} == ON_EACH_BACKEND
