"""Networks beside torchvision's: the same parameters from the same seed, the same logits, the same step of training."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import lazygrad as lg
from lazygrad.vision import models
from tests.oracle.comparing import assert_close, assert_equal, dtype_name, outcome_of

NAMES = models.list_models()
# A small published member of each family, whose initial values are compared.
VALUES = """densenet121 efficientnet_b0 googlenet mnasnet0_5 mobilenet_v2 mobilenet_v3_small regnet_y_400mf resnet18
shufflenet_v2_x0_5 squeezenet1_0 squeezenet1_1""".split()
# Small networks of each class as source, with M for the module, and the size of the images they are given.
STEPS = {
    "M.AlexNet(5)": 63,
    "NN.Sequential(M.vgg.make_layers([8, 'M', 6, 'M'], True), NN.Flatten(), NN.Linear(24, 5))": 8,
    "M.ResNet(M.resnet.BasicBlock, [1, 1, 1, 1], 5, zero_init_residual=True)": 32,
    "M.ResNet(M.resnet.Bottleneck, [1, 2, 1, 1], 5, False, 2, 32, [False, True, True])": 32,
    "M.resnet18(num_classes=4, norm_layer=lambda c: NN.GroupNorm(4, c))": 32,
    "M.SqueezeNet('1_0', 5)": 30,
    "M.squeezenet1_1(num_classes=5, dropout=0.1)": 30,
    "M.DenseNet(8, (2, 1), 8, 2, 0.3, 5)": 29,
    "M.MobileNetV2(5, 0.25)": 33,
    "M.mobilenet_v3_small(num_classes=5, width_mult=0.25, reduced_tail=True, dilated=True)": 33,
    "M.mobilenet_v3_large(num_classes=5, width_mult=0.25)": 33,
    "M.EfficientNet([M.efficientnet.FusedMBConvConfig(1, 3, 1, 8, 8, 2), M.efficientnet.FusedMBConvConfig(4, 3, 2, 8, "
    "16, 2), M.efficientnet.MBConvConfig(4, 3, 1, 16, 16, 2)], 0.2, 0.9, 5)": 33,
    "M.ShuffleNetV2([2, 1, 1], [8, 16, 24, 32, 48], 5)": 33,
    "M.MNASNet(0.2, 5)": 33,
    "M.RegNet(M.regnet.BlockParams.from_init_params(5, 16, 12.0, 2.0, 8, se_ratio=0.25), 5)": 33,
    "M.GoogLeNet(5, init_weights=True)": 33,
    "M.GoogLeNet(5, False, True, init_weights=False)": 33,
    "M.Inception3(5, False, True, init_weights=False)": 75,
    "M.ConvNeXt([M.convnext.CNBlockConfig(8, 16, 1), M.convnext.CNBlockConfig(16, None, 2)], 0.5, 0.1, 5)": 32,
    "M.VisionTransformer(16, 8, 2, 2, 8, 16, 0.1, 0.1, 5)": 16,
    "M.VisionTransformer(16, 8, 1, 2, 8, 16, 0.1, 0.0, 5, 6, conv_stem_configs=["
    "M.vision_transformer.ConvStemConfig(4, 3, 4), M.vision_transformer.ConvStemConfig(4, 3, 2)])": 16,
    "M.SwinTransformer([2, 2], 8, [2, 2], [1, 2], [3, 3], 2.0, 0.1, 0.1, 0.5, 5)": 20,
    "M.SwinTransformer([2, 2], 8, [2, 2], [1, 2], [4, 4], num_classes=5, "
    "block=M.swin_transformer.SwinTransformerBlockV2, downsample_layer=M.swin_transformer.PatchMergingV2)": 30,
}


@pytest.fixture(autouse=True)
def without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def theirs(torchvision: Any) -> Any:
    import torchvision.models

    return torchvision.models


def facts(model: Any) -> Any:
    """Names, shapes and dtypes, which of them are parameters, and the tree."""
    state = model.state_dict()
    return (
        [(name, tuple(value.shape), dtype_name(value.dtype)) for name, value in state.items()],
        [name for name, _ in model.named_parameters()],
        {name: dict(metadata) for name, metadata in state._metadata.items()},
        repr(model),
    )


@pytest.mark.parametrize("name", NAMES)
def test_shapes(name: str, theirs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    stages = theirs.regnet.BlockParams.from_init_params  # reads values, of which there are none on the device meta

    def stages_on_the_cpu(**settings: Any) -> Any:
        with torch.device("cpu"):
            return stages(**settings)

    monkeypatch.setattr(theirs.regnet.BlockParams, "from_init_params", stages_on_the_cpu)
    with torch.device("meta"):
        want = facts(getattr(theirs, name)(num_classes=7))
    with lg.device("meta"):
        have = facts(getattr(models, name)(num_classes=7))
    for ours, expected in zip(have, want, strict=True):
        is_same = ours == expected  # long: pytest's own comparison would take a minute
        assert is_same, next(((a, b) for a, b in zip(ours, expected, strict=False) if a != b), "lengths differ")


@pytest.mark.parametrize("name", VALUES)
def test_initial_values(name: str, theirs: Any) -> None:
    import torch

    lg.manual_seed(3)
    torch.manual_seed(3)
    have, want = models.get_model(name, num_classes=3), theirs.get_model(name, num_classes=3)
    assert_close(dict(have.state_dict()), dict(want.state_dict()))


def step(source: str, module: Any, framework: Any, size: int) -> Any:
    """Logits, and all that is left after one step of training, in float64."""
    framework.manual_seed(1)
    model = eval(source, {"M": module, "NN": framework.nn}).double()
    drawn = np.random.default_rng(0)
    images = framework.tensor(drawn.standard_normal((3, 3, size, size)))
    targets = framework.tensor(drawn.integers(0, 4, 3))
    optimizer = framework.optim.SGD(model.parameters(), lr=0.01)
    given = model.train()(images)
    losses = [framework.nn.functional.cross_entropy(each, targets) for each in _several(given)]
    loss = sum(losses[1:], losses[0])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with framework.no_grad():
        inferred = model.eval()(images)
    return {"given": given, "loss": loss, "state": dict(model.state_dict()), "inferred": inferred}


def _several(given: Any) -> list[Any]:
    return list(given) if isinstance(given, tuple) else [given]


@pytest.mark.parametrize("source", STEPS)
def test_one_step(source: str, theirs: Any) -> None:
    import torch

    size = STEPS[source]
    # Initial values and dropout's draws are of float32 and of float64 numbers; what is compared is what follows.
    want, have = step(source, theirs, torch, size), step(source, models, lg, size)
    assert_equal(outcome_of(want), outcome_of(have), slack=1e6, of_largest=True)


def test_names_are_those_of_torchvision(theirs: Any) -> None:
    left_out = {"MaxVit", "MaxVit_T_Weights", "maxvit", "maxvit_t"}  # not built
    left_out |= {"detection", "optical_flow", "quantization", "segmentation", "video"}
    public = {name for name in vars(theirs) if not name.startswith("__")}
    assert public - set(vars(models)) == left_out
    assert [name for name in theirs.list_models(theirs) if name not in left_out] == NAMES


def test_signatures(theirs: Any) -> None:
    classes = [
        name for name, value in vars(models).items() if isinstance(value, type) and issubclass(value, lg.nn.Module)
    ]
    for name in classes:
        have, want = (inspect.signature(getattr(module, name)).parameters for module in (models, theirs))
        assert list(have) == list(want), name


def test_published_weights(theirs: Any) -> None:
    for name in NAMES:
        have, want = models.get_model_weights(name), theirs.get_model_weights(name)
        assert have.__name__ == want.__name__ and list(have.__members__) == list(want.__members__)
        assert have.DEFAULT.name == want.DEFAULT.name
        for ours, expected in zip(have, want, strict=True):
            assert ours.url == expected.url.rpartition("/")[2] and repr(ours) == repr(expected)
            assert repr(ours.transforms()) == repr(expected.transforms())
            for fact in ("categories", "num_params", "min_size"):
                assert ours.meta.get(fact) == expected.meta.get(fact), (ours, fact)


def test_the_register(theirs: Any) -> None:
    for module in (models, theirs):
        assert module.list_models(module, include="resnet*", exclude=["*1", "*2"]) == [
            "resnet18",
            "resnet34",
            "resnet50",
        ]
        assert module.get_model_builder("ResNet18") is module.resnet18
        assert module.get_weight("ResNet50_Weights.IMAGENET1K_V2") is module.ResNet50_Weights.DEFAULT
        assert module.get_model_weights(module.vgg16) is module.VGG16_Weights
        assert str(module.ResNet18_Weights.DEFAULT) == "ResNet18_Weights.IMAGENET1K_V1"
        for source in (
            "get_model('resnet19')",
            "get_weight('ResNet50_Weights')",
            "get_weight('ResNet51_Weights.DEFAULT')",
        ):
            with pytest.raises(ValueError):
                eval(f"module.{source}")
        with pytest.raises(ValueError, match="groups"):
            module.resnext50_32x4d(groups=2)
        with pytest.raises(KeyError):
            module.resnet18(weights="IMAGENET1K_V3")
        with pytest.raises(TypeError):
            module.resnet18(weights=module.ResNet34_Weights.DEFAULT)
        with pytest.raises(ValueError, match="num_classes"):
            module.resnet18(weights="DEFAULT", num_classes=10)


def test_weights_are_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    folder = tmp_path / "hub" / "checkpoints"
    with pytest.raises(FileNotFoundError, match=f"{folder}.*Put the file"):
        models.squeezenet1_1(weights="DEFAULT")
    folder.mkdir(parents=True)
    lg.manual_seed(5)
    trained = models.squeezenet1_1()
    lg.save(trained.state_dict(), folder / models.SqueezeNet1_1_Weights.DEFAULT.url)
    for options in ({"weights": "DEFAULT"}, {"pretrained": True}, {"weights": models.SqueezeNet1_1_Weights.DEFAULT}):
        loaded = models.squeezenet1_1(**options)
        assert all(loaded.state_dict()[name].equal(value) for name, value in trained.state_dict().items())
    assert models.squeezenet1_1(pretrained=False).num_classes == 1000
    assert isinstance(models.squeezenet1_1(True), models.SqueezeNet)
    with pytest.raises(ValueError, match="No weights"):
        models.regnet_y_128gf(pretrained=True)


def test_older_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DenseNet's published names, and those of the first version of vision transformers."""
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    (tmp_path / "hub" / "checkpoints").mkdir(parents=True)
    dense = models.densenet121()
    older = {
        key.replace(".norm1.", ".norm.1.").replace(".conv2.", ".conv.2."): value
        for key, value in dense.state_dict().items()
    }
    lg.save(older, tmp_path / "hub" / "checkpoints" / models.DenseNet121_Weights.DEFAULT.url)
    loaded = models.densenet121(weights="DEFAULT")
    assert loaded.features.denseblock1.denselayer1.norm1.weight.equal(
        older["features.denseblock1.denselayer1.norm.1.weight"]
    )
    vit = models.VisionTransformer(8, 4, 1, 1, 4, 8)
    older = {
        key.replace("mlp.0", "mlp.linear_1").replace("mlp.3", "mlp.linear_2"): value
        for key, value in vit.state_dict().items()
    }
    assert not any(models.VisionTransformer(8, 4, 1, 1, 4, 8).load_state_dict(older))


def test_preparation_of_images(torchvision: Any) -> None:
    import torchvision.models

    array = np.random.default_rng(0).integers(0, 255, (40, 60, 3)).astype(np.uint8)
    for image in (Image.fromarray(array),):
        have, want = (module.AlexNet_Weights.DEFAULT.transforms()(image) for module in (models, torchvision.models))
        assert_close(have, want)


def test_dense_layers_can_be_computed_twice() -> None:
    """torch's own checkpoint counts a batch twice in the running statistics; gradients are those without it."""
    found = []
    for memory_efficient in (False, True):
        lg.manual_seed(0)
        model = models.DenseNet(8, (2, 1), 8, 2, 0, 5, memory_efficient)
        model(lg.rand(2, 3, 32, 32)).pow(2).sum().backward()
        found.append({name: parameter.grad for name, parameter in model.named_parameters()})
    assert_close(found[0], found[1], of_largest=True)


def test_intermediate_layers(theirs: Any) -> None:
    from lazygrad.vision.models._utils import IntermediateLayerGetter

    model = models.resnet18(num_classes=3).eval()
    body = IntermediateLayerGetter(model, {"layer1": "low", "layer3": "high"})
    assert list(body) == ["conv1", "bn1", "relu", "maxpool", "layer1", "layer2", "layer3"]
    given = body(lg.ones(1, 3, 32, 32))
    assert {name: tuple(value.shape) for name, value in given.items()} == {"low": (1, 64, 8, 8), "high": (1, 256, 2, 2)}
    with pytest.raises(ValueError, match="not present"):
        IntermediateLayerGetter(model, {"layer9": "x"})


def test_interpolated_embeddings(theirs: Any) -> None:
    import torch

    values = np.random.default_rng(0).standard_normal((1, 17, 4)).astype(np.float32)
    results = []
    for framework, module in ((lg, models), (torch, theirs)):
        state = {"encoder.pos_embedding": framework.tensor(values), "heads.head.bias": framework.ones(1)}
        results.append(dict(module.vision_transformer.interpolate_embeddings(24, 4, state, reset_heads=True)))
    assert_close(results[0], results[1], slack=4)
