"""Tensors with more to them than values: attributes, buffers, sparse ones, through files of either framework."""

from __future__ import annotations

import io
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad
from tests.oracle.comparing import assert_equal, outcome_of

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")


def _labelled(tensor: Any) -> Any:
    tensor.label = "slow"
    return tensor


_MADE: dict[str, Callable[[Any], Any]] = {
    "tensor with an attribute": lambda t: _labelled(t.arange(3.0)[1:]),
    "parameter with an attribute": lambda t: _labelled(t.nn.Parameter(t.ones(2), requires_grad=False)),
    "named parameter": lambda t: t.nn.Linear(2, 1, bias=False).weight.requires_grad_(False).zero_(),
    "buffer": lambda t: t.nn.Buffer(t.ones(2)),
    "buffer that is not persistent": lambda t: t.nn.Buffer(t.ones(2), persistent=False),
    "sparse": lambda t: t.sparse_coo_tensor(t.tensor([[1, 0, 1], [0, 2, 0]]), t.tensor([1.0, 2.0, 3.0]), (2, 3)),
    "sparse, coalesced": lambda t: t.eye(2).to_sparse(),
    "sparse, of rows": lambda t: t.eye(2).to_sparse(1),
    "sparse that requires grad": lambda t: t.eye(2).to_sparse().requires_grad_(),
    "hooked": lambda t: _hooked(t.ones(2, requires_grad=True)).detach(),
    "layout": lambda t: t.sparse_coo,
    "bytearray": lambda t: bytearray(b"a\xff"),
}


def _hooked(tensor: Any) -> Any:
    tensor.register_hook(lambda gradient: gradient)
    return tensor


def _described(t: Any, value: Any) -> Any:
    if not isinstance(value, t.Tensor):
        return str(value).replace("lazygrad.", "torch.")
    facts = [value.requires_grad, isinstance(value, t.nn.Parameter), isinstance(value, t.nn.Buffer)]
    facts += [getattr(value, name, None) for name in ("label", "persistent")]
    if value.layout is t.sparse_coo:
        parts = value._indices(), value._values()
        return facts, [part.tolist() for part in parts], tuple(value.shape), value.is_coalesced()
    return facts, value.tolist(), value.stride(), value.storage_offset()


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("made", _MADE.values(), ids=_MADE)
@pytest.mark.parametrize("writer", [torch, lazygrad], ids=["torch", "lazygrad"])
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
def test_either_framework_reads_it(writer: Any, made: Callable[[Any], Any], weights_only: bool) -> None:
    file = io.BytesIO()
    writer.save(made(writer), file)
    found = []
    for reader in (torch, lazygrad):
        file.seek(0)
        found.append(_described(reader, reader.load(file, weights_only=weights_only)))
    assert found[1] == found[0]


# What is plain in Python. PyTorch's own `weights_only` refuses some of it.
_PLAIN: dict[str, Any] = {
    "OrderedDict": OrderedDict(a=1, b=[2]), "defaultdict": defaultdict(list, {1: [2]}), "Counter": Counter("abca"),
    "deque": deque([1, 2], maxlen=3), "range": range(2, 9, 3), "slice": slice(1, None), "set": {1, "a", (2, 3)},
    "frozenset": frozenset([1, frozenset()]), "bytes": b"ab\xff", "no bytes": b"", "bytearray": bytearray(b"\xff"),
    "complex": 1 - 2j, "large": [2**31, -(2**31) - 1, 2**63, -(2**100), 2**5000], "float": [0.1, float("inf"), -0.0],
    "text": ["", "\u00e4\ud800", "a" * 70_000], "constants": [None, True, False],
    "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)], "classes": [float, dict, OrderedDict],
    "keys": {(1, ("a",)): 1, 1.5: 2, None: 3, True: 4, b"x": 5, frozenset([7]): 6},
    "long": list(range(3000)), "the same twice": [[1]] * 2, "many keys": {n: str(n) for n in range(2500)},
}  # fmt: skip


@pytest.mark.parametrize("protocol", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("writer", [torch, lazygrad], ids=["torch", "lazygrad"])
def test_plain_objects_of_every_protocol(writer: Any, protocol: int) -> None:
    for name, plain in _PLAIN.items():
        file = io.BytesIO()
        writer.save(plain, file, pickle_protocol=protocol)
        file.seek(0)
        found = lazygrad.load(file)
        assert repr(found) == repr(plain) and found == plain, name
        assert getattr(found, "maxlen", 0) == getattr(plain, "maxlen", 0), name


@pytest.mark.parametrize("protocol", [2, 4])
def test_a_whole_training_state_of_torch(protocol: int) -> None:
    """With every kind of optimizer, a learning rate's schedule, and the random stream's bytes."""
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    kinds: list[Any] = [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad]
    optimizers = [kind(model.parameters(), lr=0.1) for kind in kinds]
    schedule = torch.optim.lr_scheduler.StepLR(optimizers[0], 2)
    model(torch.rand(5, 3)).sum().backward()
    for optimizer in optimizers:
        optimizer.step()
    state = {"model": model.state_dict(), "optimizers": [optimizer.state_dict() for optimizer in optimizers],
             "schedule": schedule.state_dict(), "random": torch.get_rng_state(), "epoch": 3}  # fmt: skip
    file = io.BytesIO()
    torch.save(state, file, pickle_protocol=protocol)
    file.seek(0)
    assert_equal(outcome_of(state), outcome_of(lazygrad.load(file)), slack=0)


def test_storages() -> None:
    for writer, other in ((torch, lazygrad), (lazygrad, torch)):
        file, tensor = io.BytesIO(), writer.arange(3.0)
        writer.save({"typed": tensor.storage(), "tensor": tensor}, file)
        file.seek(0)
        found = other.load(file)
        found["tensor"][1] = 9
        assert found["typed"].tolist() == [0, 9, 2] and found["typed"].dtype is other.float32
    file = io.BytesIO()
    torch.save(torch.arange(3, dtype=torch.int16).untyped_storage(), file)
    file.seek(0)
    assert lazygrad.load(file).tolist() == [0, 0, 1, 0, 2, 0]


def test_tensors_without_values() -> None:
    file = io.BytesIO()
    torch.save(torch.empty_strided((2, 3), (1, 2), device="meta", requires_grad=True), file)
    file.seek(0)
    found = lazygrad.load(file)
    assert found.device.type == "meta" and found.shape == (2, 3) and found.requires_grad
    file.seek(0)
    saved = io.BytesIO()
    lazygrad.save({"x": lazygrad.ones(2, 3)[1], "y": lazygrad.ones(4)}, saved)
    saved.seek(0)
    moved = lazygrad.load(saved, map_location="meta")
    assert [(tensor.device.type, tuple(tensor.shape)) for tensor in moved.values()] == [("meta", (3,)), ("meta", (4,))]


def test_a_file_names_places_that_do_not_exist() -> None:
    file = io.BytesIO()
    lazygrad.save(lazygrad.sparse_coo_tensor([[5]], [1.0], (2,)), file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="inconsistent"):
        lazygrad.load(file)


def test_names_that_readers_of_files_in_pieces_import(torch: Any) -> None:
    """lit-llama writes checkpoints piece by piece with these, MONAI pickles with the protocol."""

    def compute(framework: Any, serialization: Any) -> list[Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = framework.ones(1)
            kinds = [framework.FloatStorage, type(whole.storage()), type(whole.untyped_storage())]
            tags = [serialization.location_tag(x.untyped_storage()) for x in (whole, _meta(framework))]
        return [
            [serialization.normalize_storage_type(kind).__name__ for kind in kinds],
            tags,
            serialization.DEFAULT_PROTOCOL,
        ]

    assert compute(lazygrad, lazygrad.saving) == compute(torch, torch.serialization)


def _meta(framework: Any) -> Any:
    return framework.empty(2, device="meta")


@pytest.mark.parametrize("options", [{}, {"weights_only": False}], ids=repr)
def test_complex32_is_read_as_complex64(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lazygrad.host.warn_once._said", set())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = torch.tensor([[1 + 2j, 3, 1j], [0, 5j, 6]]).to(torch.complex32)
        saved = [table.t()[1:], table[0].conj(), table, torch.ones(2)]
    stream = io.BytesIO()
    torch.save(saved, stream)
    stream.seek(0)
    with pytest.warns(UserWarning, match="complex32, which lazygrad reads as complex64"):
        found = lazygrad.load(stream, **options)
    expected = [x.to(torch.complex64).resolve_conj().tolist() for x in saved[:3]]
    assert [x.tolist() for x in found[:3]] == expected and found[3].tolist() == [1, 1]
    assert [x.dtype for x in found] == [lazygrad.complex64] * 3 + [lazygrad.float32]
