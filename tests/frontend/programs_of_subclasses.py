"""Programs with classes of tensors that override functions, as PyTorch's page on extending it has them.

Each takes the framework and returns what is compared: plain values, and the names of what its class was asked for.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


def logging_class(t: Any, log: list[Any]) -> Any:
    class LoggingTensor(t.Tensor):  # type: ignore[name-defined, misc]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kinds = [kind.__name__ for kind in types if kind is not t.Tensor]
            log.append((name_of(func), kinds, len(args), sorted(kwargs or {})))
            return super().__torch_function__(func, types, args, kwargs or {})

    return LoggingTensor


def name_of(func: Any) -> str:
    """The name of a function, without the prefixes that PyTorch's own library has."""
    name = getattr(func, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        return f"{func.__self__.__name__}.{name}"
    for prefix in ("linalg_", "fft_", "special_"):
        name = name.removeprefix(prefix)
    return {"__pow__": "pow", "__ipow__": "pow_"}.get(name, name)


def outcome(value: Any) -> Any:
    """A result as plain values, with the class of tensors."""
    if isinstance(value, (tuple, list)):
        return [outcome(part) for part in value]
    if hasattr(value, "tolist"):
        return type(value).__name__, value.tolist()
    return value


_CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "x + x": lambda t, x, p: x + x,
    "p + x": lambda t, x, p: p + x,
    "2 + x": lambda t, x, p: 2 + x,
    "x - 1": lambda t, x, p: x - 1,
    "1 - x": lambda t, x, p: 1 - x,
    "p * x": lambda t, x, p: p * x,
    "x / p": lambda t, x, p: x / p,
    "1 / x": lambda t, x, p: 1 / x,
    "x // 2": lambda t, x, p: x // 2,
    "7 // x": lambda t, x, p: 7 // x,
    "x % 2": lambda t, x, p: x % 2,
    "x ** 2": lambda t, x, p: x**2,
    "2 ** x": lambda t, x, p: 2**x,
    "p ** x": lambda t, x, p: p**x,
    "x @ p": lambda t, x, p: x @ p,
    "p @ x": lambda t, x, p: p @ x,
    "x < p": lambda t, x, p: x < p,
    "p < x": lambda t, x, p: p < x,
    "x == x": lambda t, x, p: x == x,
    "p != x": lambda t, x, p: p != x,
    "-x": lambda t, x, p: -x,
    "abs": lambda t, x, p: abs(x),
    "x[0]": lambda t, x, p: x[0],
    "x[mask]": lambda t, x, p: x[x > 1],
    "p[x > 1]": lambda t, x, p: p[x > 1],
    "len": lambda t, x, p: len(x),
    "list": lambda t, x, p: list(x),
    "bool": lambda t, x, p: bool(x.sum()),
    "float": lambda t, x, p: float(x.sum()),
    "int": lambda t, x, p: int(x[0, 1]),
    "in": lambda t, x, p: 1.0 in x,
    "hash": lambda t, x, p: hash(x) > 0,
    "shape": lambda t, x, p: tuple(x.shape),
    "T": lambda t, x, p: x.T,
    "mT": lambda t, x, p: x.mT,
    "real": lambda t, x, p: x.real,
    "grad": lambda t, x, p: x.grad,
    "data": lambda t, x, p: x.data,
    "is_leaf": lambda t, x, p: x.is_leaf,
    "ndim": lambda t, x, p: x.ndim,
    "size": lambda t, x, p: tuple(x.size()),
    "numel": lambda t, x, p: x.numel(),
    "stride": lambda t, x, p: x.stride(),
    "item": lambda t, x, p: x[0, 0].item(),
    "tolist": lambda t, x, p: x.tolist(),
    "detach": lambda t, x, p: x.detach(),
    "clone": lambda t, x, p: x.clone(),
    "sum": lambda t, x, p: x.sum(0),
    "mean by keyword": lambda t, x, p: x.mean(dim=1, keepdim=True),
    "max": lambda t, x, p: x.max(0),
    "sort": lambda t, x, p: t.sort(x, descending=True),
    "split": lambda t, x, p: x.split(1),
    "torch.split": lambda t, x, p: t.split(x, 1),
    "unbind": lambda t, x, p: x.unbind(),
    "chunk": lambda t, x, p: x.chunk(2),
    "to": lambda t, x, p: x.to(t.float64),
    "double": lambda t, x, p: x.double(),
    "view": lambda t, x, p: x.view(4),
    "reshape": lambda t, x, p: x.reshape(-1),
    "permute": lambda t, x, p: x.permute(1, 0),
    "expand": lambda t, x, p: x[:1].expand(2, 2),
    "new_zeros": lambda t, x, p: x.new_zeros(2),
    "ones_like": lambda t, x, p: t.ones_like(x),
    "zeros": lambda t, x, p: t.zeros(2),
    "tensor": lambda t, x, p: t.tensor([1.0]),
    "as_tensor": lambda t, x, p: t.as_tensor(x),
    "stack": lambda t, x, p: t.stack([p, x]),
    "cat": lambda t, x, p: t.cat((x, p)),
    "where": lambda t, x, p: t.where(x > 1, x, p),
    "einsum": lambda t, x, p: t.einsum("ij,jk->ik", x, p),
    "exp": lambda t, x, p: t.exp(x),
    "add by keyword": lambda t, x, p: t.add(p, x, alpha=2),
    "relu": lambda t, x, p: t.relu(x),
    "p.add(x)": lambda t, x, p: p.add(x),
    "add by names": lambda t, x, p: t.add(input=p, other=x),
    "F.relu": lambda t, x, p: t.nn.functional.relu(x),
    "F.linear": lambda t, x, p: t.nn.functional.linear(p, x),
    "F.softmax": lambda t, x, p: t.nn.functional.softmax(x, dim=0),
    "F.dropout": lambda t, x, p: t.nn.functional.dropout(x, training=False),
    "F.pad": lambda t, x, p: t.nn.functional.pad(x, (1, 1)),
    "F.mse_loss": lambda t, x, p: t.nn.functional.mse_loss(x, p),
    "F.gelu": lambda t, x, p: t.nn.functional.gelu(x).shape,
    "F.normalize": lambda t, x, p: t.nn.functional.normalize(x[:1] * 0),
    "F.layer_norm": lambda t, x, p: t.nn.functional.layer_norm(x * 0, (2,)),
    "identity": lambda t, x, p: t.nn.Identity()(x),
    "F.interpolate": lambda t, x, p: t.nn.functional.interpolate(x[None, None], scale_factor=2),
    "ReLU": lambda t, x, p: t.nn.ReLU()(x),
    "linalg.norm": lambda t, x, p: t.linalg.norm(x * 0),
    "fft": lambda t, x, p: t.fft.fft(x * 0),
    "special": lambda t, x, p: t.special.expit(x * 0),
    "unique": lambda t, x, p: t.unique(x),
    "nonzero": lambda t, x, p: x.nonzero(),
    "allclose": lambda t, x, p: t.allclose(x, x),
    "is_tensor": lambda t, x, p: t.is_tensor(x),
    "is_floating_point": lambda t, x, p: t.is_floating_point(x),
    "broadcast_tensors": lambda t, x, p: t.broadcast_tensors(x, p),
    "atleast_3d": lambda t, x, p: t.atleast_3d(x),
    "as_subclass": lambda t, x, p: x.as_subclass(t.Tensor),
}

_WRITES: dict[str, str] = {
    "+=": "x += 1", "-=": "x -= p", "*=": "x *= 2", "/=": "x /= 2", "//=": "x //= 2", "%=": "x %= 2", "**=": "x **= 2",
    "p +=": "p += x", "p.add_": "r = p.add_(x)", "copy_": "r = p.copy_(x)", "x[0]": "x[0] = 1", "p[0]": "p[0] = x[0]",
    "view": "x.view(4)[1] = 7", "data": "x.data = p", "grad": "x.grad = None", "zero_": "r = x.zero_()",
    "requires_grad": "x.requires_grad = True", "requires_grad_": "r = x.requires_grad_()", "out": "t.add(p, p, out=x)",
    "fill_": "x.fill_(3)", "index_add_": "x.index_add_(0, t.tensor([0]), p[:1])",
}  # fmt: skip


def call(name: str, t: Any) -> Any:
    """The outcome of one call with a logging tensor, and what its class was asked for."""
    log: list[Any] = []
    x = t.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(logging_class(t, log))
    p = t.tensor([[2.0, 0.5], [1.0, 3.0]])
    found = _CALLS[name](t, x, p)
    asked = [*log]
    return outcome(found), asked


def write(name: str, t: Any) -> Any:
    """The same of statements that write."""
    log: list[Any] = []
    cls = logging_class(t, log)
    scope = {"t": t, "x": t.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(cls), "p": t.tensor([[2.0, 0.5], [1.0, 3.0]])}
    scope["r"] = None
    exec(_WRITES[name], scope)
    asked = [*log]
    return [outcome(scope[key]) for key in "xpr"], asked


CALLS, WRITES = list(_CALLS), list(_WRITES)


def _says_so(error: TypeError) -> str:
    """Which of the ways to say that there is no implementation a message is."""
    ways = ("no implementation found for", "Multiple dispatch failed for", "unsupported operand")
    return next((way for way in ways if str(error).startswith(way)), str(error))


@program
def metadata(t: Any) -> Any:
    """MetadataTensor of the page: a tensor with something beside it, which is no class of tensors itself."""

    class MetadataTensor:
        def __init__(self, data: Any, metadata: Any = None) -> None:
            self._t, self._metadata = t.as_tensor(data), metadata

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            metadatas = tuple(a._metadata for a in args if hasattr(a, "_metadata"))
            args = [getattr(a, "_t", a) for a in args]
            assert len(metadatas) > 0
            return MetadataTensor(func(*args, **(kwargs or {})), metadata=metadatas[0])

    metadata = {"owner": "Ministry of Silly Walks"}
    m = MetadataTensor([[1, 2], [3, 4]], metadata=metadata)
    sums = [t.add(t.tensor([[1, 2], [1, 2]]), m), t.mul(m, m)]
    return [(found._metadata, found._t.tolist()) for found in sums]


@program
def subclasses_of_each_other(t: Any) -> Any:
    """Whom PyTorch asks first, and what unrelated classes make of each other's tensors."""

    class Sub(t.Tensor):  # type: ignore[name-defined, misc]
        """A class of its own."""

    class Below(Sub):
        """One that is derived from it."""

    class Other(t.Tensor):  # type: ignore[name-defined, misc]
        """Another one."""

    s, b, o = (t.tensor([1.0, 2.0]).as_subclass(cls) for cls in (Sub, Below, Other))
    found = [outcome(s + b), outcome(t.add(b, s)), outcome(t.stack([s, t.ones(2), b]))]
    for call in (lambda: s + o, lambda: t.cat([s, o]), lambda: s.add(o)):
        try:
            found.append(outcome(call()))
        except TypeError as error:
            found.append(_says_so(error))
    return found


@program
def default_keeps_the_class(t: Any) -> Any:
    """A class that overrides nothing: results are of it, and so are the parts of tuples."""

    class Named(t.Tensor):  # type: ignore[name-defined, misc]
        label = "n"

        def doubled(self) -> Any:
            return self * 2

    x = t.arange(6.0).reshape(2, 3).as_subclass(Named)
    values, places = x.max(1)
    results = [x.doubled(), x[0], x.sum(), values, places, *x.split(2, dim=1), x.T, t.cat([x, x]), next(iter(x))]
    shapes = [tuple(x.shape), type(x.shape).__name__, x.dtype == t.float32, x.label, type(x.max(1)).__name__]
    made = [Named([1, 2]), Named(t.ones(1)), t.nn.Linear(3, 2, bias=False)(x)[:, :0]]
    return [outcome(result) for result in [*results, *made]], shapes


@program
def made_and_printed(t: Any) -> Any:
    """How authors of classes make their tensors, and how these print."""

    class Named(t.Tensor):  # type: ignore[name-defined, misc]
        def __new__(cls, data: Any, name: str = "") -> Any:
            return t.Tensor._make_subclass(cls, data, data.requires_grad)

        def __init__(self, data: Any, name: str = "") -> None:
            self.name_given = name

    x = Named(t.arange(40.0).reshape(2, 20), "x")
    y = Named(t.ones(2, requires_grad=True))
    wrapped = t.overrides.wrap_torch_function(lambda a, b: (a, b))(lambda a, b: "its own")
    x[0] = 1
    return (
        repr(x),
        str(x[0, :2] * 2),
        repr(y),
        x.name_given,
        y.is_leaf,
        y.requires_grad,
        wrapped(1, 2),
        type(y + x[0, 0]).__name__,
    )


@program
def gradients(t: Any) -> Any:
    """Gradients flow through results of a class, and the leaf collects them."""

    class Named(t.Tensor):  # type: ignore[name-defined, misc]
        """A class of its own."""

    leaf = t.tensor([1.0, 2.0, 3.0]).as_subclass(Named).requires_grad_()
    y = (leaf * leaf).sum() + leaf[1:].prod()
    (gradient,) = t.autograd.grad(y, leaf, retain_graph=True)
    y.backward()
    weight = t.nn.Parameter(t.ones(3))
    (weight * leaf.detach()).sum().backward()
    kinds = [type(y).__name__, type(gradient).__name__, type(weight).__name__, type(weight * 2).__name__]
    return leaf.grad.tolist(), gradient.tolist(), weight.grad.tolist(), kinds, y.requires_grad, leaf.is_leaf


@program
def disabled(t: Any) -> Any:
    """A class that is left alone, and contexts in which no class is asked."""
    log: list[Any] = []
    x = t.ones(2).as_subclass(logging_class(t, log))

    class Plain(t.Tensor):  # type: ignore[name-defined, misc]
        __torch_function__ = t._C._disabled_torch_function_impl

    kinds = [type(t.ones(2).as_subclass(Plain) + 1).__name__]
    with t._C.DisableTorchFunctionSubclass():
        kinds += [type(x + 1).__name__, type(t.stack([x, x])).__name__, t.overrides.has_torch_function((x,))]
        with t._C.DisableTorchFunctionSubclass():
            x.exp()
        kinds.append(type(x.exp()).__name__)
    with t._C.DisableTorchFunction():
        kinds.append(type(x.exp()).__name__)
    before = len(log)
    kinds.append(type(x.exp()).__name__)
    return kinds, before, log


@program
def unwrapping(t: Any) -> Any:
    """Handlers that compute with plain tensors and tables of functions, made before the class and after it."""
    handled: dict[Any, Any] = {
        t.add: "add",
        t.Tensor.add: "method",
        t.nn.functional.relu: "F.relu",
        t.Tensor.exp: "exp",
    }

    class Boxed(t.Tensor):  # type: ignore[name-defined, misc]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func in handled:
                return handled[func]
            if func is t.mul or func == t.Tensor.mul or func == t.Tensor.shape.__get__:
                return "by identity"
            return NotImplemented

    x = t.ones(2).as_subclass(Boxed)
    handled[t.stack] = "stack"
    results: list[Any] = [
        t.add(x, 1),
        x + 1,
        t.nn.functional.relu(x),
        x.exp(),
        t.mul(x, x),
        2 * x,
        x.shape,
        t.stack([x]),
    ]
    for refused in (lambda: t.sub(x, 1), lambda: x.sin(), lambda: x.dtype, lambda: t.nn.functional.silu(x)):
        try:
            results.append(refused())
        except TypeError as error:
            results.append(_says_so(error))
    return results


@program
def modes(t: Any) -> Any:
    """Modes see all functions, those of plain tensors and those that make tensors too; inner ones first."""
    log: list[Any] = []

    class Mode(t.overrides.TorchFunctionMode):  # type: ignore[name-defined, misc]
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            log.append((self.name, name_of(func), [kind.__name__ for kind in types if kind is not t.Tensor]))
            return func(*args, **(kwargs or {}))

    class Named(t.Tensor):  # type: ignore[name-defined, misc]
        """A class of its own."""

    named = t.ones(2).as_subclass(Named)
    with Mode("outer"):
        x = t.ones(2, 2)
        y = x + 1
        with Mode("inner") as inner:
            z = t.matmul(x, y).sum()
            kind = type(named * 2).__name__
            size = tuple(x.shape)
        z = z.exp()
    after = x + 1
    return log, kind, size, inner.name, outcome(y), outcome(after)


@program
def a_mode_changes_what_is_made(t: Any) -> Any:
    """DeviceContext of the page, with a dtype in place of a device."""

    class Doubles(t.overrides.TorchFunctionMode):  # type: ignore[name-defined, misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = dict(kwargs or {})
            if func in (t.ones, t.zeros, t.tensor):
                kwargs.setdefault("dtype", t.float64)
            return func(*args, **kwargs)

    with Doubles():
        made = [t.ones(1), t.tensor([1.5]), t.zeros(1, dtype=t.float32)]
    return [str(x.dtype).rpartition(".")[2] for x in [*made, t.ones(1)]]


@program
def a_mode_that_raises(t: Any) -> Any:
    """The mode is left, and functions are as they were."""

    class Refusing(t.overrides.TorchFunctionMode):  # type: ignore[name-defined, misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise ValueError("refused")

    x = t.ones(2)
    seen = []
    try:
        with Refusing():
            x.exp()
    except ValueError as error:
        seen.append(str(error))
    return seen, (x + 1).tolist(), tuple(x.shape)


@program
def questions(t: Any) -> Any:
    """What `torch.overrides` answers."""
    overrides = t.overrides

    class Named(t.Tensor):  # type: ignore[name-defined, misc]
        """A class of its own."""

    x, p, w = t.ones(2).as_subclass(Named), t.ones(2), t.nn.Parameter(t.ones(1))
    listed = overrides.get_overridable_functions()
    return (
        [overrides.has_torch_function((arg,)) for arg in (x, p, w, 3)],
        [overrides.is_tensor_like(arg) for arg in (x, p, w, 3)],
        [overrides.is_tensor_method_or_property(f) for f in (t.Tensor.add, t.Tensor.shape.__get__, t.stack)],
        [overrides.resolve_name(f) for f in (t.Tensor.add, t.stack, t.nn.functional.relu, t.Tensor.shape.__get__, len)],
        [t.stack in listed[t], t.Tensor.add in listed[t.Tensor], t.nn.functional.dropout in listed[t.nn.functional]],
        type(t.Tensor.__torch_function__(t.add, (Named,), (x, 1))).__name__,
        type(Named.__torch_function__(t.add, (Named,), (x, 1))).__name__,
    )


class Kept:
    """Something that a pickle holds beside a function."""

    def __init__(self, function: Any) -> None:
        self.function = function


@program
def pickles(t: Any) -> Any:
    """Functions that ask are pickled by name."""

    class Named(t.Tensor):  # type: ignore[name-defined, misc]
        """A class of its own."""

    x = t.ones(1).as_subclass(Named)
    read = [pickle.loads(pickle.dumps(Kept(f))).function for f in (t.nn.functional.relu, t.stack)]
    return [read[0] is t.nn.functional.relu, read[1] is t.stack, outcome(read[0](x))]


@program
def training(t: Any) -> Any:
    """A network is trained on batches of a class."""

    class Batch(t.Tensor):  # type: ignore[name-defined, misc]
        """A batch."""

    model = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.Tanh(), t.nn.Linear(4, 1))
    for number, parameter in enumerate(model.parameters()):
        parameter.data.copy_(t.linspace(-1, 1, parameter.numel()).reshape(parameter.shape) / (number + 1))
    optimizer = t.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    inputs = t.linspace(-1, 2, 15).reshape(5, 3).as_subclass(Batch)
    losses = []
    for _ in range(4):
        loss = t.nn.functional.mse_loss(model(inputs), inputs.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(round(float(loss), 4))
    return losses, type(loss).__name__, [type(p).__name__ for p in model.parameters()]
