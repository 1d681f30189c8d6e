"""What modules have beside layers' work: older hooks, shared memory, in-place compilation, copies."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import OrderedDict
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_close


def seen_by_hook(framework: Any, make: Any, change: Any = None) -> tuple[Any, ...]:
    """What an older backward hook is called with, the gradient of the input, and the warnings."""
    framework.manual_seed(0)
    module = make(framework.nn)
    seen = []

    def hook(module: Any, grad_input: Any, grad_output: Any) -> Any:
        seen.append(sorted(tuple(each.shape) for each in (*grad_input, *grad_output) if each is not None))
        return None if change is None else change(grad_input)

    handle = module.register_backward_hook(hook)
    inputs = framework.ones(4, 3, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module(inputs * 1).sum().backward()
    handle.remove()
    module(inputs * 1).sum().backward()
    return len(seen), inputs.grad, [(each.category, str(each.message)[:70]) for each in caught]


@pytest.mark.parametrize(
    "make",
    [lambda n: n.Tanh(), lambda n: n.Sequential(n.Tanh(), n.Tanh())],
    ids=["one operation", "several"],
)
@pytest.mark.parametrize("change", [None, lambda grads: tuple(2 * each for each in grads)], ids=["looks", "changes"])
def test_older_backward_hooks(make: Any, change: Any, torch: Any) -> None:
    have, want = seen_by_hook(lg, make, change), seen_by_hook(torch, make, change)
    assert have[0] == want[0] == 1
    assert_close(have[1], want[1], floor=0.0)
    assert have[2] == want[2]


def test_both_kinds_of_backward_hooks_exclude_each_other() -> None:
    module = nn.Tanh()
    module.register_backward_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full backward hooks"):
        module.register_full_backward_hook(lambda *_: None)
    module = nn.Tanh()
    module.register_full_backward_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full backward hooks"):
        module.register_backward_hook(lambda *_: None)


def test_older_hooks_of_state_dictionaries() -> None:
    module = nn.Sequential(nn.Linear(2, 1))
    module._register_state_dict_hook(lambda module, state, prefix, metadata: OrderedDict(a=state["0.bias"]))
    assert list(module.state_dict()) == ["a"]
    seen: list[Any] = []
    module = nn.Linear(2, 1)
    module._register_load_state_dict_pre_hook(lambda state, prefix, *rest: seen.append((prefix, len(rest))))
    module._register_load_state_dict_pre_hook(
        lambda module, state, prefix, *rest: seen.append((type(module), len(rest))), with_module=True
    )
    module.load_state_dict(module.state_dict())
    assert seen == [("", 5), (nn.Linear, 5)]


def test_to_empty_and_shared_memory() -> None:
    module = nn.Sequential(nn.Linear(2, 3, device="meta"), nn.BatchNorm1d(3, device="meta"))
    weight = module[0].weight
    assert module.to_empty(device="cpu") is module
    assert module[0].weight is weight
    assert {tensor.device.type for tensor in module.state_dict().values()} == {"cpu"}
    assert not weight.is_shared()
    assert module.share_memory() is module
    assert all(tensor.is_shared() for tensor in module.state_dict().values())


def test_compile_in_place() -> None:
    module = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    inputs = lg.rand(4, 3)
    want = module(inputs).flatten().tolist()
    assert module.compile() is None
    for _ in range(4):
        with lg.no_grad():
            assert module(inputs).flatten().tolist() == pytest.approx(want, rel=1e-5)
    assert "was replayed" in type(module)._compiled_call.explain()
    assert isinstance(module, nn.Sequential)
    assert type(module).__name__ == "Sequential"
    for copied in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert type(copied) is nn.Sequential
        assert copied(inputs).flatten().tolist() == pytest.approx(want, rel=1e-5)
    module.compile()
    assert type(module).__mro__[1] is nn.Sequential


def test_hooks_are_copied_and_pickled() -> None:
    module = nn.Linear(2, 1)
    module.register_forward_hook(_doubled)
    module.register_state_dict_post_hook(_noted)
    for copied in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert copied(lg.ones(1, 2)).tolist() == module(lg.ones(1, 2)).tolist()
        assert copied.state_dict()["note"] == "seen"
        assert copied.weight is not module.weight


def _doubled(module: Any, args: Any, output: Any) -> Any:
    return 2 * output


def _noted(module: Any, state: Any, prefix: str, metadata: Any) -> None:
    state["note"] = "seen"


GLOBAL = {
    "forward_pre": lambda seen: lambda module, args: seen.append(type(module).__name__),
    "forward": lambda seen: lambda module, args, output: seen.append(type(module).__name__) or output * 2,
    "full_backward_pre": lambda seen: lambda module, grads: seen.append((type(module).__name__, len(grads))),
    "full_backward": lambda seen: lambda module, before, after: seen.append((type(module).__name__, len(before))),
    "backward": lambda seen: lambda module, before, after: seen.append((type(module).__name__, len(after))),
}


@pytest.mark.parametrize("kind", GLOBAL)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_hooks_of_all_modules(kind: str, torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # torch remembers the kind for good, also when there are no hooks any more
    monkeypatch.setattr(torch.nn.modules.module, "_global_is_full_backward_hook", None)
    results = []
    for framework in (lg, torch):
        framework.manual_seed(0)
        model = framework.nn.Sequential(framework.nn.Linear(2, 2), framework.nn.Tanh())
        seen: list[Any] = []
        handle = getattr(framework.nn.modules.module, f"register_module_{kind}_hook")(GLOBAL[kind](seen))
        inputs = framework.ones(3, 2, requires_grad=True)
        output = model(inputs)
        output.sum().backward()
        handle.remove()
        model(inputs).sum().backward()
        results.append((seen, output))
    assert_close(*results, floor=0.0)


def test_global_hooks_come_before_a_modules_own_and_are_compiled() -> None:
    seen: list[str] = []
    module = nn.Tanh()
    module.register_forward_hook(lambda *_: seen.append("own"))
    handle = nn.modules.module.register_module_forward_hook(lambda *_: seen.append("all"))
    module(lg.ones(1))
    handle.remove()
    assert seen == ["all", "own"]
    plain, inputs = nn.Linear(2, 2), lg.ones(1, 2)
    run = lg.compile(lambda module, x: module(x) * 1.0)
    for factor in (1.0, 3.0, 1.0):
        handle = nn.modules.module.register_module_forward_hook(lambda module, args, output, by=factor: output * by)
        with lg.no_grad():
            for _ in range(4):
                assert run(plain, inputs).tolist() == (plain(inputs) * 1.0).tolist()
        handle.remove()


def test_both_kinds_of_global_hooks_exclude_each_other() -> None:
    handle = nn.modules.module.register_module_backward_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="as a global Module hook"):
        nn.modules.module.register_module_full_backward_hook(lambda *_: None)
    handle.remove()
    nn.modules.module.register_module_full_backward_hook(lambda *_: None).remove()


def test_hooks_of_registrations(torch: Any) -> None:
    results = []
    for framework in (lg, torch):
        seen: list[Any] = []
        handles = [
            getattr(framework.nn.modules.module, f"register_module_{kind}_registration_hook")(
                lambda module, name, member, kind=kind, seen=seen: seen.append((kind, name, type(module).__name__))
            )
            for kind in ("parameter", "buffer", "module")
        ]
        model = framework.nn.Sequential(framework.nn.Linear(2, 1), framework.nn.BatchNorm1d(1))
        model[1].running_mean = framework.ones(1)
        model.register_parameter("extra", None)
        for handle in handles:
            handle.remove()
        framework.nn.Linear(1, 1)
        results.append(sorted(seen))
    assert results[0] == results[1]
    handle = nn.modules.module.register_module_parameter_registration_hook(
        lambda module, name, parameter: nn.Parameter(lg.zeros(3))
    )
    assert nn.ParameterList([nn.Parameter(lg.ones(2))])[0].tolist() == [0.0] * 3
    handle.remove()


def test_derived_transposed_convolutions_ask_for_their_output_padding(torch: Any) -> None:
    """As layers with normalized or masked weights do in a ``forward`` of their own."""

    def compute(framework: Any) -> tuple[Any, ...]:
        class Halved(framework.nn.ConvTranspose2d):  # type: ignore[misc, name-defined]
            def forward(self, input: Any, output_size: Any = None) -> Any:
                extra = self._output_padding(
                    input, output_size, self.stride, self.padding, self.kernel_size, 2, self.dilation
                )
                return framework.nn.functional.conv_transpose2d(
                    input, self.weight / 2, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
                )

        framework.manual_seed(0)
        layer = Halved(2, 3, 3, stride=2, padding=1)
        x = framework.ones(1, 2, 4, 5)
        ask = layer._output_padding, (x, [8, 10], (2, 2), (1, 1), (3, 3), 2)
        with pytest.raises(ValueError, match="requested an output size") as error:
            layer(x[0], [20, 10])
        return layer(x), layer(x, [8, 9]), layer(x[0], [8, 10]), list(ask[0](*ask[1])), str(error.value)[:60]

    for mine, theirs in zip(compute(lg), compute(torch), strict=True):
        assert_close(mine, theirs) if hasattr(mine, "tolist") else None
        assert hasattr(mine, "tolist") or mine == theirs


@pytest.mark.parametrize("text", ["one", "one\ntwo", "one\n\n  two\n", ""])
def test_lines_are_indented_as_torch_does(text: str, torch: Any) -> None:
    from lazygrad.nn.modules.module import _addindent

    assert _addindent(text, 3) == torch.nn.modules.module._addindent(text, 3)
