"""The null device: everything exists but the values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import lazygrad as lg
from lazygrad import nn
from lazygrad.nn import functional as F
from lazygrad.tensor import Tensor


def test_plans_kernels_and_source_exist() -> None:
    x = lg.zeros(64, 128, device="null")
    forms = lg.stages(lg.softmax(x * 2, 1))
    assert forms.plan_object.kernel_calls == 1
    assert "def mul_softmax(" in str(forms.sources["numpy"])
    assert "@null" in str(forms.recorded)


def test_realizing_computes_nothing_and_forgets_history() -> None:
    y = lg.exp(lg.zeros(3, device="null")).realize()
    assert y.node().value.array is None
    assert y.node().inputs == ()
    assert lg.last_step().plan_object.runs == 0


READERS: dict[str, Callable[[Tensor], object]] = {
    "numpy": lambda x: x.numpy(),
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x.sum().item(),
    "bool": lambda x: bool(x.sum() > 0),
    "float": lambda x: float(x.sum()),
}


@pytest.mark.parametrize("name", READERS)
def test_values_raise(name: str) -> None:
    with pytest.raises(RuntimeError, match="tensors on the null device have no values"):
        READERS[name](lg.zeros(3, device="null") + 1)


def test_printing_shows_what_is_known() -> None:
    assert repr(lg.zeros(2, 3, device="null")) == "tensor(..., device='null', size=(2, 3))"


def test_shapes_dtypes_and_errors_are_the_real_ones() -> None:
    x = lg.zeros(2, 3, device="null")
    assert (x @ x.T).shape == (2, 2)
    assert (x > 0).dtype is lg.bool
    with pytest.raises(RuntimeError, match="shapes"):
        x @ x


def test_devices_do_not_mix() -> None:
    with pytest.raises(RuntimeError, match="expected all tensors to be on the same device"):
        (lg.zeros(3, device="null") + lg.ones(3)).realize()


def test_a_training_step_plans() -> None:
    model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)).to("null")
    optimizer = lg.optim.SGD(model.parameters(), lr=0.1)
    loss = F.mse_loss(model(lg.zeros(5, 8, device="null")), lg.zeros(5, 2, device="null"))
    loss.backward()
    optimizer.step()
    plan = lg.last_step().plan_object
    assert plan.kernel_calls > 0 and plan.library_calls == 5
    assert plan.runs == 0
