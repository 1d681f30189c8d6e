"""What Python can ask of tensors beside their values."""

import lazygrad as lg
from lazygrad import nn

SCENARIOS = {}


def strided():
    return lg.arange(12.0).reshape(3, 4).T.contiguous().T  # like a fresh (3, 4) tensor, with other strides


def fresh():
    return lg.arange(12.0).reshape(3, 4).clone()


def offset():
    return lg.arange(24.0).reshape(6, 4)[3:]


def view():
    return lg.arange(12.0).clone().view(3, 4)


def written():
    return fresh().add_(1)


def leaf():
    return fresh().requires_grad_()


def computed():
    return leaf() * 1


def with_gradient():
    x = leaf()
    x.grad = fresh()
    return x


def with_attribute():
    x = fresh()
    x.note = 2.0
    return x


def flagged(value):
    return 2.0 if value else 1.0


READS = {
    "stride": (lambda t: t.stride()[0], strided),
    "stride of an axis": (lambda t: t.stride(0), strided),
    "storage_offset": (lambda t: t.storage_offset() + 1, offset),
    "is_contiguous": (lambda t: flagged(t.is_contiguous()), strided),
    "contiguous is itself": (lambda t: flagged(t.contiguous() is t), strided),
    "_base": (lambda t: flagged(t._base is None), view),
    "_is_view": (lambda t: flagged(t._is_view()), view),
    "_version": (lambda t: t._version + 1, written),
    "data_ptr": (lambda t: t.data_ptr() % 4096 + 1, fresh),
    "id": (lambda t: id(t) % 1048573, fresh),
    "hash": (lambda t: hash(t) % 1048573, fresh),
    "is_leaf": (lambda t: flagged(t.is_leaf), computed),
    "requires_grad": (lambda t: flagged(t.requires_grad), leaf),
    "grad is None": (lambda t: flagged(t.grad is None), with_gradient),
    "grad_fn is None": (lambda t: flagged(t.grad_fn is None), computed),
    "retains_grad": (lambda t: flagged(t.retains_grad), lambda: _retaining()),
    "attribute": (lambda t: getattr(t, "note", 1.0), with_attribute),
    "hasattr": (lambda t: flagged(hasattr(t, "note")), with_attribute),
    "__dict__": (lambda t: len(t.__dict__) + 1, with_attribute),
    "vars": (lambda t: len(vars(t)) + 1, with_attribute),
    "type": (lambda t: flagged(type(t) is lg.Tensor), lambda: nn.Parameter(fresh(), requires_grad=False)),
    "isinstance": (lambda t: flagged(isinstance(t, nn.Parameter)), lambda: nn.Parameter(fresh(), requires_grad=False)),
    "item": (lambda t: t[0, 0].item() + 1, written),
    "tolist": (lambda t: t.tolist()[0][0] + 1, written),
    "float": (lambda t: float(t.sum()), written),
    "numpy": (lambda t: float(t.numpy().sum()), written),
    "truth": (lambda t: flagged(t.sum() > 66), written),
    "len": (lambda t: len(t), lambda: lg.ones(1, 4)),
    "shape": (lambda t: t.shape[0], lambda: lg.ones(1, 4)),
    "dtype": (lambda t: flagged(t.dtype is lg.float32), lambda: fresh().double()),
    "untyped_storage": (lambda t: t.untyped_storage().nbytes(), lambda: lg.arange(24.0)[:12].view(3, 4)),
    "storage data_ptr": (lambda t: t.untyped_storage().data_ptr() % 4096, fresh),
    "str": (lambda t: len(str(t)), lambda: fresh() * 1000),
    "repr": (lambda t: len(repr(t)), lambda: fresh() * 1000),
    "f-string": (lambda t: len(f"{t}"), lambda: fresh() * 1000),
    "is_inference": (lambda t: flagged(t.is_inference()), lambda: _inference()),
    "is_conj": (lambda t: flagged(t.is_conj()), lambda: _conjugate()),
    "element_size": (lambda t: t.element_size(), lambda: fresh().double()),
    "in a list": (lambda t: flagged(any([t is other for other in KEPT])), lambda: KEPT[0]),
    "in": (lambda t: flagged(t in [KEPT[0]]), lambda: KEPT[0]),
    "equal": (lambda t: flagged(lg.equal(t, KEPT[0])), written),
    "allclose": (lambda t: flagged(lg.allclose(t, KEPT[0])), written),
    "unique": (lambda t: t.unique().numel(), lambda: fresh() * 0),
    "nonzero": (lambda t: t.nonzero().shape[0] + 1, lambda: fresh() * 0),
    "mask": (lambda t: t[t > 5].numel() + 1, lambda: fresh() * 0),
    "iteration": (lambda t: sum([float(row.sum()) for row in t]), written),
}
KEPT = [fresh()]


def _retaining():
    x = computed()
    x.retain_grad()
    return x


def _inference():
    with lg.inference_mode():
        return fresh()


def _conjugate():
    return lg.ones(3, 4, dtype=lg.complex64).conj()


for name, (read, other) in READS.items():

    def argument(m, read=read, other=other):
        args, new = [lg.ones(2), fresh()], other()
        return no_grad(lambda x, t: x * read(t)), args, lambda: args.__setitem__(1, new)

    def global_tensor(m, read=read, other=other):
        m.setitem(globals(), "TENSOR", fresh())
        return no_grad(lambda x: x * read(TENSOR)), [lg.ones(2)], lambda: m.setitem(globals(), "TENSOR", other())

    def listed(m, read=read, other=other):
        held = [fresh()]
        return no_grad(lambda x, ts: x * read(ts[0])), [lg.ones(2), held], lambda: held.__setitem__(0, other())

    SCENARIOS[f"an argument's {name}"] = argument
    SCENARIOS[f"a global's {name}"] = global_tensor
    SCENARIOS[f"a list's {name}"] = listed
TENSOR = None


def no_grad(function):
    def without(*args):
        with lg.no_grad():
            return function(*args)

    return without


# What is done to a tensor that is the same object afterwards.

CHANGES = {
    "requires_grad_": lambda t: t.requires_grad_(),
    "requires_grad =": lambda t: setattr(t, "requires_grad", True),
    "data =": lambda t: setattr(t, "data", lg.full((2, 2), 5.0)),
    "data = of another shape": lambda t: setattr(t, "data", lg.full((2, 1), 5.0)),
    "data = of another dtype": lambda t: setattr(t, "data", lg.full((2, 2), 5.0, dtype=lg.float64)),
    "data = a view": lambda t: setattr(t, "data", lg.arange(4.0).reshape(2, 2).T),
    "set_": lambda t: t.set_(lg.full((2, 2), 6.0)),
    "set_ a view": lambda t: t.set_(lg.arange(8.0).reshape(2, 4)[:, ::2]),
    "add_": lambda t: t.add_(1),
    "data.add_": lambda t: t.data.add_(1),
    "detach().add_": lambda t: t.detach().add_(1),
    "setitem": lambda t: t.__setitem__((0, 0), 9.0),
    "copy_": lambda t: t.copy_(lg.full((2, 2), 7.0)),
    "t_": lambda t: t.t_(),
    "unsqueeze_": lambda t: t.unsqueeze_(0),
    "numpy": lambda t: t.detach().numpy().fill(4.0),
    "grad =": lambda t: setattr(t, "grad", lg.ones(2, 2)),
    "fill_": lambda t: t.fill_(3.0),
    "resize_": lambda t: t.resize_(1, 2),
    "view.add_": lambda t: t[0].add_(1),
}


def summary(t):
    return [t * 2, flag(t.requires_grad), flag(t.grad is None), t.shape[0], t.stride()[0], t.sum()]


def values(t):
    return [t * 2, t.sum()]


def flag(value):
    return lg.tensor(2.0 if value else 1.0)


def start():
    return lg.tensor([[1.0, 2.0], [3.0, 4.0]])


for name, change in CHANGES.items():
    for reader in (summary, values) if name != "grad =" else (summary,):

        def closure(m, change=change, reader=reader):
            t = start()
            return (lambda x: [x + 1, *reader(t)]), [lg.ones(2)], lambda: change(t)

        def attribute(m, change=change, reader=reader):
            module = nn.Module()
            module.register_buffer("held", start())
            return (lambda x: [x + 1, *reader(module.held)]), [lg.ones(2)], lambda: change(module.held)

        def item(m, change=change, reader=reader):
            held = {"t": start()}
            return (lambda x: [x + 1, *reader(held["t"])]), [lg.ones(2)], lambda: change(held["t"])

        for made in (closure, attribute, item):
            SCENARIOS[f"{name} of a tensor, {made.__name__}, {reader.__name__}"] = made


def hooks(m):
    weight = nn.Parameter(lg.ones(2))

    def step(x):
        weight.grad = None
        (x * weight).sum().backward()
        return weight.grad

    return step, [lg.ones(2)], lambda: weight.register_hook(lambda g: g * 3)


def hook_in_c(m):
    import operator

    weight = nn.Parameter(lg.ones(2))

    def step(x):
        weight.grad = None
        (x * weight).sum().backward()
        return weight.grad

    return step, [lg.ones(2)], lambda: weight.register_hook(operator.neg)


def hook_with_state(m):
    weight, scale = nn.Parameter(lg.ones(2)), [2.0]
    weight.register_hook(lambda g: g * scale[0])

    def step(x):
        weight.grad = None
        (x * weight).sum().backward()
        return weight.grad

    return step, [lg.ones(2)], lambda: scale.__setitem__(0, 5.0)


def accumulation_hook(m):
    weight = nn.Parameter(lg.ones(2))

    def step(x):
        weight.grad = None
        (x * weight).sum().backward()
        return weight.grad

    def double(t):
        t.grad.mul_(2)

    return step, [lg.ones(2)], lambda: weight.register_post_accumulate_grad_hook(double)


def frozen(m):
    weight, other = nn.Parameter(lg.ones(2)), nn.Parameter(lg.ones(2))

    def step(x):
        weight.grad = other.grad = None
        (x * weight * other).sum().backward()
        return [g for g in (weight.grad, other.grad) if g is not None]

    return step, [lg.ones(2)], lambda: other.requires_grad_(False)


def aliased_arguments(m):
    base = lg.arange(4.0)
    args = [base[:2], lg.ones(2)]

    def step(x, y):
        x.mul_(0).add_(3)
        return x + y

    return step, args, lambda: args.__setitem__(1, base[:2])


def same_argument_twice(m):
    args = [lg.ones(2), lg.ones(2)]
    return (lambda x, y: x * (2.0 if x is y else 1.0)), args, lambda: args.__setitem__(1, args[0])


def argument_is_a_global(m):
    held = lg.ones(2)
    args = [lg.ones(2)]
    return (lambda x: x * (2.0 if x is held else 1.0)), args, lambda: args.__setitem__(0, held)


def python_number_of_a_tensor(m):
    held = lg.ones(2)
    return (lambda x: x * held.sum().item()), [lg.ones(2)], lambda: held.add_(1)


for function in (
    hooks, hook_in_c, hook_with_state, accumulation_hook, frozen, aliased_arguments, same_argument_twice,
    argument_is_a_global, python_number_of_a_tensor,
):  # fmt: skip
    SCENARIOS[function.__name__] = function


def lacking(read):
    def scenario(m):
        held = lg.ones(2)
        return (lambda x, t: x * read(t)), [lg.ones(2), held], lambda: setattr(held, "note", 5.0)

    return scenario


def note_or_two(tensor):
    try:
        return tensor.note
    except AttributeError:
        return 2.0


SCENARIOS |= {
    "an attribute of an argument appears, getattr": lacking(lambda t: getattr(t, "note", 2.0)),
    "an attribute of an argument appears, hasattr": lacking(lambda t: 3.0 if hasattr(t, "note") else 2.0),
    "an attribute of an argument appears, try": lacking(note_or_two),
}
