"""What lazygrad itself keeps: settings, modules, optimizers, hooks, random generators."""

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad import nn

SCENARIOS = {}


def add(name, scenario):
    SCENARIOS[name] = scenario


# Modules.


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Tanh()])
        self.named = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Tanh()})
        self.weights = nn.ParameterList([lg.ones(2), lg.full((2,), 2.0)])
        self.table = nn.ParameterDict({"a": lg.ones(2), "b": lg.full((2,), 2.0)})
        self.register_buffer("factor", lg.ones(2))
        self.register_buffer("nothing", None)
        self.scale, self.activation = 1.0, F.relu

    def forward(self, x):
        x = self.second(self.activation(self.first(x))) * self.scale * self.factor
        for layer in self.layers:
            x = layer(x)
        for name, layer in self.named.items():
            x = layer(x) + len(name)
        for weight in self.weights:
            x = x * 2 + weight
        for name in self.table:
            x = x * 3 + self.table[name]
        if self.nothing is not None:
            x = x + self.nothing
        return x if self.training else x + 1


def turn(items):
    pairs = list(items.items())
    items.clear()
    items.update(reversed(pairs))


def swap(net):
    net.first, net.second = net.second, net.first


def double(module, args, output):
    return output * 2


def double_input(module, args):
    return (args[0] * 2,)


CHANGES = {
    "eval": lambda n: n.eval(),
    "training =": lambda n: setattr(n, "training", False),
    "an attribute": lambda n: setattr(n, "scale", 3.0),
    "a function attribute": lambda n: setattr(n, "activation", lg.sin),
    "swapped children": swap,
    "a new child": lambda n: setattr(n, "first", nn.Sigmoid()),
    "a child's weight": lambda n: setattr(n.first, "weight", nn.Parameter(lg.ones(2, 2))),
    "a child's weight in place": lambda n: n.first.weight.data.fill_(1.5),
    "a child's bias is None": lambda n: setattr(n.first, "bias", None),
    "register_parameter": lambda n: n.first.register_parameter("bias", None),
    "_parameters": lambda n: n.first._parameters.update(bias=nn.Parameter(lg.full((2,), 5.0))),
    "_buffers": lambda n: n._buffers.update(factor=lg.full((2,), 5.0)),
    "_modules": lambda n: n._modules.update(first=nn.Sigmoid()),
    "a buffer": lambda n: setattr(n, "factor", lg.full((2,), 4.0)),
    "a buffer in place": lambda n: n.factor.fill_(4.0),
    "a buffer that was None": lambda n: setattr(n, "nothing", lg.ones(2)),
    "a list's child": lambda n: n.layers.__setitem__(1, nn.Sigmoid()),
    "a longer list": lambda n: n.layers.append(nn.Sigmoid()),
    "an inserted child": lambda n: n.layers.insert(0, nn.Sigmoid()),
    "the order of a list": lambda n: turn(n.layers._modules),
    "the order of a dict": lambda n: turn(n.named._modules),
    "a dict's child": lambda n: n.named.update({"a": nn.Sigmoid()}),
    "a new name in a dict": lambda n: n.named.update({"long": nn.Sigmoid()}),
    "a popped child": lambda n: n.named.pop("b"),
    "a parameter list": lambda n: n.weights.append(lg.ones(2)),
    "a parameter list's item": lambda n: n.weights.__setitem__(0, nn.Parameter(lg.zeros(2))),
    "a parameter dict": lambda n: n.table.update({"c": lg.ones(2)}),
    "a parameter dict's item": lambda n: n.table.update({"a": lg.zeros(2)}),
    "a forward hook": lambda n: n.first.register_forward_hook(double),
    "a forward hook of the root": lambda n: n.register_forward_hook(double),
    "a forward pre-hook": lambda n: n.first.register_forward_pre_hook(double_input),
    "an instance's forward": lambda n: setattr(n.first, "forward", lambda x: x * 9),
    "a child's class": lambda n: setattr(n.layers[1], "__class__", nn.Sigmoid),
    "the class's forward": lambda n: setattr(type(n), "forward", lambda self, x: x * 9),
    "load_state_dict": lambda n: n.load_state_dict({k: v * 2 for k, v in n.state_dict().items()}),
    "double": lambda n: n.double(),
    "requires_grad_": lambda n: n.requires_grad_(False),
    "deleted and set": lambda n: (delattr(n, "scale"), setattr(n, "scale", 4.0)),
    "apply": lambda n: n.apply(lambda each: setattr(each, "training", False)),
    "a child hides an attribute": lambda n: n.__dict__.update(first=nn.Sigmoid()),
    "a deleted child": lambda n: delattr(n, "second"),
}
for name, change in CHANGES.items():

    def inference(m, change=change):
        net = type("Own", (Net,), {})()
        args = [lg.ones(3, 2)]

        def function(x):
            with lg.no_grad():
                return net(x.to(net.factor.dtype))

        return function, args, lambda: change(net)

    def training(m, change=change):
        net = type("Own", (Net,), {})()

        def function(x):
            net.zero_grad()
            loss = net(x.to(net.factor.dtype)).sum()
            loss.backward()
            return [loss.detach(), *[p.grad for p in net.parameters() if p.grad is not None]]

        return function, [lg.ones(3, 2)], lambda: change(net)

    if name != "requires_grad_":  # which makes no difference here
        add(f"a network, {name}", inference)
    add(f"a network's gradients, {name}", training)


def _weighted_norm():
    norm = nn.LayerNorm(4)
    nn.init.constant_(norm.weight, 2.0)
    return norm


LAYERS = {
    "dropout p": (lambda: nn.Dropout(0.5), lambda l: setattr(l, "p", 0.0)),
    "dropout eval": (lambda: nn.Dropout(0.5), lambda l: l.eval()),
    "softmax dim": (lambda: nn.Softmax(0), lambda l: setattr(l, "dim", 1)),
    "leaky_relu slope": (lambda: nn.LeakyReLU(0.1), lambda l: setattr(l, "negative_slope", -3.0)),
    "batch norm eps": (lambda: nn.BatchNorm1d(4), lambda l: setattr(l, "eps", 0.9)),
    "batch norm eval": (lambda: nn.BatchNorm1d(4), lambda l: l.eval()),
    "batch norm statistics": (lambda: nn.BatchNorm1d(4).eval(), lambda l: l.running_mean.fill_(3.0)),
    "layer norm eps": (lambda: nn.LayerNorm(4), lambda l: setattr(l, "eps", 0.9)),
    "layer norm weight": (_weighted_norm, lambda l: setattr(l, "weight", None)),
    "linear weight": (lambda: nn.Linear(4, 4), lambda l: setattr(l, "weight", nn.Parameter(lg.ones(4, 4)))),
    "flatten": (lambda: nn.Flatten(0), lambda l: setattr(l, "start_dim", 1)),
    "gelu": (lambda: nn.GELU(), lambda l: setattr(l, "approximate", "tanh")),
    "hardtanh": (lambda: nn.Hardtanh(), lambda l: setattr(l, "max_val", 0.1)),
    "elu": (lambda: nn.ELU(), lambda l: setattr(l, "alpha", 3.0)),
    "prelu": (lambda: nn.PReLU(), lambda l: l.weight.data.fill_(3.0)),
    "threshold": (lambda: nn.Threshold(0.1, 0.0), lambda l: setattr(l, "threshold", 2.0)),
    "softplus": (lambda: nn.Softplus(), lambda l: setattr(l, "beta", 3.0)),
    "identity": (lambda: nn.Identity(), lambda l: setattr(l, "forward", lambda x: x * 2)),
    "sequential order": (lambda: nn.Sequential(nn.Tanh(), nn.Softplus()), lambda l: turn(l._modules)),
    "sequential append": (lambda: nn.Sequential(nn.Tanh()), lambda l: l.append(nn.Softplus())),
    "sequential item": (lambda: nn.Sequential(nn.Tanh()), lambda l: l.__setitem__(0, nn.Softplus())),
}
for name, (make, change) in LAYERS.items():

    def layer(m, make=make, change=change):
        made = make()

        def function(x):
            with lg.no_grad():
                return made(x)

        return function, [lg.arange(12.0).reshape(3, 4) - 5], lambda: change(made)

    add(f"a layer: {name}", layer)

# Losses that are modules, with their options.

for name, make, change in (
    ("reduction", lambda: nn.MSELoss(), lambda l: setattr(l, "reduction", "sum")),
    ("beta", lambda: nn.SmoothL1Loss(), lambda l: setattr(l, "beta", 0.1)),
    ("smoothing", lambda: nn.HuberLoss(), lambda l: setattr(l, "delta", 0.1)),
):

    def loss_module(m, make=make, change=change):
        made = make()
        return (lambda x: made(x, x * 2)), [lg.ones(3)], lambda: change(made)

    add(f"a loss: {name}", loss_module)

# Optimizers.


def training_step(optimizer_of, optimizer_class=None):
    lg.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = optimizer_of(model.parameters())

    def step(x):
        before = [p.detach().clone() for p in model.parameters()]
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        change = [p.detach() - b for p, b in zip(model.parameters(), before, strict=True)]
        with lg.no_grad():
            for parameter, old in zip(model.parameters(), before, strict=True):
                parameter.copy_(old)  # so that every call does the same
        return [loss.detach(), *change]

    return model, optimizer, step


OPTIMIZERS = {
    "sgd": lambda p: lg.optim.SGD(p, lr=0.1),
    "momentum": lambda p: lg.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
}
OPTIONS = {
    "lr": 0.3, "momentum": 0.5, "weight_decay": 0.7, "dampening": 0.4, "nesterov": False, "maximize": True,
}  # fmt: skip


def option_scenario(make, option, value):
    def scenario(m):
        _, optimizer, step = training_step(make)
        return step, [lg.ones(2, 2)], lambda: optimizer.param_groups[0].__setitem__(option, value)

    return scenario


for option, value in OPTIONS.items():
    if option in ("lr", "weight_decay", "maximize"):
        add(f"an optimizer's {option}", option_scenario(OPTIMIZERS["sgd"], option, value))


def stateless(change):
    """A step whose optimizer is without state, so that it can be called twice."""

    def scenario(m):
        model, optimizer, step = training_step(OPTIMIZERS["sgd"])
        return step, [lg.ones(2, 2)], lambda: change(model, optimizer, m)

    return scenario


class Doubled(lg.optim.SGD):
    pass


def _new_group(model, optimizer, m):
    weight = optimizer.param_groups[0]["params"].pop(0)
    optimizer.add_param_group({"params": [weight], "lr": 0.9})


OPTIMIZER_CHANGES = {
    "lr as a tensor": lambda model, o, m: o.param_groups[0].update(lr=0.25),
    "groups are replaced": lambda model, o, m: setattr(o, "param_groups", [{**o.param_groups[0], "lr": 0.7}]),
    "a group is added": _new_group,
    "a parameter is dropped": lambda model, o, m: o.param_groups[0]["params"].pop(),
    "a parameter is replaced": lambda model, o, m: setattr(model, "weight", nn.Parameter(lg.ones(1, 2))),
    "frozen": lambda model, o, m: model.weight.requires_grad_(False),
    "a pre-hook": lambda model, o, m: o.register_step_pre_hook(
        lambda opt, args, kwargs: opt.param_groups[0].update(lr=0.6)
    ),
    "a post-hook": lambda model, o, m: o.register_step_post_hook(
        lambda opt, args, kwargs: [p.data.mul_(2) for p in opt.param_groups[0]["params"]]
    ),
    "load_state_dict": lambda model, o, m: o.load_state_dict(
        {"state": {}, "param_groups": [{**o.state_dict()["param_groups"][0], "lr": 0.55}]}
    ),
    "its class": lambda model, o, m: setattr(o, "__class__", _doubling()),
    "its class's update": lambda model, o, m: m.setattr(
        lg.optim.SGD, "_update_parameter", lambda self, p, g, s, group: p.data.sub_(g)
    ),
    "its step": lambda model, o, m: setattr(o, "step", lambda: None),
    "its zero_grad": lambda model, o, m: setattr(o, "zero_grad", lambda: None),
    "SGD.step": lambda model, o, m: m.setattr(lg.optim.SGD, "step", lambda self: None),
}


def _doubling():
    class Doubling(lg.optim.SGD):
        def step(self, closure=None):
            super().step()
            for parameter in self.param_groups[0]["params"]:
                parameter.data.mul_(2)

    return Doubling


for name, change in OPTIMIZER_CHANGES.items():
    add(f"an optimizer: {name}", stateless(change))


def reads_defaults(m):
    optimizer = lg.optim.SGD([nn.Parameter(lg.ones(2))], lr=0.1)
    return (lambda x: x * optimizer.defaults["lr"]), [lg.ones(2)], lambda: optimizer.defaults.update(lr=0.5)


def reads_groups(m):
    optimizer = lg.optim.SGD([nn.Parameter(lg.ones(2))], lr=0.1)
    return (
        (lambda x: x * optimizer.param_groups[0]["lr"]),
        [lg.ones(2)],
        lambda: optimizer.param_groups[0].update(lr=0.5),
    )


def reads_state(m):
    parameter = nn.Parameter(lg.ones(2))
    optimizer = lg.optim.SGD([parameter], lr=0.1)
    optimizer.state[parameter]["note"] = 1.0
    return (
        (lambda x: x * optimizer.state[parameter]["note"]),
        [lg.ones(2)],
        lambda: optimizer.state[parameter].update(note=5.0),
    )


def reads_rng_state(m):
    return (lambda x: x + lg.get_rng_state()[:2].float()), [lg.ones(2)], lambda: lg.manual_seed(77)


def returns_a_global(m):
    table = {"n": 1.0, "list": [1.0]}
    return (lambda x: [x + 1, table]), [lg.ones(2)], lambda: table["list"].append(2.0)


def finds_an_argument_again(m):
    held = [lg.ones(2)]
    args = [held[0]]
    return (lambda x: x * held[0]), args, lambda: args.__setitem__(0, lg.full((2,), 3.0))


def clipping(m):
    weight, limit = nn.Parameter(lg.ones(2)), [0.1]

    def step(x):
        weight.grad = None
        (x * weight).sum().backward()
        nn.utils.clip_grad_norm_([weight], limit[0])
        return weight.grad

    return step, [lg.ones(2)], lambda: limit.__setitem__(0, 0.5)


for function in (
    reads_defaults, reads_groups, reads_state, reads_rng_state, returns_a_global, finds_an_argument_again, clipping,
):  # fmt: skip
    add(function.__name__, function)

# Settings of the library.


def undone(m, setter, value, before):
    _UNDO.append(lambda: setter(before))
    setter(value)


_UNDO = []


def undo_settings():
    """Take back what scenarios have set."""
    while _UNDO:
        _UNDO.pop()()


def setting(function, setter, value, before):
    return lambda m: (function, [lg.ones(2)], lambda: undone(m, setter, value, before))


add("the default dtype", setting(lambda x: x + lg.ones(2), lg.set_default_dtype, lg.float64, lg.float32))
add(
    "the default dtype of numbers",
    setting(lambda x: lg.tensor([1.5]) + 0, lg.set_default_dtype, lg.float64, lg.float32),
)
add(
    "get_default_dtype",
    setting(
        lambda x: x * (2.0 if lg.get_default_dtype() is lg.float64 else 1.0),
        lg.set_default_dtype,
        lg.float64,
        lg.float32,
    ),
)
add(
    "get_num_threads",
    setting(lambda x: x * lg.get_num_threads(), lg.set_num_threads, lg.get_num_threads() + 1, lg.get_num_threads()),
)
add(
    "get_backend",
    lambda m: setting(
        lambda x: x * len(lg.get_backend()),
        lg.set_backend,
        "auto" if lg.get_backend() == "numpy" else "numpy",
        lg.get_backend(),
    )(m),
)
add(
    "is_grad_enabled",
    lambda m: (
        lambda x: x * (2.0 if lg.is_grad_enabled() else 1.0),
        [lg.ones(2)],
        lambda: undone(m, lg.set_grad_enabled, False, True),
    ),
)
add("set_grad_enabled", lambda m: _gradient_mode(m))
add(
    "are_deterministic_algorithms_enabled",
    setting(
        lambda x: x * (2.0 if lg.are_deterministic_algorithms_enabled() else 1.0),
        lg.use_deterministic_algorithms,
        True,
        False,
    ),
)
add(
    "anomaly mode",
    setting(lambda x: x * (2.0 if lg.is_anomaly_enabled() else 1.0), lg.autograd.set_detect_anomaly, True, False),
)
add("initial_seed", lambda m: (lambda x: x * (lg.initial_seed() % 100), [lg.ones(2)], lambda: _seed_back(m)))
add("get_rng_state", lambda m: (lambda x: x * float(lg.get_rng_state().sum()), [lg.ones(2)], lambda: lg.manual_seed(5)))
add("manual_seed before dropout", lambda m: (lambda x: F.dropout(x, 0.5), [lg.ones(64)], lambda: lg.manual_seed(5)))
add("manual_seed before rand", lambda m: (lambda x: x + lg.rand(2), [lg.ones(2)], lambda: lg.manual_seed(5)))
add("a Generator", lambda m: _generator(m))
add(
    "print options", setting(lambda x: x * len(str(lg.tensor(1 / 3))), lambda n: lg.set_printoptions(precision=n), 2, 4)
)
add("saved-tensor hooks", lambda m: _saved_hooks(m))
add("autocast", lambda m: _autocast(m))
add("is_autocast_enabled", lambda m: _autocast_read(m))
add("inference mode", lambda m: _inference(m))
add("is_inference_mode_enabled", lambda m: _inference_read(m))
add("the default device", lambda m: _device(m))


def _seed_back(m):
    lg.manual_seed(77)


def entered(m, manager):
    manager.__enter__()
    _UNDO.append(lambda: manager.__exit__(None, None, None))


def _gradient_mode(m):
    weight = lg.ones(2, requires_grad=True)
    return (
        (lambda x: (x * weight).detach() * (1.0 if (x * weight).requires_grad else 2.0)),
        [lg.ones(2)],
        lambda: undone(m, lg.set_grad_enabled, False, True),
    )


def _generator(m):
    generator = lg.Generator()
    generator.manual_seed(0)
    return (lambda x: x + lg.rand(2, generator=generator.clone_state())), [lg.ones(2)], lambda: generator.manual_seed(5)


def _saved_hooks(m):
    weight = nn.Parameter(lg.ones(2))

    def step(x):
        weight.grad = None
        ((x * weight) ** 2).sum().backward()
        return weight.grad

    return step, [lg.ones(2)], lambda: entered(m, lg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 3))


def _autocast(m):
    return (
        (lambda x: x.reshape(1, 2) @ x.reshape(2, 1)),
        [lg.ones(2)],
        lambda: entered(m, lg.autocast("cpu", dtype=lg.bfloat16)),
    )


def _autocast_read(m):
    return (
        (lambda x: x * (2.0 if lg.is_autocast_enabled("cpu") else 1.0)),
        [lg.ones(2)],
        lambda: entered(m, lg.autocast("cpu", dtype=lg.bfloat16)),
    )


def _inference(m):
    return (
        (lambda x: x.exp() * (2.0 if (x + 1).is_inference() else 1.0)),
        [lg.ones(2)],
        lambda: entered(m, lg.inference_mode()),
    )


def _inference_read(m):
    return (
        (lambda x: x * (2.0 if lg.is_inference_mode_enabled() else 1.0)),
        [lg.ones(2)],
        lambda: entered(m, lg.inference_mode()),
    )


def _device(m):
    return (
        (lambda x: lg.ones(2) * (2.0 if lg.ones(2).device.type == "meta" else 1.0)),
        [lg.ones(2)],
        lambda: undone(m, lg.set_default_device, "meta", "cpu"),
    )


# Calls that are not the same when they are made again: the uncompiled ones need a state of their own.
STATEFUL = {"an optimizer: its zero_grad": SCENARIOS.pop("an optimizer: its zero_grad")}


def statistics(change):
    def scenario(m):
        norm = nn.BatchNorm1d(4)

        def function(x):
            with lg.no_grad():
                return [norm(x), norm.running_mean.clone()]

        return function, [lg.arange(12.0).reshape(3, 4) - 5], lambda: change(norm)

    return scenario


def dropout_in_place(m):
    dropout = nn.Dropout(0.5)

    def function(x):
        with lg.no_grad():
            return [dropout(x), x + 0]

    return function, [lg.arange(12.0).reshape(3, 4) - 5], lambda: setattr(dropout, "inplace", True)


STATEFUL["dropout in place"] = dropout_in_place
STATEFUL["batch norm momentum"] = statistics(lambda norm: setattr(norm, "momentum", 0.9))
STATEFUL["batch norm without momentum"] = statistics(lambda norm: setattr(norm, "momentum", None))
