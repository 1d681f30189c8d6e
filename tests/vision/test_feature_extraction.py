"""Networks that return values from within: names as torchvision has them, and values as hooks see them."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.vision import models
from lazygrad.vision.models.feature_extraction import create_feature_extractor, get_graph_node_names

# Which values are asked for, and a size of images.
NETWORKS: dict[str, tuple[list[str], int]] = {
    "resnet18": (["conv1", "layer1.0.bn2", "layer2", "layer4.1", "avgpool", "fc"], 64),
    "alexnet": (["features.3", "classifier"], 96),
    "vgg11_bn": (["features.1", "features.9", "avgpool"], 32),
    "densenet121": (["features.pool0", "features.denseblock1.denselayer2.conv1", "features.denseblock4"], 64),
    "mobilenet_v2": (["features.1", "features.4.conv.1", "classifier.1"], 64),
    "mobilenet_v3_small": (["features.1", "features.2.block.0", "avgpool"], 64),
    "shufflenet_v2_x0_5": (["stage2.0.branch1", "stage3", "conv5"], 64),
    "squeezenet1_0": (["features.0", "features.3.squeeze", "classifier"], 64),
    "mnasnet0_5": (["layers.8", "layers.9.0.layers.2"], 64),
    "efficientnet_b0": (["features.2.0.block.1", "features.7", "avgpool"], 64),
    "convnext_tiny": (["features.1.0.block.0", "features.4"], 64),
    "regnet_y_400mf": (["stem", "trunk_output.block2.block2-0.f.b", "avgpool"], 64),
    "swin_t": (["features.0", "features.3.1.mlp", "norm"], 64),
    "vit_b_16": (["conv_proj", "encoder.layers.encoder_layer_0.mlp", "encoder.ln"], 224),
}  # fmt: skip


def _built(name: str) -> Any:
    lg.manual_seed(0)
    return models.get_model(name, num_classes=3).eval()


def _as_hooks_see(model: Any, wanted: list[str], x: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}  # a layer that works in place changes what the one before it gave, in both
    handles = [
        model.get_submodule(name).register_forward_hook(lambda m, args, out, name=name: found.__setitem__(name, out))
        for name in wanted
    ]
    model(x)
    for handle in handles:
        handle.remove()
    return found


@pytest.mark.parametrize("name", NETWORKS)
def test_values_are_those_that_hooks_see(name: str) -> None:
    wanted, size = NETWORKS[name]
    model = _built(name)
    extractor = create_feature_extractor(model, wanted, suppress_diff_warning=True)
    assert not extractor.training and not model.training
    x = lg.linspace(-1, 1, 3 * size * size).reshape(1, 3, size, size)
    seen, found = _as_hooks_see(model, wanted, x), extractor(x)
    assert list(found) == wanted
    for key in wanted:
        assert lg.equal(found[key], seen[key]), key
    assert len(list(extractor.parameters())) <= len(list(model.parameters()))
    assert {id(p) for p in extractor.parameters()} <= {id(p) for p in model.parameters()}


def test_names_of_a_residual_network_are_those_of_the_documentation() -> None:
    train, eval = get_graph_node_names(models.resnet18())
    assert train == eval
    assert train[:14] == [
        "x", "conv1", "bn1", "relu", "maxpool", "layer1.0.conv1", "layer1.0.bn1", "layer1.0.relu", "layer1.0.conv2",
        "layer1.0.bn2", "layer1.0.add", "layer1.0.relu_1", "layer1.1.conv1", "layer1.1.bn1",
    ]  # fmt: skip
    assert train[-4:] == ["layer4.1.relu_1", "avgpool", "flatten", "fc"] and "layer2.0.downsample.1" in train


def test_numbers_at_the_ends_of_paths_count_values() -> None:
    """As torchvision's do: ``ln_1`` and ``ln_2`` of a layer are the first and the second value called ``ln``."""
    names, _ = get_graph_node_names(models.vit_b_16())
    own = [name.removeprefix("encoder.layers.encoder_layer_3.") for name in names if "encoder_layer_3." in name]
    assert own == ["ln", "self_attention", "getitem", "getitem_1", "dropout", "add", "ln_1", "mlp", "add_1"]


def test_the_last_value_of_a_module_and_aliases() -> None:
    model = _built("resnet18")
    extractor = create_feature_extractor(model, {"layer1.0": "block", "layer1.0.relu": "inner", "x": "given"})
    x = lg.randn(1, 3, 32, 32)
    found = extractor(x)
    assert list(found) == ["given", "inner", "block"] and lg.equal(found["given"], x)
    assert lg.equal(found["block"], _as_hooks_see(model, ["layer1.0"], x)["layer1.0"])
    assert not any(name.startswith(("layer1.1", "layer2", "fc")) for name, _ in extractor.named_modules())


class Branching(lg.nn.Module):
    """Computes other things in training than in evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.helper, self.last = lg.nn.Linear(2, 2), lg.nn.Linear(2, 2), lg.nn.Linear(2, 1)

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        if self.training:
            x = x + self.helper(x)
        return self.last(x)


def test_each_mode_has_its_graph() -> None:
    model = Branching()
    with pytest.warns(UserWarning, match="in eval mode are a subsequence of those obtained in train mode"):
        train, eval = get_graph_node_names(model)
    assert train == ["x", "first", "helper", "add", "last"] and eval == ["x", "first", "last"] and model.training
    with pytest.raises(ValueError, match="node: 'helper' is not present in model"):
        create_feature_extractor(model, ["helper"], suppress_diff_warning=True)
    extractor = create_feature_extractor(
        model, train_return_nodes={"helper": "h", "last": "y"}, eval_return_nodes=["last"]
    )
    x = lg.ones(3, 2)
    assert extractor.training and list(extractor(x)) == ["h", "y"]
    assert lg.equal(extractor(x)["y"], model(x))
    for made in (extractor, copy.deepcopy(extractor), pickle.loads(pickle.dumps(extractor))):
        assert list(made.eval()(x)) == ["last"] and list(made.train()(x)) == ["h", "y"]
        assert list(pickle.loads(pickle.dumps(made.eval()))(x)) == ["last"]
        assert lg.equal(made.eval()(x)["last"], model.eval()(x))


def test_a_layer_that_is_called_twice() -> None:
    class Twice(lg.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.act, self.inner = lg.nn.ReLU(), lg.nn.Sequential(lg.nn.Tanh())

        def forward(self, x: Any) -> Any:
            return self.act(self.inner(self.act(x) + 1) + 1) + 1

    names, _ = get_graph_node_names(Twice())
    assert names == ["x", "act", "add", "inner.0", "add_1", "act_1", "add_2"]
    found = create_feature_extractor(Twice(), ["act", "act_1"])(lg.tensor([-1.0, 1.0]))
    assert found["act"].tolist() == [0, 1] and found["act_1"].shape == (2,)


def test_modules_may_be_made_leaves_and_arguments_be_fixed() -> None:
    model = models.resnet18()
    names, _ = get_graph_node_names(model, tracer_kwargs={"leaf_modules": [models.resnet.BasicBlock]})
    assert names[:7] == ["x", "conv1", "bn1", "relu", "maxpool", "layer1.0", "layer1.1"]

    class Choosing(lg.nn.Module):
        def forward(self, x: Any, twice: bool) -> Any:
            return x * 2 if twice else x

    names, _ = get_graph_node_names(Choosing(), concrete_args={"twice": True})
    assert names[0] == "x" and names[-1] == "mul"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Either `return_nodes` or"),
        ({"train_return_nodes": ["fc"]}, "If any of `train_return_nodes`"),
        (
            {"return_nodes": ["fc"], "train_return_nodes": ["fc"], "eval_return_nodes": ["fc"]},
            "If `train_return_nodes`",
        ),
        ({"return_nodes": ["layer"]}, "node: 'layer' is not present in model"),
    ],
)
def test_names_that_do_not_fit_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_feature_extractor(models.resnet18(), **given)


def test_an_extractor_is_trained() -> None:
    model = Branching()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        extractor = create_feature_extractor(model, ["first", "last"])
    optimizer = lg.optim.SGD(extractor.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        found = extractor(lg.ones(4, 2))
        loss = (found["last"] - 1).square().mean() + found["first"].square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[2] < losses[0] and model.first.weight.grad is not None
