"""Attention of several heads and transformers, compared with PyTorch's."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_alike, assert_close

from .compare import values

Numbers = np.ndarray


def made(framework: Any, source: str) -> Any:
    framework.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(source, {"nn": framework.nn, "t": framework, "F": framework.nn.functional})


def drawn(framework: Any, *shape: int, seed: int = 0) -> Any:
    array = np.random.default_rng([seed, *shape]).standard_normal(shape)
    return framework.tensor(array, dtype=framework.float32).requires_grad_()


def gradients(loss: Any, inputs: list[Any], module: Any) -> list[Any]:
    loss.backward()
    return [*[x.grad for x in inputs], *[x.grad for x in module.parameters()]]


ATTENTIONS = [
    "nn.MultiheadAttention(8, 2)",
    "nn.MultiheadAttention(8, 2, batch_first=True, bias=False)",
    "nn.MultiheadAttention(8, 4, add_bias_kv=True, add_zero_attn=True)",
    "nn.MultiheadAttention(8, 2, add_bias_kv=True, kdim=8, vdim=6, batch_first=True)",
    "nn.MultiheadAttention(8, 1, 0.25, add_zero_attn=True, kdim=4)",
]
CAUSAL = np.triu(np.ones((4, 5), bool), 1)
PADDING = np.array([[False] * 5, [False, False, False, True, True]])
EACH_HEAD = np.random.default_rng(0).random((4, 4, 5)) < 0.3
ADDED = np.random.default_rng(1).standard_normal((4, 5)).astype(np.float32)
MASKS: dict[str, dict[str, Numbers]] = {
    "none": {},
    "causal": {"attn_mask": CAUSAL},
    "padding": {"key_padding_mask": PADDING},
    "both": {"attn_mask": CAUSAL, "key_padding_mask": PADDING},
    "added": {"attn_mask": ADDED},
    "added_padding": {"attn_mask": ADDED, "key_padding_mask": PADDING.astype(np.float32)},
    "mixed": {"attn_mask": ADDED, "key_padding_mask": PADDING},
    "each_head": {"attn_mask": EACH_HEAD},
}


@pytest.mark.filterwarnings("ignore:Support for mismatched .*mask")
@pytest.mark.usefixtures("numbers_of_the_cpu")
@pytest.mark.parametrize("weights", ["no_weights", "mean", "all"])
@pytest.mark.parametrize("masks", MASKS)
@pytest.mark.parametrize("source", ATTENTIONS)
def test_attention(torch: Any, source: str, masks: str, weights: str) -> None:
    def compute(framework: Any) -> list[Any]:
        module = made(framework, source)
        given = {name: framework.tensor(mask) for name, mask in MASKS[masks].items()}
        if masks == "each_head":
            given["attn_mask"] = framework.tensor(np.repeat(EACH_HEAD[:1], 2 * module.num_heads, 0))
        inputs = [drawn(framework, 4, 2, 8), drawn(framework, 5, 2, module.kdim), drawn(framework, 5, 2, module.vdim)]
        arguments = [x.transpose(0, 1) for x in inputs] if module.batch_first else inputs
        how = {"need_weights": weights != "no_weights", "average_attn_weights": weights == "mean"}
        framework.manual_seed(3)
        output, seen = module(*arguments, **given, **how)
        loss = output.square().sum() + (0 if seen is None else seen.pow(3).sum())
        return [output, seen, *gradients(loss, inputs, module)]

    assert_alike(compute, torch, lg, 2)


def test_self_attention_and_without_a_batch(torch: Any) -> None:
    def compute(framework: Any) -> list[Any]:
        found: list[Any] = []
        for source in ATTENTIONS[:3]:
            for shape in ((5, 8), (5, 3, 8)):
                module, x = made(framework, source).eval(), drawn(framework, *shape)
                steps = shape[1] if len(shape) == 3 and module.batch_first else shape[0]
                hidden = framework.tensor(np.triu(np.ones((steps, steps), bool), 1))
                output, seen = module(x, x, x, attn_mask=hidden, is_causal=True, need_weights=True)
                hinted, _ = module(x, x, x, attn_mask=hidden, is_causal=True, need_weights=False)
                memory = drawn(framework, *shape, seed=1)
                other, _ = module(x, memory, memory)
                loss = output.square().sum() + hinted.pow(3).sum() + other.square().sum()
                found += [output, seen, hinted, other, *gradients(loss, [x, memory], module)]
        return found

    assert_alike(compute, torch, lg, 2)


def test_function(torch: Any) -> None:
    def compute(framework: Any) -> list[Any]:
        x = drawn(framework, 3, 2, 4)
        weight, bias = drawn(framework, 12, 4), drawn(framework, 12)
        out, own = drawn(framework, 4, 4, seed=1), drawn(framework, 4)
        static = drawn(framework, 4, 6, 2)
        forward = framework.nn.functional.multi_head_attention_forward
        return [
            *forward(x, x, x, 4, 2, weight, bias, None, None, False, 0.0, out, own),
            *forward(
                x, x, x, 4, 2, weight, None, None, None, True, 0.5, out, None, False, static_k=static, static_v=static
            ),
        ]

    assert_alike(compute, torch, lg)


MODULES = [
    *ATTENTIONS,
    "nn.TransformerEncoderLayer(8, 2, 12, batch_first=True)",
    "nn.TransformerEncoderLayer(8, 2, 12, 0.25, 'gelu', norm_first=True)",
    "nn.TransformerEncoderLayer(8, 2, 12, activation=nn.SiLU(), bias=False, layer_norm_eps=1e-3)",
    "nn.TransformerDecoderLayer(8, 2, 12, batch_first=True)",
    "nn.TransformerDecoderLayer(8, 2, 12, 0.25, F.gelu, norm_first=True)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12), 2, nn.LayerNorm(8))",
    "nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 12, bias=False), 2)",
    "nn.Transformer(8, 2, 2, 1, 12, 0.25, batch_first=True)",
]


@pytest.mark.parametrize("source", MODULES)
def test_repr_parameters_and_state(torch: Any, source: str) -> None:
    ours, theirs = made(lg, source), made(torch, source)
    assert repr(ours) == repr(theirs)
    assert_close(ours.state_dict(), theirs.state_dict())
    assert_close(copy.deepcopy(ours).state_dict(), theirs.state_dict())
    theirs.load_state_dict({name: torch.tensor(values(x)) for name, x in ours.state_dict().items()})


@pytest.mark.filterwarnings("ignore:Support for mismatched .*mask")
@pytest.mark.usefixtures("numbers_of_the_cpu")
@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("source", MODULES[len(ATTENTIONS) :])
def test_transformers(torch: Any, source: str, mode: str) -> None:
    def compute(framework: Any) -> list[Any]:
        module = getattr(made(framework, source), mode)()
        first = "batch_first" in source
        x, memory = drawn(framework, 4, 4, 8), drawn(framework, 4, 4, 8, seed=1)
        causal = framework.nn.Transformer.generate_square_subsequent_mask(4)
        padding = framework.tensor(np.arange(4) >= np.array([4, 3, 2, 4])[:, None])
        framework.manual_seed(3)
        if "nn.Transformer(" in source:
            output = module(memory, x, tgt_mask=causal, src_key_padding_mask=padding, tgt_is_causal=True)
        elif "Decoder" in source:
            output = module(x, memory, causal, memory_key_padding_mask=padding)
        else:
            output = module(x, causal, padding)
        other = module(*([memory[:, 0] if not first else memory[0]] * (1 if "Encoder" in source else 2)))
        loss = output.square().sum() + other.pow(3).sum()
        return [output, other, *gradients(loss, [x, memory], module)]

    assert_alike(compute, torch, lg, 4)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("lengths", [[3, 5], [5, 2]])
@pytest.mark.parametrize("at_end", [True, False])
def test_padding_is_zero_where_it_is_left_out(torch: Any, lengths: list[int], at_end: bool) -> None:
    """What PyTorch does not compute with nested tensors comes out as 0."""

    def compute(framework: Any) -> list[Any]:
        layer = made(framework, "nn.TransformerEncoderLayer(8, 2, 12, batch_first=True)")
        padding = np.arange(5) >= np.array(lengths)[:, None]
        padding = framework.tensor(padding if at_end else padding[:, ::-1].copy())
        x = drawn(framework, 2, 5, 8).detach()
        found = []
        for norm in (None, framework.nn.LayerNorm(8)):
            encoder = framework.nn.TransformerEncoder(layer, 2, norm).eval()
            with framework.no_grad():
                found.append(encoder(x, src_key_padding_mask=padding))
            found.append(encoder(x, src_key_padding_mask=padding))
        return found

    assert_alike(compute, torch, lg, 2)


ERRORS = [
    "nn.MultiheadAttention(8, 3)",
    "nn.MultiheadAttention(0, 3)",
    "nn.MultiheadAttention(8, 2)(t.zeros(8), t.zeros(8), t.zeros(8))",
    "nn.MultiheadAttention(8, 2)(t.zeros(2, 1, 8), t.zeros(2, 8), t.zeros(2, 1, 8))",
    "nn.MultiheadAttention(8, 2)(t.zeros(2, 1, 4), t.zeros(2, 1, 4), t.zeros(2, 1, 4))",
    "nn.MultiheadAttention(8, 2)(t.zeros(2, 1, 8), t.zeros(2, 1, 8), t.zeros(3, 1, 8))",
    "nn.MultiheadAttention(8, 2)(*[t.zeros(2, 1, 8)] * 3, attn_mask=t.zeros(3, 2))",
    "nn.MultiheadAttention(8, 2)(*[t.zeros(2, 1, 8)] * 3, attn_mask=t.zeros(3, 2, 2))",
    "nn.MultiheadAttention(8, 2)(*[t.zeros(2, 1, 8)] * 3, attn_mask=t.zeros(2))",
    "nn.MultiheadAttention(8, 2)(*[t.zeros(2, 1, 8)] * 3, attn_mask=t.zeros(2, 2, dtype=t.int64))",
    "nn.MultiheadAttention(8, 2)(*[t.zeros(2, 1, 8)] * 3, key_padding_mask=t.zeros(2))",
    "nn.MultiheadAttention(8, 2)(*[t.zeros(2, 1, 8)] * 3, key_padding_mask=t.zeros(1, 3))",
    "nn.MultiheadAttention(8, 2)(*[t.zeros(2, 1, 8)] * 3, is_causal=True)",
    "nn.MultiheadAttention(8, 2)(*[t.zeros(2, 8)] * 3, attn_mask=t.zeros(1, 2, 2))",
    "nn.TransformerEncoderLayer(8, 2, activation='silu')",
    "nn.Transformer(8, 2, 1, 1)(t.zeros(2, 1, 8), t.zeros(2, 2, 8))",
    "nn.Transformer(8, 2, 1, 1)(t.zeros(2, 1, 4), t.zeros(2, 1, 8))",
]


@pytest.mark.parametrize("source", ERRORS)
def test_errors(torch: Any, source: str) -> None:
    with pytest.raises(Exception) as theirs:
        made(torch, source)
    with pytest.raises(type(theirs.value)) as ours:
        made(lg, source)
    assert str(ours.value).startswith(str(theirs.value).replace("torch.", "lazygrad.")[:40])


def test_an_encoder_warns_where_padding_stays(torch: Any) -> None:
    for framework in (lg, torch):
        layer = framework.nn.TransformerEncoderLayer(8, 2)
        with pytest.warns(UserWarning, match="enable_nested_tensor is True, but .*batch_first was not True"):
            framework.nn.TransformerEncoder(layer, 1)


@pytest.mark.parametrize("reads_weights", [False, True])
def test_attention_is_one_call_unless_its_weights_are_read(reads_weights: bool) -> None:
    """Also where weights are asked for, as they are by default, but nobody looks at them."""
    module = lg.nn.MultiheadAttention(32, 2, batch_first=True)
    x = lg.ones(2, 128, 32)
    output, seen = module(x, x, x)
    assert seen is not None
    graph = str(lg.stages(output if not reads_weights else output + seen.sum()).primitive)
    assert " = attend " in graph
    assert (" = exp " in graph) == reads_weights


def _derived(nn: Any) -> dict[str, Any]:
    """Layers that call the parts of PyTorch's by their names, and layers with parts of their own."""

    class Scaled(nn.TransformerEncoderLayer):  # type: ignore[misc, name-defined]
        def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None) -> Any:
            x = src + 0.5 * self._sa_block(self.norm1(src), src_mask, src_key_padding_mask)
            return x + 0.25 * self._ff_block(self.norm2(x))

    class Doubled(nn.TransformerEncoderLayer):  # type: ignore[misc, name-defined]
        def _ff_block(self, x: Any) -> Any:
            return 2 * super()._ff_block(x)

        def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
            return super()._sa_block(x, attn_mask, key_padding_mask, is_causal=is_causal).tanh()

    class Without(nn.TransformerDecoderLayer):  # type: ignore[misc, name-defined]
        def _mha_block(self, x: Any, mem: Any, *masks: Any) -> Any:
            return super()._mha_block(x, mem, *masks) + x

        def _ff_block(self, x: Any) -> Any:
            return -super()._ff_block(x)

        def _sa_block(self, x: Any, *masks: Any) -> Any:
            return x

    return {"scaled": Scaled(8, 2, 16, 0.0), "doubled": Doubled(8, 2, 16, 0.0), "without": Without(8, 2, 16, 0.0)}


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("name", ["scaled", "doubled", "without"])
def test_derived_layers_have_parts_of_their_own(torch: Any, name: str, norm_first: bool) -> None:
    def compute(framework: Any) -> list[Any]:
        framework.manual_seed(1)
        layer = _derived(framework.nn)[name]
        layer.norm_first = norm_first
        x = drawn(framework, 5, 2, 8)
        given = (x, drawn(framework, 3, 2, 8, seed=1)) if name == "without" else (x, framework.zeros(5, 5))
        found = layer(*given)
        return [found, *gradients(found.square().sum(), [x], framework.nn.ModuleList([layer.linear1, layer.norm2]))]

    assert_alike(compute, torch, lg, 4)
