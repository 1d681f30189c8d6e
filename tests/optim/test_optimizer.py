"""Groups, state and representation of optimizers, compared with PyTorch's."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn, optim


def trained(framework: Any, modules: Any, optimizers: Any, source: str = "Adam(m.parameters(), lr=0.1)") -> Any:
    """A model and an optimizer after one step."""
    framework.manual_seed(0)
    model = modules.Linear(2, 1)
    optimizer = eval(f"o.{source}", {"o": optimizers, "m": model})
    model(framework.ones(3, 2)).sum().backward()
    optimizer.step()
    return model, optimizer


SOURCES = [
    "SGD(m.parameters(), lr=0.1, momentum=0.9)",
    "Adam([{'params': [m.weight], 'lr': 0.5}, {'params': m.bias, 'weight_decay': 1}], amsgrad=True)",
    "AdamW(m.named_parameters())",
]


@pytest.mark.parametrize("source", SOURCES)
def test_representation_and_saved_groups(source: str, torch: Any) -> None:
    _, have = trained(lg, nn, optim, source)
    _, want = trained(torch, torch.nn, torch.optim, source)
    assert repr(have) == repr(want)
    assert have.defaults == want.defaults
    assert have.state_dict()["param_groups"] == want.state_dict()["param_groups"]
    states = [{k: sorted(v) for k, v in each.state_dict()["state"].items()} for each in (have, want)]
    assert states[0] == states[1]


@pytest.mark.parametrize("source", SOURCES)
def test_training_goes_on_after_loading(source: str) -> None:
    model, optimizer = trained(lg, nn, optim, source)
    other_model, other = copy.deepcopy(model), None
    other = eval(f"o.{source}", {"o": optim, "m": other_model})
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for each, each_optimizer in ((model, optimizer), (other_model, other)):
        each_optimizer.zero_grad()
        (each(lg.ones(3, 2)) ** 2).sum().backward()
        each_optimizer.step()
    assert other_model.weight.tolist() == model.weight.tolist()
    assert other_model.bias.tolist() == model.bias.tolist()
    assert other.state_dict()["state"].keys() == optimizer.state_dict()["state"].keys()


def test_step_count_is_a_tensor_when_saved() -> None:
    model, optimizer = trained(lg, nn, optim)
    step = optimizer.state_dict()["state"][0]["step"]
    assert (step.item(), step.dtype, step.shape) == (1.0, lg.float32, ())
    assert optimizer.state[model.weight]["step"] == 1


def test_loaded_state_takes_its_parameters_dtype() -> None:
    _, optimizer = trained(lg, nn, optim)
    wide = nn.Linear(2, 1, dtype=lg.float64)
    other = optim.Adam(wide.parameters())
    other.load_state_dict(optimizer.state_dict())
    assert other.state[wide.weight]["exp_avg"].dtype == lg.float64
    assert other.param_groups[0]["lr"] == 0.1


def test_loading_into_other_groups() -> None:
    _, optimizer = trained(lg, nn, optim)
    state = optimizer.state_dict()
    first, second = nn.Parameter(lg.zeros(1)), nn.Parameter(lg.zeros(1))
    with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
        optim.Adam([first]).load_state_dict(state)
    with pytest.raises(ValueError, match="a different number of parameter groups"):
        optim.Adam([{"params": first}, {"params": second}]).load_state_dict(state)


def test_adamw_stays_decoupled_after_loading_adam() -> None:
    model, optimizer = trained(lg, nn, optim)
    decoupled = optim.AdamW(model.parameters())
    decoupled.load_state_dict(optimizer.state_dict())
    assert decoupled.param_groups[0]["decoupled_weight_decay"] is True


def test_pickle() -> None:
    model, optimizer = trained(lg, nn, optim)
    _, other = pickle.loads(pickle.dumps((model, optimizer)))
    assert repr(other) == repr(optimizer)
    assert [state["step"] for state in other.state.values()] == [1, 1]


WRONG = {
    "no parameters": ("SGD([])", ValueError, "optimizer got an empty parameter list"),
    "a tensor": ("SGD(w)", TypeError, "should be an iterable of Tensors or dicts"),
    "a number": ("SGD([1])", TypeError, "optimizer can only optimize Tensors, but one of the params is int"),
    "a computed tensor": ("SGD([w * 2])", ValueError, "can't optimize a non-leaf Tensor"),
    "a set": ("SGD([{'params': {w}}])", TypeError, "need to be organized in ordered collections"),
    "a tensor twice": ("SGD([{'params': w}, {'params': w}])", ValueError, "appear in more than one parameter group"),
    "some names": ("SGD([('a', w), v])", ValueError, "Some param names are missing"),
    "names in one group": (
        "SGD([{'params': [('a', w)]}, {'params': v}])",
        ValueError,
        "cannot add param group without names",
    ),
    "learning rate": ("SGD([w], lr=-1)", ValueError, "Invalid learning rate: -1"),
    "momentum": ("SGD([w], momentum=-1)", ValueError, "Invalid momentum value: -1"),
    "weight decay": ("SGD([w], weight_decay=-1)", ValueError, "Invalid weight_decay value: -1"),
    "nesterov": ("SGD([w], nesterov=True)", ValueError, "Nesterov momentum requires a momentum and zero dampening"),
    "adam's learning rate": ("Adam([w], lr=float('nan'))", ValueError, "Invalid learning rate: nan"),
    "several learning rates": ("Adam([w], lr=w)", ValueError, "Tensor lr must be 1-element"),
    "epsilon": ("Adam([w], eps=-1)", ValueError, "Invalid epsilon value: -1"),
    "beta": ("Adam([w], betas=(0.5, 1.0))", ValueError, "Invalid beta parameter at index 1: 1.0"),
    "adamw's weight decay": ("AdamW([w], weight_decay=-1)", ValueError, "Invalid weight_decay value: -1"),
    "implementation": ("AdamW([w], fused=True, foreach=True)", RuntimeError, "cannot be `True` together"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str, torch: Any) -> None:
    source, error, message = WRONG[name]
    for framework, modules, optimizers in ((lg, nn, optim), (torch, torch.nn, torch.optim)):
        w, v = modules.Parameter(framework.zeros(2)), modules.Parameter(framework.zeros(1))
        with pytest.raises(error, match=message):
            eval(f"o.{source}", {"o": optimizers, "w": w, "v": v})


def test_duplicates_are_warned_about() -> None:
    parameter = nn.Parameter(lg.zeros(1))
    with pytest.warns(UserWarning, match="parameter group with duplicate parameters"):
        optim.SGD([parameter, parameter])


def test_step_hooks_run_once_and_change_arguments() -> None:
    log: list[Any] = []

    class Inner(optim.Optimizer):
        def step(self, closure: Any = None) -> Any:
            log.append(closure)

    class Outer(Inner):
        def step(self, closure: Any = None) -> Any:
            log.append("outer")
            return super().step(closure)

    optimizer = Outer([nn.Parameter(lg.zeros(1))], {})
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((), {"closure": "changed"}))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: log.append(kwargs))
    optimizer.step()
    assert log == ["outer", "changed", {"closure": "changed"}]
    handle.remove()
    optimizer.step()
    assert len(log) == 5


def test_an_optimizer_that_wraps_another_and_is_not_initialized(torch: Any) -> None:
    def program(t: Any) -> Any:
        class Wrapper(t.optim.Optimizer):  # type: ignore[misc, name-defined]
            def __init__(self, inner: Any) -> None:
                self.inner = inner

            def step(self, closure: Any = None) -> Any:
                self.inner.step(closure)
                return "stepped"

        parameter = t.nn.Parameter(t.ones(2))
        parameter.square().sum().backward()
        outcome = Wrapper(t.optim.SGD([parameter], lr=0.1)).step()
        return outcome, parameter.tolist()

    assert program(lg) == program(torch)


def test_state_dict_hooks() -> None:
    _, optimizer = trained(lg, nn, optim)
    log: list[str] = []
    optimizer.register_state_dict_pre_hook(lambda o: log.append("saving"))
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "extra": 1})
    state = optimizer.state_dict()
    assert state["extra"] == 1
    optimizer.register_load_state_dict_pre_hook(lambda o, state: log.append("loading"))
    optimizer.register_load_state_dict_post_hook(lambda o: log.append("loaded"))
    optimizer.load_state_dict(state)
    assert log == ["saving", "loading", "loaded"]


def test_optimizer_without_an_update() -> None:
    parameter = nn.Parameter(lg.zeros(1))
    parameter.sum().backward()
    with pytest.raises(NotImplementedError, match="Optimizer defines neither step nor _update_parameter"):
        optim.Optimizer([parameter], {}).step()
