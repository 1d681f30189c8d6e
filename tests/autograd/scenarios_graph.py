"""Hooks of backward steps, edges, batched gradients, what is saved for gradients, and anomaly detection."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tests.func.numbers import floats
from tests.oracle.cases import Case, scenarios
from tests.oracle.comparing import raised

CASES: list[Case] = []
scenario = scenarios(CASES)


def _graph(t: Any) -> Any:
    return import_module(f"{t.__name__}.autograd.graph")


@scenario
def hooks_of_steps(t: Any) -> list[Any]:
    x, log = floats(t, 3).requires_grad_(), []
    y = x * 2
    y.register_hook(lambda g: log.append(g.tolist()))
    y.grad_fn.register_hook(lambda inputs, outputs: log.append((len(inputs), len(outputs))))
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    y.sum().backward()
    first = x.grad.clone()
    accumulate = y.grad_fn.next_functions[0][0]
    handle = accumulate.register_hook(lambda inputs, outputs: log.append((len(inputs), x.grad.tolist())))
    accumulate.register_prehook(lambda outputs: log.append(len(outputs)))
    x.grad = None
    (x * x).sum().backward()
    handle.remove()
    (x * x).sum().backward()
    z = x * 3
    z.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 0, None))
    z.grad_fn.metadata["note"] = 1
    return [first, log, t.autograd.grad(z.sum(), x), z.grad_fn.metadata, isinstance(z.grad_fn, _graph(t).Node)]


@scenario
def hooks_of_several_tensors(t: Any) -> list[Any]:
    x, y, z = (floats(t, 3, seed=i).requires_grad_() for i in range(3))
    seen: list[Any] = []

    def note(found: Any) -> None:
        seen.append([None if g is None else g.tolist() for g in found] if isinstance(found, (list, tuple)) else 1)

    hook = _graph(t).register_multi_grad_hook((x, y, z), note)
    (x * y).sum().backward()
    (x * y * z).sum().backward()
    hook.remove()
    with _graph(t).register_multi_grad_hook((x, y), note, mode="any"):
        (x * y).sum().backward()
        (x * 2).sum().backward()
    (x * y).sum().backward()
    return [seen, raised(lambda: _graph(t).register_multi_grad_hook((x,), note, mode="none"))]


@scenario
def edges(t: Any) -> list[Any]:
    x = floats(t, 3).requires_grad_()
    y = x * x
    edge = _graph(t).get_gradient_edge(y)
    total = y.sum()
    return [
        t.autograd.grad((y * y).sum(), edge),
        t.autograd.grad(edge, x, grad_outputs=floats(t, 3, seed=1)),
        t.autograd.grad((total * total), _graph(t).get_gradient_edge(total)),
        edge.output_nr,
        raised(lambda: _graph(t).get_gradient_edge(x.detach())),
    ]


@scenario
def grads_of_all_forms(t: Any) -> list[Any]:
    x, other = floats(t, 3).requires_grad_(), floats(t, 3).requires_grad_()
    grad, eye = t.autograd.grad, t.eye(3, dtype=t.float64)
    created = grad(x**3, x, eye, is_grads_batched=True, create_graph=True)[0]
    y = x * 2
    y.sum().backward()
    return [
        grad(x**3, x, eye, is_grads_batched=True),
        created, grad(created.sum(), x),
        grad([x * x, x.sum()], [x], [eye[:2], t.ones(2, dtype=t.float64)], is_grads_batched=True),
        grad(x.sum(), [x, other], materialize_grads=True),
        grad(x.sum(), [x, other], allow_unused=True),
        grad((y * y).sum(), y),
        raised(lambda: grad(x.sum(), [x, other])),
        raised(lambda: grad(x.sum(), [x], materialize_grads=True, allow_unused=False)),
        raised(lambda: grad(x**2, x, t.ones(2, 4, dtype=t.float64), is_grads_batched=True)),
        raised(lambda: x.sum().backward(inputs=[x.detach()])),
        raised(lambda: x.sum().backward(inputs=[])),
    ]  # fmt: skip


@scenario
def saved_tensors(t: Any) -> list[Any]:
    g, results = _graph(t), []
    x, w = floats(t, 3).requires_grad_(), floats(t, 2, 3, seed=1).requires_grad_()
    for function in (lambda: x.exp(), lambda: x + 1, lambda: x * 2.0, lambda: x.tanh(), lambda: (x * w).sum()):
        packed, unpacked = [], []

        def pack(a: Any, packed: Any = packed) -> Any:
            packed.append(tuple(a.shape))
            return a.detach() * 10

        def unpack(a: Any, unpacked: Any = unpacked) -> Any:
            unpacked.append(tuple(a.shape))
            return a / 10

        with g.saved_tensors_hooks(pack, unpack):
            y = function()
        before = len(unpacked)
        results += [sorted(packed), before, t.autograd.grad(y.sum(), x), sorted(unpacked)]
    with g.saved_tensors_hooks(lambda a: 1, lambda a: 1):
        bad = x * x
    with g.save_on_cpu():
        kept = (x * x).sum()

    def forbidden() -> None:
        with g.disable_saved_tensors_hooks("no hooks here"), g.save_on_cpu():
            pass

    return [*results, raised(lambda: bad.sum().backward()), t.autograd.grad(kept, x), raised(forbidden)]


@scenario
def anomalies(t: Any) -> list[Any]:
    x = t.tensor([1.0, 0.0, 4.0], requires_grad=True)
    results = []
    with t.autograd.detect_anomaly():
        y = (x.sqrt() * 0).sum()
        results.append(raised(y.backward))
        (x * 2).sum().backward()
    with t.autograd.detect_anomaly(check_nan=False):
        results.append(t.autograd.grad((x.sqrt() * 0).sum(), x))
    with t.autograd.set_detect_anomaly(True):
        results.append(raised(lambda: t.autograd.grad((x.sqrt() * 0).sum(), x)))
    return [*results, x.grad, t.autograd.grad((x.sqrt() * 0).sum(), x)]


@scenario
def modes(t: Any) -> list[Any]:
    x = floats(t, 3).requires_grad_()
    with t.autograd.inference_mode(), t.autograd.set_multithreading_enabled(False):
        quiet = (x * 2).requires_grad
    version = x._version
    _graph(t).increment_version(x)
    return [quiet, isinstance(x, t.autograd.Variable), x._version - version]
