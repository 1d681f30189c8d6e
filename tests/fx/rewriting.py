"""What programs do with graphs, as PyTorch's page on ``torch.fx`` has it; each returns what is compared."""

import copy
import operator
import pickle
import time

import torch
import torch.fx
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.passes.shape_prop import ShapeProp

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def listed(graph):
    def name(target):
        return target if isinstance(target, str) else target.__name__

    return [(n.op, n.name, name(n.target), str(n.args), str(n.kwargs), [u.name for u in n.users]) for n in graph.nodes]


def values(*sizes):
    count = 1
    for size in sizes:
        count *= size
    return torch.linspace(-1.0, 2.0, count).reshape(sizes)


def filled(module):
    for number, (_, value) in enumerate(sorted(module.state_dict().items())):
        if value.is_floating_point():
            value.copy_(values(*value.shape).abs() / (number + 1) + 0.1)
    return module


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.unused = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return torch.add(torch.relu(self.linear(x)), self.scale) + torch.add(x, x)


@program
def add_becomes_mul():
    traced = fx.symbolic_trace(filled(Small()))
    for node in traced.graph.nodes:
        if node.op == "call_function" and node.target in (torch.add, operator.add):
            node.target = torch.mul
    traced.graph.lint()
    before = traced.code
    traced.recompile()
    return "add" in before, listed(traced.graph), traced(values(3, 2)).tolist()


@program
def relu_after_each_relu():
    """Direct graph manipulation: nodes are inserted, and uses replaced."""
    traced = fx.symbolic_trace(filled(Small()))
    for node in list(traced.graph.nodes):
        if node.target is torch.relu or node.target == torch.relu:
            with traced.graph.inserting_after(node):
                new = traced.graph.call_function(torch.neg, args=(node,))
                node.replace_all_uses_with(new)
                new.args = (node,)
    traced.recompile()
    return listed(traced.graph), traced.code.count("neg"), traced(values(3, 2)).tolist()


def fused_weights(conv, bn):
    scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    weight = conv.weight * scale.reshape(-1, 1, 1, 1)
    return nn.Parameter(weight.detach()), nn.Parameter(((conv.bias - bn.running_mean) * scale + bn.bias).detach())


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 3))
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return F.relu(self.norm(self.features(x)))


@program
def convolutions_take_up_normalizations():
    model = filled(Convolutions()).eval()
    traced = fx.symbolic_trace(model)
    modules = dict(traced.named_modules())
    for node in traced.graph.nodes:
        if node.op != "call_module" or type(modules[node.target]) is not nn.BatchNorm2d:
            continue
        before = node.args[0]
        if before.op != "call_module" or type(modules[before.target]) is not nn.Conv2d or len(before.users) > 1:
            continue
        conv = copy.deepcopy(modules[before.target])
        conv.weight, conv.bias = fused_weights(conv, modules[node.target])
        parent, _, name = before.target.rpartition(".")
        setattr(modules[parent], name, conv)
        modules[before.target] = conv
        node.replace_all_uses_with(before)
        traced.graph.erase_node(node)
    traced.delete_all_unused_submodules()
    traced.recompile()
    x = values(1, 3, 8, 8)
    left = sorted(name for name, _ in traced.named_modules())
    return (
        torch.allclose(traced(x), model(x), rtol=1e-4),
        left,
        listed(traced.graph),
        len(dict(traced.named_parameters())),
    )


@program
def patterns():
    def pattern(a, b):
        return torch.relu(a) + b

    def replacement(a, b):
        return torch.sigmoid(b) - a

    def body(x, y):
        first = torch.relu(x) + y
        return torch.relu(first) + torch.relu(y), first * 2

    traced = fx.symbolic_trace(body)
    found = fx.replace_pattern(traced, pattern, replacement)
    places = [sorted((str(key), str(value)) for key, value in match.nodes_map.items()) for match in found]
    return places, listed(traced.graph), [x.tolist() for x in traced(values(2, 2), values(2, 2) * 2)]


@program
def patterns_with_modules_and_constants():
    class Pattern(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            return torch.relu(self.linear(x)).add(1)

    class Replacement(nn.Module):
        def __init__(self):
            super().__init__()
            self.fresh = nn.Linear(2, 2)

        def forward(self, x):
            return torch.tanh(self.fresh(x))

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            y = torch.relu(self.linear(x)).add(1)
            return torch.relu(self.linear(y)).add(2)

    traced = fx.symbolic_trace(Body())
    found = fx.replace_pattern(traced, Pattern(), filled(Replacement()))
    return len(found), listed(traced.graph), sorted(traced.state_dict()), traced(values(3, 2)).shape


@program
def patterns_that_are_read_inside():
    """What a pattern computes and does not return may be read by nobody else; places that overlap count once."""

    def pattern(a):
        return torch.neg(torch.neg(a))

    def body(x):
        y = torch.neg(x)
        z = torch.neg(y)
        w = torch.neg(torch.neg(torch.neg(z)))
        return z + y, w

    traced = fx.symbolic_trace(body)
    found = fx.replace_pattern(traced, pattern, lambda a: torch.relu(a))
    return len(found), listed(traced.graph)


@program
def profiling_interpreter():
    class Profiling(fx.Interpreter):
        def __init__(self, module):
            super().__init__(module)
            self.seen, self.total = [], []

        def run(self, *args):
            begin = time.time()
            result = super().run(*args)
            self.total.append(time.time() - begin)
            return result

        def run_node(self, n):
            begin = time.time()
            result = super().run_node(n)
            self.seen.append((n.name, n.op, time.time() >= begin))
            return result

    model = filled(Small())
    profiling = Profiling(fx.symbolic_trace(model))
    result = profiling.run(values(3, 2))
    return profiling.seen, len(profiling.total), result.tolist(), torch.equal(result, model(values(3, 2)))


@program
def interpreter_that_changes_functions():
    class NegSigmSwap(fx.Interpreter):
        def call_function(self, target, args, kwargs):
            if target == torch.sigmoid:
                return torch.neg(*args, **kwargs)
            return super().call_function(target, args, kwargs)

        def call_method(self, target, args, kwargs):
            if target == "neg":
                return args[0].sigmoid()
            return super().call_method(target, args, kwargs)

    traced = fx.symbolic_trace(lambda x, y=2: torch.sigmoid(x).neg() * y)
    runs = [NegSigmSwap(traced).run(values(4)).tolist(), NegSigmSwap(traced).run(values(4), 3).tolist()]
    try:
        fx.Interpreter(traced).run()
    except RuntimeError as error:
        runs.append(str(error).split("\n")[0])
    node = next(iter(traced.graph.nodes))
    return runs, fx.Interpreter(traced, garbage_collect_values=False).run(initial_env={node: values(4)}).tolist()


@program
def transformer():
    class Swap(fx.Transformer):
        def call_function(self, target, args, kwargs):
            if target == torch.sigmoid:
                return super().call_function(torch.relu, args, kwargs)
            return super().call_function(target, args, kwargs)

        def call_module(self, target, args, kwargs):
            return super().call_module(target, args, kwargs) * 2

    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.weight = nn.Parameter(torch.ones(2))

        def forward(self, x):
            return torch.sigmoid(self.linear(x)) + self.weight

    made = Swap(fx.symbolic_trace(filled(Body()))).transform()
    return listed(made.graph), made(values(3, 2)).tolist()


@program
def retracing_with_proxies():
    """Functions are decomposed while a graph is copied."""

    def relu_decomposition(x):
        return (x > 0) * x

    def decomposed(model):
        graph = fx.Tracer().trace(model)
        new, env = fx.Graph(), {}
        tracer = fx.proxy.GraphAppendingTracer(new)
        for node in graph.nodes:
            if node.op == "call_function" and node.target in (F.relu, torch.relu):
                given = [fx.Proxy(env[x.name], tracer) if isinstance(x, fx.Node) else x for x in node.args]
                env[node.name] = relu_decomposition(*given).node
            else:
                env[node.name] = new.node_copy(node, lambda x: env[x.name])
        return fx.GraphModule(model, new)

    made = decomposed(filled(Small()))
    return listed(made.graph), made(values(3, 2)).tolist()


@program
def a_tracer_of_its_own():
    class Inside(fx.Tracer):
        def is_leaf_module(self, m, qualname):
            return isinstance(m, nn.ReLU)

        def create_proxy(self, kind, target, args, kwargs, *rest, **named):
            proxy = super().create_proxy(kind, target, args, kwargs, *rest, **named)
            proxy.node.meta["seen"] = kind
            return proxy

    model = filled(nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Sequential(nn.Linear(2, 2), nn.Softplus())))
    tracer = Inside()
    graph = tracer.trace(model)
    made = fx.GraphModule(tracer.root, graph)
    stacks = [list(node.meta.get("nn_module_stack", ())) for node in graph.nodes]
    meta = [node.meta.get("seen") for node in graph.nodes]
    return listed(graph), made(values(3, 2)).tolist(), stacks, meta, tracer.path_of_module(model[2][0])


@program
def tracers_that_decide():
    class Deciding(fx.Tracer):
        def to_bool(self, obj):
            return True

        def iter(self, obj):
            return iter([obj[0], obj[1]])

    def body(x):
        rows = [row * 2 for row in x]
        return rows if x.sum() > 0 else -x

    graph = Deciding().trace(body)
    return listed(graph)


@program
def buffers_as_proxies():
    class Body(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("shift", torch.ones(2))

        def forward(self, x):
            return self.shift * self.shift + x

    class WithBuffers(fx.Tracer):
        proxy_buffer_attributes = True

        def __init__(self):
            super().__init__()
            self.proxy_buffer_attributes = True

    return listed(WithBuffers().trace(Body())), listed(fx.Tracer().trace(Body()))


@program
def a_graph_by_hand():
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.placeholder("y", type_expr=torch.Tensor, default_value=2)
    total = graph.call_function(torch.add, (x, y), {"alpha": 3})
    weight = graph.get_attr("sub.weight")
    called = graph.call_module("sub", (graph.call_method("reshape", (total, -1, 2)),))
    result = graph.output({"total": total, "called": [called, weight]})
    parts = {"sub": filled(nn.Linear(2, 2)), "sub.weight": nn.Parameter(torch.ones(2, 2))}
    made = fx.GraphModule(parts, graph, "Made")
    found = made(values(2, 2))
    facts = [
        result.op,
        total.next is weight,
        weight.prev is total,
        [n.name for n in called.all_input_nodes],
        len(graph.nodes),
    ]
    backwards = [n.name for n in reversed(graph.nodes)]
    facts += [
        [n.name for n in graph.find_nodes(op="get_attr")],
        graph.find_nodes(op="call_function", target=torch.add)[0].name,
    ]
    return (
        listed(graph),
        str(graph),
        facts,
        backwards,
        found["called"][0].tolist(),
        type(made).__name__,
        sorted(made.state_dict()),
    )


@program
def editing():
    """Insert points, moves, erased nodes, arguments that change, dead code."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    a, b = graph.call_function(torch.neg, (x,)), graph.call_method("exp", (x,))
    c = graph.call_function(torch.add, (a, b))
    graph.output(c)
    with graph.inserting_after(a):
        graph.call_function(torch.sin, (a,))
        d = graph.call_function(torch.cos, (a,))
    with graph.inserting_before(c):
        e = graph.create_node("call_function", torch.mul, (d, 2), name="chosen name")
    graph.inserting_before()
    texts = [str(graph)]
    c.update_arg(0, e)
    c.insert_arg(0, 1)
    c.update_kwarg("alpha", d)
    texts.append(str(graph))
    c.args, c.kwargs = (e, b), {}
    c.replace_input_with(b, a)
    a.prepend(b)
    texts.append(str(graph))
    errors = []
    for wrong in (
        lambda: graph.erase_node(a),
        lambda: graph.create_node("wrong", "x"),
        lambda: graph.call_function("x"),
        lambda: graph.call_method(torch.add),
        lambda: graph.inserting_after(fx.Graph().placeholder("x")),
        lambda: fx.Graph().call_function(torch.stack, ([1],)).args[0].append(1),
    ):
        try:
            wrong()
        except Exception as error:
            errors.append(type(error).__name__)
    a.args = (x,)
    changed = graph.eliminate_dead_code(), graph.eliminate_dead_code()
    graph.lint()
    return texts, errors, changed, str(graph), [n.is_impure() for n in graph.nodes]


@program
def lint_finds():
    def later():
        graph = fx.Graph()
        x = graph.placeholder("x")
        a = graph.call_function(torch.neg, (x,))
        graph.output(a)
        a.append(x)
        return graph

    def of_another():
        graph = fx.Graph()
        graph.output(fx.Graph().placeholder("y"))
        return graph

    def without_target():
        graph = fx.Graph()
        graph.output(graph.call_module("sub.inner", ()))
        made = fx.GraphModule({"sub.inner": nn.ReLU()}, graph)
        del made.sub
        return made.graph

    found = []
    for make in (later, of_another, without_target):
        try:
            make().lint()
        except RuntimeError as error:
            found.append(str(error).split("\n")[0])
    return found


@program
def copies_and_pickles():
    traced = fx.symbolic_trace(filled(Small()))
    list(traced.graph.nodes)[1].meta["note"] = "kept"
    deep, shallow, read = copy.deepcopy(traced), copy.copy(traced), pickle.loads(pickle.dumps(traced))
    with torch.no_grad():
        traced.scale.add_(1)
    x = values(3, 2)
    same = [torch.equal(made(x), traced(x)) for made in (deep, shallow, read)]
    kept = [made.code == traced.code for made in (deep, shallow, read)]
    graph = copy.deepcopy(traced.graph)
    graph.erase_node(graph.output_node())
    names = [sorted(made.state_dict()) for made in (deep, shallow, read)]
    return (
        same,
        kept,
        names,
        len(traced.graph.nodes) - len(graph.nodes),
        list(deep.graph.nodes)[1].meta.get("note"),
    )


@program
def graph_copies():
    inner = fx.symbolic_trace(lambda a, b: torch.mul(a, b) + 1).graph
    graph = fx.Graph()
    x = graph.placeholder("x")
    given = dict(zip([n for n in inner.nodes if n.op == "placeholder"], [x, x], strict=True))
    result = graph.graph_copy(inner, given)
    graph.output((result, graph.node_copy(list(inner.nodes)[2], lambda n: x)))
    return listed(graph)


@program
def submodules():
    traced = fx.symbolic_trace(filled(nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Tanh()))))
    added = traced.add_submodule("more.inner", nn.Linear(1, 1)), traced.add_submodule("0.weight.x", nn.ReLU())
    names = sorted(name for name, _ in traced.named_modules())
    deleted = [traced.delete_submodule(name) for name in ("more.inner", "none", "more.none")]
    traced.delete_all_unused_submodules()
    return added, names, deleted, sorted(name for name, _ in traced.named_modules())


@program
def shapes():
    traced = fx.symbolic_trace(filled(Convolutions()).eval())
    ShapeProp(traced).propagate(values(1, 3, 8, 8))
    found = []
    for node in traced.graph.nodes:
        meta = node.meta["tensor_meta"]
        found.append(
            (node.name, tuple(meta.shape), str(meta.dtype).rpartition(".")[2], tuple(meta.stride), meta.requires_grad)
        )
    several = fx.symbolic_trace(lambda x: x.chunk(2))
    ShapeProp(several).propagate(values(4, 2))
    parts = [tuple(part.shape) for part in list(several.graph.nodes)[1].meta["tensor_meta"]]
    return found, parts, list(several.graph.nodes)[1].meta["type"].__name__


@program
def training():
    traced = fx.symbolic_trace(filled(Small()))
    optimizer = torch.optim.SGD(traced.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        loss = F.mse_loss(traced(values(3, 2)), torch.ones(3, 2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(round(loss.item(), 4))
    again = fx.symbolic_trace(traced)
    return losses, listed(again.graph), traced.training, traced.eval().training, len(list(traced.parameters()))


@program
def specialized():
    def body(x, scale=True, shift=None):
        y = x * 2 if scale else x
        return y if shift is None else y + shift

    made = fx.symbolic_trace(body, concrete_args={"scale": True, "shift": None})
    found = [listed(made.graph), made(values(2), True, None).tolist()]
    try:
        made(values(2), False, None)
    except AssertionError as error:
        found.append(str(error))
    return found


@program
def proxies():
    graph = fx.Graph()
    x = fx.Proxy(graph.placeholder("x"))
    y = (x.exp() + x.attribute)[0] * torch.relu(x)
    texts = [repr(y), repr(x), repr(x.attribute.node), isinstance(y, fx.Proxy), y.node.name]
    called = x(3, key=y)
    graph.output(called.node)
    return texts, listed(graph), hash(x) == hash(x)


@program
def side_effects():
    @fx.has_side_effect
    def noted(x):
        return x

    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.call_function(noted, (x,))
    graph.call_function(torch.relu, (x,))
    graph.output(x)
    graph.eliminate_dead_code()
    return listed(graph)
