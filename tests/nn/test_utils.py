"""nn.utils: clipping gradients, parameters as one vector."""

from __future__ import annotations

import math
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_close

from .compare import values


def parameters_with_gradients(framework: Any, modules: Any) -> list[Any]:
    first = modules.Parameter(framework.tensor([[1.0, -2.0], [3.0, 0.5]]))
    second = modules.Parameter(framework.tensor([0.25, -4.0]))
    unused = modules.Parameter(framework.tensor([1.0]))
    ((first * first).sum() + (second**3).sum()).backward()
    return [first, second, unused]


@pytest.mark.parametrize("max_norm", [0.5, 1000.0])
@pytest.mark.parametrize("norm_type", [2.0, 1, 3.0, math.inf, -math.inf, 0.0])
def test_clip_grad_norm(norm_type: float, max_norm: float, torch: Any) -> None:
    results = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        parameters = parameters_with_gradients(framework, modules)
        norm = modules.utils.clip_grad_norm_(parameters, max_norm, norm_type)
        results.append([norm, parameters[0].grad, parameters[1].grad])
        assert parameters[2].grad is None
    assert_close(*results, slack=0.1)


def test_clip_grad_norm_of_one_tensor_and_of_none() -> None:
    parameter = parameters_with_gradients(lg, nn)[1]
    nn.utils.clip_grad_norm_(parameter, 1.0)
    assert math.isclose(float((parameter.grad * parameter.grad).sum()), 1.0, rel_tol=1e-4)
    assert nn.utils.clip_grad_norm_([], 1.0).item() == 0.0
    with pytest.warns(UserWarning, match="`parameters` is an empty generator"):
        nn.utils.clip_grad_norm_((p for p in ()), 1.0)


def test_clip_grad_norm_that_is_not_finite() -> None:
    parameter = nn.Parameter(lg.ones(2))
    (parameter * math.inf).sum().backward()
    with pytest.raises(RuntimeError, match=r"The total norm of order 2.0 .* is non-finite"):
        nn.utils.clip_grad_norm_(parameter, 1.0, error_if_nonfinite=True)


def test_clip_grad_value(torch: Any) -> None:
    results = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        parameters = parameters_with_gradients(framework, modules)
        modules.utils.clip_grad_value_(parameters, 2.0)
        results.append([parameters[0].grad, parameters[1].grad])
    assert_close(*results, slack=0)


def test_parameters_as_a_vector_and_back() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    vector = nn.utils.parameters_to_vector(model.parameters())
    assert vector.shape == (2 * 3 + 3 + 3 + 1,)
    assert vector.requires_grad
    weight = model[0].weight
    nn.utils.vector_to_parameters(lg.arange(13.0), model.parameters())
    assert model[0].weight is weight
    assert values(weight).tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert values(model[1].bias).tolist() == [12.0]
    with pytest.raises(TypeError, match=r"expected lazygrad.Tensor, but got: list"):
        nn.utils.vector_to_parameters([1.0], model.parameters())
