"""state_dict and load_state_dict."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn

from .compare import values


def model(nn: Any) -> Any:
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 1, bias=False)))


def test_names_and_metadata(torch: Any) -> None:
    have, want = model(nn).state_dict(prefix="m."), model(torch.nn).state_dict(prefix="m.")
    assert list(have) == list(want)
    assert dict(have._metadata) == dict(want._metadata)
    assert type(have) is type(want)


@pytest.mark.parametrize("metadata", [None, {}, {"": {"version": None}}, 5, {"": 5}, {"": {"version": "x"}}])
def test_metadata_of_any_kind(torch: Any, metadata: Any) -> None:
    """What a file says beside the values may be anything; it is used, or raises what PyTorch raises or a TypeError."""
    raised = []
    for framework in (lg, torch):
        module = framework.nn.BatchNorm1d(2)
        state = module.state_dict()
        state._metadata = metadata
        if metadata is None:
            del state["num_batches_tracked"]  # older versions did not save it
        try:
            module.load_state_dict(state)
            raised.append("nothing")
        except (AttributeError, TypeError):
            raised.append("an error")
    assert raised[0] == raised[1]


def test_values_share_storage_and_are_detached() -> None:
    linear = nn.Linear(2, 2)
    state = linear.state_dict()
    assert not state["weight"].requires_grad
    assert linear.state_dict(keep_vars=True)["weight"] is linear.weight
    with lg.no_grad():
        linear.weight.fill_(7.0)
    assert values(state["weight"]).tolist() == [[7.0, 7.0], [7.0, 7.0]]


def test_destination_is_filled() -> None:
    target: dict[str, Any] = {"other": 1}
    assert nn.Linear(1, 1).state_dict(destination=target, prefix="x.") is target
    assert list(target) == ["other", "x.weight", "x.bias"]


def test_round_trip_copies() -> None:
    source, target = model(nn), model(nn)
    weight = target[0].weight
    source(lg.rand(4, 2))
    result = target.load_state_dict(source.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    assert target[0].weight is weight
    assert weight.requires_grad
    for name, value in source.state_dict().items():
        assert values(target.state_dict()[name]).tolist() == values(value).tolist()
    with lg.no_grad():
        source[0].weight.fill_(0.0)
    assert values(weight).any()


def test_assign_takes_the_tensors() -> None:
    target = nn.Linear(2, 1)
    target.bias.requires_grad_(False)
    loaded = {"weight": lg.ones(1, 2, dtype=lg.float64), "bias": nn.Parameter(lg.ones(1))}
    target.load_state_dict(loaded, assign=True)
    assert isinstance(target.weight, nn.Parameter)
    assert target.weight.dtype == lg.float64
    assert target.weight.requires_grad
    assert target.bias is loaded["bias"]
    assert not target.bias.requires_grad


WRONG = {
    "missing": lambda t, s: {k: v for k, v in s.items() if k != "0.weight"},
    "unexpected": lambda t, s: {**s, "0.gain": t.zeros(1), "5.weight": t.zeros(1), "top": t.zeros(1)},
    "size": lambda t, s: {**s, "0.bias": t.zeros(4)},
    "not a tensor": lambda t, s: {**s, "0.bias": [1.0]},
    "all": lambda t, s: {"0.bias": t.zeros(4), "gain": t.zeros(1)},
}


@pytest.mark.parametrize("name", WRONG)
def test_error_text(name: str, torch: Any) -> None:
    messages = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        module = model(modules)
        with pytest.raises(RuntimeError) as caught:
            module.load_state_dict(WRONG[name](framework, module.state_dict()))
        message = str(caught.value).replace("torch.Size", "").replace("lazygrad.Size", "")
        message = message.replace("torch.Tensor", "Tensor").replace("lazygrad.Tensor", "Tensor")
        messages.append(message.replace("[4]", "(4,)").replace("[3]", "(3,)").replace("((", "(").replace("))", ")"))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("name", ["missing", "unexpected"])
def test_not_strict_returns_the_difference(name: str, torch: Any) -> None:
    results = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        module = model(modules)
        results.append(module.load_state_dict(WRONG[name](framework, module.state_dict()), strict=False))
    assert tuple(results[0]) == tuple(results[1])
    assert repr(results[0]) == repr(results[1])


def test_not_a_mapping() -> None:
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'list'>"):
        nn.Linear(1, 1).load_state_dict([])


def test_batch_norm_reads_states_without_batch_count() -> None:
    norm = nn.BatchNorm1d(2)
    state = {name: value for name, value in norm.state_dict().items() if name != "num_batches_tracked"}
    norm.load_state_dict(state)
    assert int(norm.num_batches_tracked) == 0
    with_version = norm.state_dict()
    del with_version["num_batches_tracked"]
    with pytest.raises(RuntimeError, match="num_batches_tracked"):
        norm.load_state_dict(with_version)


class Counted(nn.Module):
    """A module with state beside its tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def get_extra_state(self) -> Any:
        return {"count": self.count}

    def set_extra_state(self, state: Any) -> None:
        self.count = state["count"]


def test_extra_state() -> None:
    source, target = nn.Sequential(Counted()), nn.Sequential(Counted())
    source[0].count = 3
    target.load_state_dict(source.state_dict())
    assert target[0].count == 3
    with pytest.raises(RuntimeError, match=r'Missing key.* "0._extra_state"'):
        target.load_state_dict({})
    with pytest.raises(RuntimeError, match=r'Unexpected key.* "0._extra_state"'):
        nn.Sequential(nn.ReLU()).load_state_dict(source.state_dict())


def test_save_hooks() -> None:
    module = model(nn)
    calls: list[Any] = []
    module[0].register_state_dict_pre_hook(lambda m, prefix, keep: calls.append((m, prefix, keep)))
    handle = module[0].register_state_dict_post_hook(lambda m, state, prefix, meta: state.pop(f"{prefix}bias"))
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        module.state_dict()
    handle.remove()
    module.register_state_dict_post_hook(lambda m, state, prefix, meta: state.update(extra=meta["version"]))
    state = module.state_dict()
    assert calls[-1] == (module[0], "0.", False)
    assert state["extra"] == 1


def test_load_hooks() -> None:
    module = nn.Linear(1, 1, bias=False)
    old = {"gain": lg.ones(1, 1)}

    def rename(
        owner: Any, state: Any, prefix: str, meta: Any, strict: bool, missing: Any, unexpected: Any, errors: Any
    ) -> None:
        state[f"{prefix}weight"] = state.pop(f"{prefix}gain")

    handle = module.register_load_state_dict_pre_hook(rename)
    module.load_state_dict(old)
    assert module.weight.item() == 1.0
    assert list(old) == ["gain"]
    handle.remove()
    module.register_load_state_dict_post_hook(lambda m, keys: (keys.missing_keys.clear(), None)[1])
    assert module.load_state_dict({}).missing_keys == []


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_independent(duplicate: Any) -> None:
    source = model(nn)
    target = duplicate(source)
    assert repr(target) == repr(source)
    assert isinstance(target[0].weight, nn.Parameter)
    assert values(target[0].weight).tolist() == values(source[0].weight).tolist()
    with lg.no_grad():
        target[0].weight.fill_(9.0)
    assert not (values(source[0].weight) == 9.0).any()
