"""Embeddings, bags of them, and the adaptive softmax, compared with PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike, assert_close


def made(framework: Any, source: str) -> Any:
    framework.manual_seed(1)
    return eval(source, {"nn": framework.nn, "t": framework, "F": framework.nn.functional})


EMBEDDINGS = [
    "nn.Embedding(7, 3)",
    "nn.Embedding(7, 3, padding_idx=-6)",
    "nn.Embedding(7, 3, max_norm=1.0)",
    "nn.Embedding(7, 3, 2, max_norm=1.5, norm_type=1.0)",
    "nn.Embedding(7, 3, padding_idx=1, scale_grad_by_freq=True)",
    "nn.Embedding.from_pretrained(t.arange(21.0).view(7, 3), freeze=False, padding_idx=1)",
]
BAGS = [
    *[f"nn.EmbeddingBag(7, 3, mode={mode!r})" for mode in ("sum", "mean", "max")],
    *[f"nn.EmbeddingBag(7, 3, mode={mode!r}, padding_idx=1)" for mode in ("sum", "mean", "max")],
    "nn.EmbeddingBag(7, 3, max_norm=1.0, norm_type=1.0)",
    "nn.EmbeddingBag(7, 3, include_last_offset=True, padding_idx=-1)",
    "nn.EmbeddingBag.from_pretrained(t.arange(21.0).view(7, 3), freeze=False, mode='sum')",
]
SOFTMAXES = [
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10])",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10, 12], div_value=2.0, head_bias=True)",
]


@pytest.mark.parametrize("source", [*EMBEDDINGS, *BAGS, *SOFTMAXES])
def test_repr_parameters_and_state(torch: Any, source: str) -> None:
    ours, theirs = made(lg, source), made(torch, source)
    assert repr(ours) == repr(theirs)
    assert_close(ours.state_dict(), theirs.state_dict())
    if "pretrained" not in source:
        ours.reset_parameters()
        theirs.reset_parameters()
        assert_close(ours.state_dict(), theirs.state_dict())


@pytest.mark.parametrize("source", EMBEDDINGS)
def test_embeddings(torch: Any, source: str) -> None:
    def compute(framework: Any) -> list[Any]:
        module = made(framework, source)
        output = module(framework.tensor([[1, 4, 1], [0, 6, 4]]))
        (output * framework.arange(18.0).view(2, 3, 3)).sum().backward()
        return [output, module.weight, module.weight.grad, module(framework.tensor(2))]

    assert_alike(compute, torch, lg)


SPARSE = [
    "nn.Embedding(7, 3, sparse=True)",
    "nn.Embedding(7, 3, sparse=True, padding_idx=1)",
    "nn.EmbeddingBag(7, 3, sparse=True, mode='mean')",
    "nn.EmbeddingBag(7, 3, sparse=True, mode='sum')",
]


@pytest.mark.parametrize("source", SPARSE)
def test_sparse_gradients(torch: Any, source: str) -> None:
    """They accumulate as sparse tensors, into dense gradients they are added, and optimizers take them."""

    def compute(framework: Any) -> list[Any]:
        module = made(framework, source)
        indices = framework.tensor([[1, 4, 1], [0, 6, 4]])
        module(indices).square().sum().backward()
        assert module.weight.grad.is_sparse
        first = module.weight.grad.coalesce()
        (module(indices[:1]).sum() + module(indices[1:]).pow(3).sum()).backward()
        assert module.weight.grad.is_sparse
        both = module.weight.grad.coalesce()
        found = [first.indices(), first.values(), both.indices(), both.values()]
        framework.optim.SparseAdam(module.parameters(), lr=0.1).step()
        found.append(module.weight.detach().clone())
        framework.optim.SGD(module.parameters(), lr=0.1).step()
        found.append(module.weight.detach().clone())
        (module(indices).sum() + module.weight.square().sum()).backward()
        found.append(module.weight.grad.to_dense() if module.weight.grad.is_sparse else module.weight.grad)
        module(indices).sum().backward()
        assert not module.weight.grad.is_sparse
        return [*found, module.weight.grad]

    assert_alike(compute, torch, lg)


SUMS = [source for source in BAGS if "mode='sum'" in source]


@pytest.mark.parametrize(("source", "with_weights"), [*[(x, False) for x in BAGS], *[(x, True) for x in SUMS]])
def test_bags(torch: Any, source: str, with_weights: bool) -> None:

    def compute(framework: Any) -> list[Any]:
        module = made(framework, source)
        matrix = framework.tensor([[1, 4, 1], [0, 6, 4]])
        vector = framework.tensor([1, 4, 1, 0, 6, 4, 3])
        factors = framework.arange(7.0).requires_grad_() if with_weights else None
        of_matrix = None if factors is None else factors[:6].view(2, 3)
        first = module(matrix, per_sample_weights=of_matrix)
        second = module(vector, framework.tensor([0, 2, 2, 7]), factors)
        (first.square().sum() + second.pow(3).sum()).backward()
        return [first, second, module.weight, module.weight.grad, None if factors is None else factors.grad]

    assert_alike(compute, torch, lg)


def test_gradients_of_bags_are_divided_by_how_often_an_index_occurs() -> None:
    """As of embeddings. PyTorch's bags divide by the frequency of another index where one occurs twice before."""
    found = []
    indices = lg.tensor([[1, 4, 1], [0, 6, 4]])
    for bag in (False, True):
        source = "nn.EmbeddingBag(7, 3, scale_grad_by_freq=True, mode='sum')"
        module = made(lg, source if bag else "nn.Embedding(7, 3, scale_grad_by_freq=True)")
        rows = module(indices) if bag else module(indices).sum(1)
        rows.square().sum().backward()
        found += [rows, module.weight.grad]
    assert_close(found[2:], found[:2])


@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors")
@pytest.mark.parametrize("source", SOFTMAXES)
def test_adaptive_softmax(torch: Any, source: str) -> None:
    def compute(framework: Any) -> list[Any]:
        module = made(framework, source)
        array = np.random.default_rng(0).standard_normal((7, 8))
        x = framework.tensor(array, dtype=framework.float32).requires_grad_()
        output, loss = module(x, framework.tensor([0, 3, 4, 9, 10, 19, 11]))
        single = module(x[0], framework.tensor(12))
        (loss + output.square().sum() + single.loss).backward()
        found = [output, loss, *single, x.grad, *[parameter.grad for parameter in module.parameters()]]
        return [*found, module.log_prob(x), module.predict(x * 4)]

    assert_alike(compute, torch, lg)


ERRORS = [
    "nn.Embedding(7, 3, padding_idx=7)",
    "nn.EmbeddingBag(7, 3, padding_idx=-8)",
    "nn.EmbeddingBag(7, 3)(t.tensor([1, 2]))",
    "nn.EmbeddingBag(7, 3)(t.tensor([[1, 2]]), t.tensor([0]))",
    "nn.EmbeddingBag(7, 3, mode='min')(t.tensor([[1, 2]]))",
    "nn.EmbeddingBag(7, 3, mode='max', scale_grad_by_freq=True)(t.tensor([[1, 2]]))",
    "nn.EmbeddingBag(7, 3)(t.tensor([[1, 2]]), per_sample_weights=t.ones(1, 2))",
    "nn.EmbeddingBag(7, 3, mode='sum')(t.tensor([[1, 2]]), per_sample_weights=t.ones(2))",
    "F.embedding_bag(t.tensor([[1, 2]]), t.ones(3))",
    "nn.EmbeddingBag.from_pretrained(t.ones(3))",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [])",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 4])",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 20])",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4.5])",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4])(t.ones(2, 8), t.tensor([[1]]))",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4])(t.ones(2, 8), t.tensor([1]))",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4])(t.ones(1), t.tensor([1]))",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4])(t.ones(2, 8), t.tensor(1))",
    "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4])(t.ones(2, 8), t.tensor([1, 20])).loss.item()",
]


@pytest.mark.parametrize("source", ERRORS)
def test_errors(torch: Any, source: str) -> None:
    with pytest.raises(Exception) as theirs:
        made(torch, source)
    with pytest.raises(type(theirs.value)) as ours:
        made(lg, source)
    beginning = str(theirs.value)[:30].removeprefix("embedding_bag: ")
    assert str(ours.value).removeprefix("embedding_bag: ").startswith(beginning)
