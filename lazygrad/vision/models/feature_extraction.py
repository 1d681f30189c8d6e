"""Networks that return what they compute on the way: torchvision's ``models.feature_extraction``.

A network is traced by `lazygrad.fx` twice, in training and in evaluation mode, and its graphs are cut behind the values
that are asked for. Values are named by the path of the module that computes them and, where that is no layer, by the
operation: ``layer1.0.conv2``, ``layer1.0.add``.
"""

from __future__ import annotations

import copy
import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from lazygrad import fx
from lazygrad.fx.graph_module import copy_attribute
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn import Module
from lazygrad.vision import ops

__all__ = ["create_feature_extractor", "get_graph_node_names"]

Names = Mapping[str, str] | Sequence[str]
_NOTE = "NOTE: The nodes obtained by tracing the model in {} mode are a subsequence of those obtained in {} mode."
_SEPARATELY = "you may need to specify output nodes for train and eval mode separately."


class LeafModuleAwareTracer(fx.Tracer):
    """A tracer that also takes modules of given classes for leaves.

    Args:
        leaf_modules: the classes.
        *args, **kwargs: of `lazygrad.fx.Tracer`.
    """

    def __init__(self, *args: Any, leaf_modules: Sequence[type[Module]] = (), **kwargs: Any) -> None:
        self.leaf_modules = tuple(leaf_modules)
        super().__init__(*args, **kwargs)

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        return isinstance(m, self.leaf_modules) or super().is_leaf_module(m, module_qualified_name)


class NodePathTracer(LeafModuleAwareTracer):
    """A tracer that notes where in the network each node was made.

    Attributes:
        node_to_qualname: the name of each node's value, such as ``layer1.0.conv2`` or ``layer1.0.relu_1``. Numbers
            count within the module.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.current_module_qualname = ""
        self.node_to_qualname: dict[fx.Node, str] = {}
        self._counts: dict[str, int] = {}

    def call_module(self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        outer, self.current_module_qualname = self.current_module_qualname, self.path_of_module(m)
        try:
            return super().call_module(m, forward, args, kwargs)
        finally:
            self.current_module_qualname = outer

    def create_proxy(self, kind: str, target: Any, args: Any, kwargs: Any, *rest: Any, **named: Any) -> Any:
        proxy = super().create_proxy(kind, target, args, kwargs, *rest, **named)
        self.node_to_qualname[proxy.node] = self._qualified(proxy.node)
        return proxy

    def _qualified(self, node: fx.Node) -> str:
        name = self.current_module_qualname
        if node.op != "call_module":  # which is its own path
            name = f"{name}.{node.name}" if name else node.name
        name = re.sub(r"_\d+$", "", name)  # the graph's numbers count in the whole network
        number = self._counts[name] = self._counts.get(name, -1) + 1
        return f"{name}_{number}" if number else name


def _tracer_options(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Options of a tracer, with the modules of ``vision.ops`` among the leaves, and its functions recorded as calls."""
    options = dict(given or {})
    layers = [cls for _, cls in inspect.getmembers(ops, inspect.isclass) if issubclass(cls, Module)]
    options["leaf_modules"] = [*options.get("leaf_modules", ()), *layers]
    options["autowrap_modules"] = tuple({math: None, ops: None, **dict.fromkeys(options.get("autowrap_modules", ()))})
    return options


@contextmanager
def _mode_kept(model: Module) -> Iterator[None]:
    before = {module: module.training for module in model.modules()}
    try:
        yield
    finally:
        for module, training in before.items():
            module.training = training


def _traced(
    model: Module, options: dict[str, Any], concrete_args: Mapping[str, Any] | None
) -> dict[str, tuple[NodePathTracer, fx.Graph]]:
    """The tracers and graphs of a network in both modes."""
    found = {}
    with _mode_kept(model):
        for mode in ("train", "eval"):
            model.train(mode == "train")
            tracer = NodePathTracer(**options)
            found[mode] = tracer, tracer.trace(model, concrete_args)
    return found


def _is_within(these: list[str], those: list[str]) -> bool:
    """Whether names occur among others in the same order."""
    rest = iter(those)
    return all(name in rest for name in these)


def _warn_of_difference(train: list[str], eval: list[str]) -> None:
    if train == eval:
        return
    if _is_within(eval, train):
        found = _NOTE.format("eval", "train")
    elif _is_within(train, eval):
        found = _NOTE.format("train", "eval")
    else:
        found = "The nodes obtained by tracing the model in train mode are different to those obtained in eval mode."
    warn_user(f"{found} When choosing nodes for feature extraction, {_SEPARATELY}")


def get_graph_node_names(
    model: Module,
    tracer_kwargs: dict[str, Any] | None = None,
    suppress_diff_warning: bool = False,
    concrete_args: dict[str, Any] | None = None,
) -> tuple[list[str], list[str]]:
    """The names of all values that `create_feature_extractor` can return.

    Args:
        model: the network, whose mode is not changed.
        tracer_kwargs: options of `NodePathTracer`.
        suppress_diff_warning: do not warn if the names differ between the modes.
        concrete_args: values of arguments of ``forward``, see `lazygrad.fx.Tracer.trace`.

    Returns:
        The names in training mode, and those in evaluation mode.
    """
    traced = _traced(model, _tracer_options(tracer_kwargs), concrete_args)
    train, eval = (list(tracer.node_to_qualname.values()) for tracer, _ in traced.values())
    if not suppress_diff_warning:
        _warn_of_difference(train, eval)
    return train, eval


class DualGraphModule(fx.GraphModule):
    """A module of two graphs, one for each mode.

    Args:
        root: the network that has the attributes the graphs name.
        train_graph, eval_graph: the graphs.
        class_name: what the class calls itself.
    """

    def __init__(
        self, root: Module, train_graph: fx.Graph, eval_graph: fx.Graph, class_name: str = "GraphModule"
    ) -> None:
        super().__init__(root, train_graph, class_name)
        for node in chain(train_graph.nodes, eval_graph.nodes):
            if node.op in ("get_attr", "call_module"):
                copy_attribute(root, self, node.target)
        self.train_graph, self.eval_graph = train_graph, eval_graph
        self.training = True

    def train(self, mode: bool = True) -> DualGraphModule:
        """Put the module and all below it in training or evaluation mode, and take that mode's graph."""
        if mode is not self.training:
            self.graph = self.train_graph if mode else self.eval_graph
        return super().train(mode)

    def __deepcopy__(self, memo: dict[int, Any]) -> DualGraphModule:
        graphs = [copy.deepcopy(graph) for graph in (self.train_graph, self.eval_graph)]
        root = Module()
        kept = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")
        root.__dict__.update({name: copy.deepcopy(self.__dict__[name], memo) for name in kept})
        made = DualGraphModule(root, graphs[0], graphs[1], type(self).__name__)
        modes = {name: module.training for name, module in self.named_modules()}
        made.train(self.training)
        for name, module in made.named_modules():
            module.training = modes[name]
        return made

    def __reduce__(self) -> Any:
        parts = {name: value for name, value in self._parts().items() if name not in ("train_graph", "eval_graph")}
        return _rebuilt, (type(self).__name__, parts, self.train_graph.records(), self.eval_graph.records())


def _rebuilt(class_name: str, parts: dict[str, Any], train: Any, eval: Any) -> DualGraphModule:
    root = Module()
    root.__dict__.update(parts)
    is_training = root.training
    made = DualGraphModule(root, fx.Graph.of_records(train), fx.Graph.of_records(eval), class_name)
    if not is_training:
        modes = [module.training for module in made.modules()]
        made.train(False)
        for module, mode in zip(list(made.modules())[1:], modes[1:], strict=True):
            module.training = mode
    return made


def create_feature_extractor(
    model: Module,
    return_nodes: Names | None = None,
    train_return_nodes: Names | None = None,
    eval_return_nodes: Names | None = None,
    tracer_kwargs: dict[str, Any] | None = None,
    suppress_diff_warning: bool = False,
    concrete_args: dict[str, Any] | None = None,
) -> fx.GraphModule:
    """A network that returns some of the values that another one computes, and computes nothing behind them.

    Args:
        model: the network, whose parameters the new one shares.
        return_nodes: names of values, or of modules, whose last value is meant; as a list, or as a dictionary with
            the names under which they are returned.
        train_return_nodes, eval_return_nodes: the same for each mode, instead.
        tracer_kwargs: options of `NodePathTracer`.
        suppress_diff_warning: do not warn if the names differ between the modes.
        concrete_args: values of arguments of ``forward``, see `lazygrad.fx.Tracer.trace`.

    Returns:
        A module that returns a dictionary.

    Raises:
        ValueError: names for one mode only, or for both at once and for each; a name that the network does not have.
    """
    wanted = _by_mode(return_nodes, train_return_nodes, eval_return_nodes)
    traced = _traced(model, _tracer_options(tracer_kwargs), concrete_args)
    names = {mode: list(tracer.node_to_qualname.values()) for mode, (tracer, _) in traced.items()}
    for mode, (tracer, graph) in traced.items():
        _require_present(wanted[mode], names[mode])
        _cut(graph, tracer.node_to_qualname, wanted[mode])
    if not suppress_diff_warning and return_nodes is not None:
        _warn_of_difference(names["train"], names["eval"])
    root = traced["train"][0].root
    made = DualGraphModule(root, traced["train"][1], traced["eval"][1], type(model).__name__)
    with _mode_kept(model):  # the layers are the same objects
        modes = {module: module.training for module in model.modules()}
        made.train(model.training)
    for module in made.modules():
        module.training = modes.get(module, model.training)
    return made


def _by_mode(
    return_nodes: Names | None, train_return_nodes: Names | None, eval_return_nodes: Names | None
) -> dict[str, dict[str, str]]:
    if return_nodes is None and train_return_nodes is None and eval_return_nodes is None:
        raise ValueError(
            "Either `return_nodes` or `train_return_nodes` and `eval_return_nodes` together, should be specified"
        )
    if (train_return_nodes is None) != (eval_return_nodes is None):
        raise ValueError("If any of `train_return_nodes` and `eval_return_nodes` are specified, then both should be "
                         "specified")  # fmt: skip
    if (return_nodes is None) == (train_return_nodes is None):
        raise ValueError("If `train_return_nodes` and `eval_return_nodes` are specified, then both should be specified")
    if return_nodes is not None:
        return {"train": _as_dictionary(return_nodes), "eval": _as_dictionary(return_nodes)}
    return {"train": _as_dictionary(train_return_nodes or ()), "eval": _as_dictionary(eval_return_nodes or ())}


def _as_dictionary(names: Names) -> dict[str, str]:
    if isinstance(names, Mapping):
        return {str(name): str(alias) for name, alias in names.items()}
    return {str(name): str(name) for name in names}


def _require_present(wanted: Mapping[str, str], names: list[str]) -> None:
    for query in wanted:
        if not any(name == query or name.startswith(f"{query}.") for name in names):
            raise ValueError(
                f"node: '{query}' is not present in model. Hint: use `get_graph_node_names` to make sure the "
                f"`return_nodes` you specified are present. It may even be that you need to specify "
                f"`train_return_nodes` and `eval_return_nodes` separately."
            )


def _cut(graph: fx.Graph, names: Mapping[fx.Node, str], wanted: Mapping[str, str]) -> None:
    """Have a graph return the last value of each name, and nothing computed behind them."""
    rest = dict(wanted)
    found: list[tuple[str, fx.Node]] = []
    graph.erase_node(graph.output_node())
    for node in reversed(graph.nodes):
        name = names.get(node)
        query = None if name is None else next((q for q in rest if name == q or name.startswith(f"{q}.")), None)
        if query is not None:
            found.append((rest.pop(query), node))
    graph.output(dict(reversed(found)))
    graph.eliminate_dead_code()
