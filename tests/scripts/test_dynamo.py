"""Names of ``torch._dynamo`` and their like that programs import around what runs."""

from __future__ import annotations

import lazygrad as lg
from lazygrad._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
from lazygrad.nn.attention.flex_attention import _DEFAULT_SPARSE_BLOCK_SIZE
from lazygrad.safetensors.torch import storage_ptr, storage_size


def test_settings_can_be_set_and_marks_change_nothing() -> None:
    with lg._dynamo.config.patch(suppress_errors=False):
        lg._dynamo.config.suppress_errors = True
        assert lg._dynamo.config.suppress_errors
    lg._dynamo.reset()
    lg._dynamo.graph_break()
    x = lg.arange(3.0)
    lg._dynamo.mark_static(x, 0)

    @lg._dynamo.disable
    def double(x: lg.Tensor) -> lg.Tensor:
        return x * 2

    assert double(x).tolist() == [0, 2, 4]
    assert not lg._dynamo.is_compiling() and not lg._dynamo.is_dynamo_supported()


def test_compiled_modules_are_told_from_others() -> None:
    layer = lg.nn.Linear(2, 2)
    compiled = lg.compile(layer)
    kind = lg._dynamo.eval_frame.OptimizedModule
    assert isinstance(compiled, kind) and not isinstance(layer, kind)
    assert compiled._orig_mod is layer


def test_indices_in_vmap_are_looked_up_inside_and_outside_the_context() -> None:
    """As transformers makes its masks."""
    table = lg.tensor([True, False, True])

    def seen(query: lg.Tensor, key: lg.Tensor) -> lg.Tensor:
        return (key <= query) & table[key]

    def mask() -> lg.Tensor:
        over_keys = lg.vmap(seen, in_dims=(None, 0))
        return lg.vmap(over_keys, in_dims=(0, None))(lg.arange(3), lg.arange(3))

    with TransformGetItemToIndex():
        inside = mask()
    assert inside.tolist() == mask().tolist() == [[True, False, False], [True, False, False], [True, False, True]]


def test_what_a_program_stored_on_a_parameter_is_all_that_its_dictionary_has() -> None:
    """from_pretrained makes a parameter anew with ``Parameter(data, **parameter.__dict__)``."""
    weight = lg.nn.Linear(2, 2).weight
    assert vars(weight) == {}
    assert "weight" in str((weight * 2).graph())


def test_storages_of_views() -> None:
    x = lg.zeros(4, 3)
    assert storage_ptr(x) == storage_ptr(x[1:]) != 0
    assert storage_size(x[1:]) == 48 and _DEFAULT_SPARSE_BLOCK_SIZE == 128
