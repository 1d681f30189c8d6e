"""Pruned parameters, fused layers and other helpers for the weights of modules, compared with PyTorch's."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module
from typing import Any

import pytest

import lazygrad as lg
from lazygrad import nn
from tests.oracle.comparing import assert_close, assert_equal, outcome_of

# `q` is nn.utils.prune, `l` a layer, `f` the framework.
PRUNINGS = [
    "q.identity(l, 'weight')",
    "q.random_unstructured(l, 'weight', amount=0.4)",
    "q.random_unstructured(l, 'bias', amount=2)",
    "q.random_unstructured(l, 'weight', amount=0)",
    "q.l1_unstructured(l, 'weight', 0.5)",
    "q.l1_unstructured(l, 'weight', 3, importance_scores=f.arange(12.0).reshape(3, 4))",
    "q.random_structured(l, 'weight', amount=1, dim=0)",
    "q.random_structured(l, 'weight', amount=0.5, dim=-1)",
    "q.ln_structured(l, 'weight', amount=2, n=2, dim=1)",
    "q.ln_structured(l, 'weight', amount=0.3, n=float('inf'), dim=-2)",
    "q.ln_structured(l, 'weight', amount=0, n=1, dim=0)",
    "q.custom_from_mask(l, 'weight', f.tensor([[1, 0, 1, 0]] * 3))",
    "q.l1_unstructured(q.ln_structured(l, 'weight', amount=1, n=2, dim=0), 'weight', 0.5)",
    "q.ln_structured(q.l1_unstructured(l, 'weight', 0.5), 'weight', amount=1, n=2, dim=1)",
    "q.random_structured(q.random_unstructured(q.identity(l, 'weight'), 'weight', 5), 'weight', 1, 0)",
    "q.global_unstructured([(l, 'weight'), (l, 'bias')], q.L1Unstructured, amount=0.6)",
    "q.global_unstructured([(l, 'weight'), (l, 'bias')], q.RandomUnstructured, amount=4)",
    "q.global_unstructured([(l, 'bias')], q.L1Unstructured, {(l, 'bias'): f.tensor([3.0, 1.0, 2.0])}, amount=2)",
    "[q.global_unstructured([(l, 'weight')], q.L1Unstructured, amount=3) for _ in range(2)]",
]


def pruning_of(framework: Any) -> Any:
    """The framework's module of prunings, which torch loads on request only."""
    return import_module(f"{framework.__name__}.nn.utils.prune")


@pytest.mark.parametrize("source", PRUNINGS)
def test_pruning(source: str, torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        framework.manual_seed(0)
        layer = framework.nn.Linear(4, 3)
        prune = pruning_of(framework)
        eval(source, {"q": prune, "l": layer, "f": framework})
        assert prune.is_pruned(layer)
        names = list(layer.state_dict())
        output = layer(framework.ones(2, 4))
        output.sum().backward()
        gradients = [parameter.grad for parameter in layer.parameters()]
        masks = list(layer.buffers())
        for name in ("weight", "bias"):
            if f"{name}_mask" in names:
                prune.remove(layer, name)
        assert not prune.is_pruned(layer)
        seen.append((names, [output, *gradients, *masks], layer.state_dict()))
    (names, tensors, state), (expected_names, expected, expected_state) = seen
    assert names == expected_names
    assert_close(tensors, expected)
    assert_close(state, expected_state)


def test_pruned_layers_are_saved_and_copied() -> None:
    layer = nn.utils.prune.l1_unstructured(nn.Linear(4, 3), "weight", 0.5)
    layer.weight = layer.weight.detach()  # of a graph no copy is made
    for copied in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert copied(lg.ones(1, 4)).tolist() == layer(lg.ones(1, 4)).tolist()
        assert nn.utils.prune.is_pruned(copied)


def test_masks_of_tensors() -> None:
    method = nn.utils.prune.L1Unstructured(2)
    assert method.prune(lg.tensor([3.0, -1.0, 2.0])).tolist() == [3.0, 0.0, 0.0]
    scores = lg.tensor([1.0, 3.0, 2.0])
    assert method.prune(lg.tensor([3.0, -1.0, 2.0]), importance_scores=scores).tolist() == [0.0, -1.0, 0.0]
    assert method.compute_mask(lg.tensor([3.0, -1.0]), lg.tensor([1.0, 0.0])).tolist() == [0.0, 0.0]


def test_a_failed_pruning_leaves_the_layer() -> None:
    layer = nn.Linear(4, 3)
    with pytest.raises(ValueError, match="should be smaller than the number of parameters to prune=12"):
        nn.utils.prune.l1_unstructured(layer, "weight", 13)
    assert list(layer.state_dict()) == ["bias", "weight"]
    assert not nn.utils.prune.is_pruned(layer)


ERRORS = [
    "q.random_unstructured(l, 'weight', 'all')",
    "q.random_unstructured(l, 'weight', -1)",
    "q.random_unstructured(l, 'weight', 1.5)",
    "q.random_structured(l, 'bias', 0.5, 0)",
    "q.ln_structured(l, 'weight', 0.5, 2, dim=2)",
    "q.l1_unstructured(l, 'weight', 0.5, importance_scores=f.ones(2))",
    "q.custom_from_mask(l, 'weight', f.ones(2))",
    "q.global_unstructured(3, q.L1Unstructured, amount=1)",
    "q.global_unstructured([(l, 'weight')], q.LnStructured, amount=1, n=2)",
    "q.global_unstructured([(l, 'weight')], q.L1Unstructured, 3, amount=1)",
    "q.remove(l, 'weight')",
    "q.PruningContainer().add_pruning_method(3)",
    "q.L1Unstructured(1).prune(f.ones(3), importance_scores=f.ones(2))",
]


@pytest.mark.parametrize("source", ERRORS)
def test_errors_are_torchs(source: str, torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        names = {"q": pruning_of(framework), "l": framework.nn.Linear(4, 3), "f": framework}
        with pytest.raises(Exception) as caught:
            eval(source, names)
        seen.append((caught.type, str(caught.value).replace("torch.", "").replace("lazygrad.", "")[:60]))
    assert seen[0] == seen[1]


FUSIONS = {
    "conv1d": ("Conv1d(2, 3, 2)", "BatchNorm1d(3)", (4, 2, 5)),
    "conv2d without bias": ("Conv2d(2, 3, 2, bias=False)", "BatchNorm2d(3, affine=False)", (4, 2, 5, 4)),
    "transposed conv2d": ("ConvTranspose2d(2, 3, 2)", "BatchNorm2d(3)", (4, 2, 5, 4)),
    "linear": ("Linear(2, 3)", "BatchNorm1d(3)", (4, 2)),
    "linear without bias": ("Linear(2, 3, bias=False)", "BatchNorm1d(3)", (4, 2)),
}


@pytest.mark.parametrize("name", FUSIONS)
def test_fusion_with_batch_normalization(name: str, torch: Any) -> None:
    seen = []
    for framework in (lg, torch):
        framework.manual_seed(0)
        layer, norm = (eval(f"n.{source}", {"n": framework.nn}) for source in FUSIONS[name][:2])
        inputs = framework.rand(FUSIONS[name][2])
        norm(layer(inputs))  # so that there are statistics
        fuse = getattr(framework.nn.utils, f"fuse_{'linear' if 'linear' in name else 'conv'}_bn_eval")
        options = {"transpose": True} if "transposed" in name else {}
        with pytest.raises(AssertionError, match="Fusion only for eval!"):
            fuse(layer, norm, **options)
        layer, norm = layer.eval(), norm.eval()
        fused = fuse(layer, norm, **options)
        assert_close(fused(inputs), norm(layer(inputs)))
        assert type(fused) is type(layer)
        seen.append(list(fused.parameters()))
    assert_equal(outcome_of(seen[1]), outcome_of(seen[0]))


def test_fusion_of_other_features() -> None:
    with pytest.raises(AssertionError, match=r"To fuse, linear.out_features == bn.num_features"):
        nn.utils.fuse_linear_bn_eval(nn.Linear(2, 3).eval(), nn.BatchNorm1d(4).eval())
    with pytest.raises(AssertionError, match=r"running_mean and bn.running_var must not be None"):
        nn.utils.fuse_linear_bn_eval(nn.Linear(2, 3).eval(), nn.BatchNorm1d(3, track_running_stats=False).eval())


@pytest.mark.host_memory("a module without a device is on the CPU")
def test_skipped_initialization_draws_nothing() -> None:
    lg.manual_seed(0)
    first = lg.rand(2).tolist()
    lg.manual_seed(0)
    layer = nn.utils.skip_init(nn.Linear, 2, 3, bias=False, dtype=lg.float64)
    assert lg.rand(2).tolist() == first
    assert (layer.weight.shape, layer.weight.dtype, layer.weight.device.type) == ((3, 2), lg.float64, "cpu")
    assert layer.weight.requires_grad
    assert layer(lg.ones(1, 2, dtype=lg.float64)).shape == (1, 3)
    with pytest.raises(RuntimeError, match="Expected a Module"):
        nn.utils.skip_init(dict)
    with pytest.raises(RuntimeError, match="Module must support a 'device' arg"):
        nn.utils.skip_init(nn.Flatten)


def test_older_functional_call() -> None:
    layer = nn.Linear(2, 1)
    with pytest.warns(FutureWarning, match="functional_call` is deprecated as of PyTorch 2.0"):
        output = nn.utils.stateless.functional_call(
            layer, {"weight": lg.ones(1, 2), "bias": lg.zeros(1)}, lg.ones(1, 2)
        )
    assert output.tolist() == [[2.0]]


def test_memory_formats_of_weights_are_accepted() -> None:
    layer = nn.Conv2d(2, 3, 2)
    weight = layer.weight.tolist()
    assert nn.utils.convert_conv2d_weight_memory_format(layer, lg.channels_last) is layer
    assert nn.utils.convert_conv3d_weight_memory_format(layer, lg.channels_last_3d) is layer
    assert layer.to(memory_format=lg.channels_last) is layer
    assert layer.weight.tolist() == weight
    with pytest.raises(TypeError, match="memory_format"):
        nn.utils.convert_conv2d_weight_memory_format(layer, 3)


def test_older_name_of_clipping() -> None:
    parameter = nn.Parameter(lg.ones(2))
    parameter.grad = lg.tensor([3.0, 4.0])
    with pytest.warns(FutureWarning, match="clip_grad_norm` is now deprecated"):
        assert nn.utils.clip_grad_norm([parameter], 1.0).item() == 5.0
    assert parameter.grad.tolist() == pytest.approx([0.6, 0.8])
