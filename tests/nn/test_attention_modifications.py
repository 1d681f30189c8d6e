"""`nn.attention`: scores that a function changes, masks that are functions, and PyTorch's switches."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.nn import attention
from tests.oracle.comparing import assert_close

_SHAPES = ((2, 4, 5, 8), (2, 4, 7, 8), (2, 4, 7, 6))


def _causal(b: Any, h: Any, q: Any, k: Any) -> Any:
    return q >= k


def _window(b: Any, h: Any, q: Any, k: Any) -> Any:
    return (q - k).abs() <= 1


def _late(b: Any, h: Any, q: Any, k: Any) -> Any:
    """The first queries see nothing."""
    return (q >= 2) & (h > b)


def _relative(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
    return score + (q - k) * 0.1


def _capped(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
    return (score / 2).tanh() * 2


def _below(score: Any, b: Any, h: Any, q: Any, k: Any) -> Any:
    return score.masked_fill(q <= k, -float("inf"))


CHANGES = [(None, None), (_relative, None), (_capped, _causal), (None, _window), (_relative, _late)]


def _attention(library: ModuleType) -> Any:
    module = import_module(f"{library.__name__}.nn.attention.flex_attention")
    if library is not lg:  # PyTorch's own function compiles otherwise
        module._FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = True
    return module


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


@pytest.mark.parametrize(("score_mod", "mask_mod"), CHANGES)
@pytest.mark.parametrize("key_heads", [4, 2])
def test_agrees_with_torch(torch: ModuleType, score_mod: Any, mask_mod: Any, key_heads: int) -> None:
    """On the CPU PyTorch gives the output alone. Gradients and statistics are those of its formula, spelled out."""
    shapes = [_SHAPES[0], *[(batch, key_heads, *rest) for batch, _, *rest in _SHAPES[1:]]]
    results: list[list[Any]] = []
    for library in (torch, lg):
        flex = _attention(library)
        library.manual_seed(3)
        inputs = [library.randn(shape, dtype=library.float64) for shape in shapes]
        mask = None if mask_mod is None else flex.create_block_mask(mask_mod, 2, 4, 5, 7, device="cpu", BLOCK_SIZE=2)
        output = flex.flex_attention(*inputs, score_mod, mask, enable_gqa=key_heads < 4)
        for tensor in inputs:
            tensor.requires_grad_()
        if library is lg:
            asked = {"enable_gqa": key_heads < 4, "return_aux": flex.AuxRequest(lse=True, max_scores=True)}
            differentiable, (lse, largest) = flex.flex_attention(*inputs, score_mod, mask, **asked)
        else:
            differentiable, lse, largest = _formula(torch, *inputs, score_mod, mask_mod)
        differentiable.square().sum().backward()
        results.append([output, lse.detach(), largest.detach(), *[tensor.grad for tensor in inputs]])
    for wanted, found in zip(*results, strict=True):
        assert_close(found, wanted)


def _formula(torch: ModuleType, query: Any, key: Any, value: Any, score_mod: Any, mask_mod: Any) -> tuple[Any, ...]:
    key, value = (tensor.repeat_interleave(query.shape[1] // tensor.shape[1], 1) for tensor in (key, value))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    indices = torch.meshgrid(*map(torch.arange, scores.shape), indexing="ij")
    scores = scores if score_mod is None else score_mod(scores, *indices)
    scores = scores if mask_mod is None else scores.masked_fill(~mask_mod(*indices), -float("inf"))
    largest = scores.amax(-1)
    hides_all = largest[..., None] == -float("inf")
    output = scores.masked_fill(hides_all, 0).softmax(-1).masked_fill(hides_all, 0) @ value
    return output, scores.logsumexp(-1), largest


@pytest.mark.parametrize("mask_mod", [_causal, _window, _late])
@pytest.mark.parametrize("separate", [True, False])
def test_blocks_are_torchs(torch: ModuleType, mask_mod: Any, separate: bool) -> None:
    masks = [
        _attention(library).create_block_mask(
            mask_mod, 2, 3, 9, 11, device="cpu", BLOCK_SIZE=(2, 4), separate_full_blocks=separate
        )
        for library in (torch, lg)
    ]
    wanted, found = masks
    names = ["kv_num_blocks", "kv_indices", *["full_kv_num_blocks", "full_kv_indices"][: 2 * separate]]
    for name in names:
        assert getattr(found, name).tolist() == getattr(wanted, name).tolist(), name
    assert found.to_dense().tolist() == wanted.to_dense().tolist()
    assert (found.shape, found.numel(), found.BLOCK_SIZE) == (wanted.shape, wanted.numel(), wanted.BLOCK_SIZE)
    assert found.sparsity() == pytest.approx(wanted.sparsity())
    for index in (1, (0, -1), (slice(0, 1), 2)):
        assert found[index].kv_indices.tolist() == wanted[index].kv_indices.tolist()
        assert found[index].shape == wanted[index].shape


def test_masks_are_combined(torch: ModuleType) -> None:
    for library in (torch, lg):
        flex = _attention(library)
        both = flex.create_mask(flex.and_masks(_causal, _window), 1, 1, 4, 4, device="cpu")
        either = flex.create_mask(flex.or_masks(_causal, _window), None, None, 4, 4, device="cpu")
        assert both.tolist()[0][0] == [[q >= k >= q - 1 for k in range(4)] for q in range(4)]
        assert either.tolist()[0][0] == [[q >= k - 1 for k in range(4)] for q in range(4)]
        hidden = flex.create_mask(_below, 1, 1, 3, 3, device="cpu")
        assert hidden.tolist()[0][0] == [[q > k for k in range(3)] for q in range(3)]


def test_what_does_not_fit_is_refused() -> None:
    flex = _attention(lg)
    q, k, v = (lg.zeros(shape) for shape in _SHAPES)
    mask = flex.create_block_mask(_causal, 2, 4, 5, 7)
    with pytest.raises(ValueError, match="same number of heads"):
        flex.flex_attention(q, k[:, :2], v[:, :2])
    with pytest.raises(ValueError, match="multiple of kv heads"):
        flex.flex_attention(q, k[:, :3], v[:, :3], enable_gqa=True)
    with pytest.raises(ValueError, match="same batch size"):
        flex.flex_attention(q[:1], k, v)
    with pytest.raises(ValueError, match="create a new block mask"):
        flex.flex_attention(q[:, :, :4], k, v, block_mask=mask)
    with pytest.raises(RuntimeError, match="sliced BlockMask"):
        flex.flex_attention(q, k, v, block_mask=mask[0])
    with pytest.raises(NotImplementedError, match="4D"):
        flex.flex_attention(q[0], k[0], v[0])


def test_changed_scores_stay_in_one_kernel() -> None:
    """What the function computes is fused with the softmax: no kernel of its own."""
    flex = _attention(lg)
    q, k, v = (lg.randn(shape) for shape in _SHAPES)
    kernels = lg.stages(flex.flex_attention(q, k, v, _capped)).kernels
    assert len(kernels) == 1 and all(word in str(kernels[0]) for word in ("tanh(", "exp(", "reduce_sum("))


def test_switches_are_set_and_restored() -> None:
    with attention.sdpa_kernel(attention.SDPBackend.MATH):
        assert lg.backends.cuda.math_sdp_enabled() and not lg.backends.cuda.flash_sdp_enabled()
        with attention.sdpa_kernel([attention.SDPBackend.FLASH_ATTENTION]):
            assert not lg.backends.cuda.math_sdp_enabled() and lg.backends.cuda.flash_sdp_enabled()
        assert lg.backends.cuda.math_sdp_enabled()
    assert lg.backends.cuda.flash_sdp_enabled() and lg.backends.cuda.mem_efficient_sdp_enabled()
    with pytest.raises(AssertionError, match="got str"), attention.sdpa_kernel("math"):  # type: ignore[arg-type]
        pass


@pytest.mark.parametrize("name", ["causal_upper_left", "causal_lower_right"])
def test_causal_biases_agree_with_torch(torch: ModuleType, name: str) -> None:
    results = []
    for library in (torch, lg):
        library.manual_seed(1)
        q, k, v = (library.randn(shape) for shape in _SHAPES)
        bias = getattr(import_module(f"{library.__name__}.nn.attention.bias"), name)(5, 7)
        results.append(library.nn.functional.scaled_dot_product_attention(q, k, v, bias))
    assert_close(results[1], results[0])
