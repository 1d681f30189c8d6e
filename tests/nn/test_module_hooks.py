"""Forward and backward hooks, compared with PyTorch's."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn

from .compare import values


def trace(framework: Any, nn: Any, register: Any) -> list[Any]:
    """What hooks saw: ``register(module, log)`` adds them to one layer of a model that is run and differentiated."""
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Tanh())
    with framework.no_grad():
        model[0].weight.copy_(framework.tensor([[1.0, -2.0], [0.5, 3.0]]))
    log: list[Any] = []
    register(model[0], log)
    x = framework.tensor([[0.1, 0.2], [0.3, -0.4]], requires_grad=True)
    model(x).sum().backward()
    return [*log, values(x.grad).round(5).tolist(), values(model[0].weight.grad).round(5).tolist()]


def shown(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [shown(each) for each in value]
    return None if value is None else values(value).round(5).tolist()


def pre_hook(module: Any, log: list[Any]) -> None:
    module.register_forward_pre_hook(lambda m, args: log.append(shown(args)))
    module.register_forward_pre_hook(lambda m, args: args[0] * 2)
    module.register_forward_pre_hook(lambda m, args: log.append("first"), prepend=True)


def pre_hook_with_kwargs(module: Any, log: list[Any]) -> None:
    module.register_forward_pre_hook(lambda m, args, kwargs: ((), {"input": args[0] + 1}), with_kwargs=True)
    module.register_forward_pre_hook(lambda m, args, kwargs: log.append(shown(kwargs["input"])), with_kwargs=True)


def forward_hook(module: Any, log: list[Any]) -> None:
    module.register_forward_hook(lambda m, args, output: output * 3)
    module.register_forward_hook(lambda m, args, output: log.append(shown(output)))
    module.register_forward_hook(lambda m, args, kwargs, output: log.append(len(kwargs)), with_kwargs=True)
    module.register_forward_hook(lambda m, args, output: log.append("first"), prepend=True)


def backward_hook(module: Any, log: list[Any]) -> None:
    module.register_full_backward_hook(lambda m, grad_in, grad_out: log.append([shown(grad_in), shown(grad_out)]))
    module.register_full_backward_hook(lambda m, grad_in, grad_out: (grad_in[0] * 10,))


def backward_pre_hook(module: Any, log: list[Any]) -> None:
    module.register_full_backward_pre_hook(lambda m, grad_out: (grad_out[0] * 2,))
    module.register_full_backward_pre_hook(lambda m, grad_out: log.append(shown(grad_out)))


def removed_hooks(module: Any, log: list[Any]) -> None:
    for register in (
        module.register_forward_pre_hook,
        module.register_forward_hook,
        module.register_full_backward_pre_hook,
        module.register_full_backward_hook,
    ):
        register(lambda *args: log.append("called")).remove()


@pytest.mark.parametrize(
    "register", [pre_hook, pre_hook_with_kwargs, forward_hook, backward_hook, backward_pre_hook, removed_hooks]
)
def test_hooks_see_and_change_what_they_do_in_torch(register: Any, torch: Any) -> None:
    assert trace(lg, nn, register) == trace(torch, torch.nn, register)


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_backward_hook_without_input_that_needs_gradients(torch: Any) -> None:
    logs = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        layer = modules.Linear(2, 1)
        log: list[Any] = []
        layer.register_full_backward_hook(lambda m, grad_in, grad_out, log=log: log.append((grad_in, shown(grad_out))))
        layer(framework.ones(3, 2)).sum().backward()
        logs.append(log)
    assert logs[0] == logs[1] == [((None,), [[[1.0], [1.0], [1.0]]])]


def test_backward_hook_on_several_inputs_and_outputs(torch: Any) -> None:
    logs = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):

        class Swap(modules.Module):
            def forward(self, a: Any, factor: float, b: Any) -> tuple[Any, Any]:
                return b * factor, a * b

        swap = Swap()
        log: list[Any] = []
        swap.register_full_backward_hook(lambda m, gi, go, log=log: log.append([shown(gi), shown(go)]))
        a = framework.tensor([1.0, 2.0], requires_grad=True)
        b = framework.tensor([3.0, 4.0], requires_grad=True)
        first, second = swap(a, 5.0, b)
        (first.sum() + 2 * second.sum()).backward()
        logs.append([*log, shown(a.grad), shown(b.grad)])
    assert logs[0] == logs[1]


def test_backward_hook_returning_the_wrong_number() -> None:
    layer = nn.Linear(2, 1)
    layer.register_full_backward_hook(lambda m, grad_in, grad_out: (None, None))
    x = lg.ones(1, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1"):
        layer(x).sum().backward()


def test_pre_hook_with_kwargs_returning_nonsense() -> None:
    layer = nn.Linear(2, 1)
    layer.register_forward_pre_hook(lambda m, args, kwargs: 1, with_kwargs=True)
    with pytest.raises(RuntimeError, match="forward pre-hook must return None or a tuple"):
        layer(lg.ones(1, 2))


def test_always_called_hook_runs_after_an_error() -> None:
    class Failing(nn.Module):
        def forward(self) -> None:
            raise ValueError("broken")

    calls: list[Any] = []
    module = Failing()
    module.register_forward_hook(lambda m, args, output: calls.append(("plain", output)))
    module.register_forward_hook(lambda m, args, output: calls.append(("always", output)), always_call=True)
    module.register_forward_hook(lambda m, args, output: 1 / 0, always_call=True)
    with pytest.raises(ValueError, match="broken"), pytest.warns(UserWarning, match="division by zero"):
        module()
    assert calls == [("always", None)]


def test_handle_is_a_context_manager() -> None:
    module, calls = nn.Identity(), []
    with module.register_forward_hook(lambda m, args, output: calls.append(output)):
        module(1)
    module(2)
    assert calls == [1]


@pytest.mark.host_memory("addresses are compared")
def test_what_backward_hooks_watch_stays_where_it_is(torch: Any) -> None:
    """Second-order extensions of others find a module's successor by the address of what both have seen."""
    seen = []
    for framework, modules in ((lg, nn), (torch, torch.nn)):
        model = modules.Sequential(modules.Linear(3, 4), modules.ReLU(), modules.Linear(4, 2), modules.Flatten())
        ends: list[Any] = []
        for module in model:
            module.register_full_backward_hook(lambda *args: None)
            module.register_forward_hook(lambda m, args, output, ends=ends: ends.append((args[0], output)))
        result = model(framework.ones(5, 3))
        pointers = [(before.data_ptr(), after.data_ptr()) for before, after in ends]
        same = [pointers[i][1] == pointers[i + 1][0] for i in range(3)]
        kinds = [(type(before.grad_fn).__name__, after._is_view()) for before, after in ends]
        with pytest.raises(RuntimeError) as refused:
            result.mul_(2)
        seen.append([same, pointers[-1][1] == result.data_ptr(), kinds, str(refused.value)])
    assert seen[0] == seen[1]


def test_registered_hooks_are_found_in_the_modules_dictionaries(torch: Any) -> None:
    def first(*seen: Any) -> None: ...

    def second(*seen: Any) -> None: ...

    def program(framework: Any) -> list[Any]:
        module = framework.nn.Linear(2, 2)
        handles = [
            module.register_forward_pre_hook(first),
            module.register_forward_pre_hook(second, prepend=True, with_kwargs=True),
            module.register_forward_hook(first, with_kwargs=True, always_call=True),
            module.register_forward_hook(second),
        ]

        def found() -> list[Any]:
            options = (
                module._forward_pre_hooks_with_kwargs, module._forward_hooks_with_kwargs,
                module._forward_hooks_always_called,
            )  # fmt: skip
            hooks = [list(module._forward_pre_hooks.values()), list(module._forward_hooks.values())]
            return [*hooks, *[list(option.values()) for option in options]]

        before = found()
        module(framework.ones(1, 2))
        for handle in handles[1:3]:
            handle.remove()
        return [before, found()]

    assert program(lg) == program(torch)


def test_a_dictionary_of_hooks_may_be_emptied_or_replaced(torch: Any) -> None:
    def program(framework: Any) -> list[str]:
        module, called = framework.nn.Linear(2, 2), []

        def run() -> None:
            x = framework.ones(1, 2, requires_grad=True)
            module(x).sum().backward()

        for register in ("register_forward_pre_hook", "register_forward_hook", "register_full_backward_hook"):
            getattr(module, register)(lambda *seen, name=register: called.append(name))
        module._forward_hooks.clear()
        run()
        for name in ("_forward_pre_hooks", "_forward_hooks", "_backward_hooks", "_backward_pre_hooks"):
            setattr(module, name, OrderedDict())
        run()
        for register in ("register_forward_pre_hook", "register_forward_hook", "register_full_backward_hook"):
            getattr(module, register)(lambda *seen, name=register: called.append(f"again {name}"))
        run()
        return called

    assert program(lg) == program(torch)
