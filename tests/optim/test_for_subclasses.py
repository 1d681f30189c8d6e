"""What optimizers of others import from ``torch.optim.optimizer``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.optim import optimizer as names
from lazygrad.utils._foreach_utils import _group_tensors_by_device_and_dtype


class Descent(lg.optim.Optimizer):
    """An optimizer as people write it for PyTorch."""

    def __init__(self, params: Any, lr: Any = names.required) -> None:
        super().__init__(params, {"lr": lr, "differentiable": False})

    @names._use_grad_for_differentiable
    def step(self, closure: Any = None) -> None:
        assert not lg.is_grad_enabled()
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.add_(parameter.grad, alpha=-names._get_value(group["lr"]))


def parameter() -> lg.Tensor:
    weight = lg.tensor([1.0, 2.0], requires_grad=True)
    weight.grad = lg.tensor([1.0, 1.0])
    return weight


def test_an_option_that_is_required_must_be_given() -> None:
    with pytest.raises(ValueError, match="didn't specify a value of required optimization parameter"):
        Descent([parameter()])
    assert Descent([{"params": [parameter()], "lr": 0.1}]).param_groups[0]["lr"] == 0.1
    assert repr(names.required) == "<required parameter>"


def test_a_subclass_steps() -> None:
    weight = parameter()
    Descent([weight], lr=0.5).step()
    assert weight.tolist() == [0.5, 1.5]


def test_hooks_of_all_optimizers_come_around_their_own() -> None:
    calls: list[str] = []
    optimizers = [Descent([parameter()], lr=0.5), lg.optim.SGD([parameter()], lr=0.1)]
    before = names.register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: calls.append("all before"))
    after = names.register_optimizer_step_post_hook(lambda optimizer, args, kwargs: calls.append("all after"))
    for each in optimizers:
        each.register_step_pre_hook(lambda optimizer, args, kwargs: calls.append("own before"))
        each.register_step_post_hook(lambda optimizer, args, kwargs: calls.append("own after"))
        each.step()
    assert calls == ["all before", "own before", "own after", "all after"] * 2
    before.remove()
    after.remove()
    calls.clear()
    optimizers[0].step()
    assert calls == ["own before", "own after"]


def test_tensors_are_grouped_by_dtype(torch: Any) -> None:
    found = []
    for framework, group in ((lg, _group_tensors_by_device_and_dtype), (torch, None)):
        if group is None:
            from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype as group
        first = [framework.ones(1), framework.ones(2, dtype=framework.float64), framework.ones(3)]
        groups = group([first, [each * 2 for each in first], []], with_indices=True)
        found.append([
            (str(dtype).split(".")[-1], [[[*each.shape] for each in part] for part in lists], [*map(int, indices)])
            for (_, dtype), (lists, indices) in groups.items()
        ])  # fmt: skip
    assert sorted(found[0]) == sorted(found[1])


def test_complex_parameters_become_pairs_of_numbers() -> None:
    parameters, gradients = [lg.ones(2), lg.ones(2, dtype=lg.complex64)], [lg.ones(2), lg.ones(2, dtype=lg.complex64)]
    names._view_as_real(parameters, gradients)
    assert [tuple(each.shape) for each in (*parameters, *gradients)] == [(2,), (2, 2), (2,), (2, 2)]
    np.testing.assert_array_equal(gradients[1].numpy(), [[1, 0], [1, 0]])
