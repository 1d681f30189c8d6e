"""Whole modules through files of either framework, and what a file that is not trusted may hold besides tensors."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

import lazygrad
from tests.nn.cases_basic_layers import BASIC
from tests.nn.cases_layers import LAYERS
from tests.nn.layers import Layer
from tests.saving.assembling import archive, called, named

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

CASES = [pytest.param(case, id=case.source) for case in (*BASIC, *LAYERS)]


def _moved(value: Any, writer: Any, reader: Any, **options: Any) -> Any:
    file = io.BytesIO()
    writer.save(value, file)
    file.seek(0)
    return reader.load(file, **options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
def test_layers_are_read_by_the_other_framework(case: Layer) -> None:
    for writer, reader in ((torch, lazygrad), (lazygrad, torch)):
        made = case.made(writer)
        found = _moved(made, writer, reader, weights_only=False)
        assert type(found) is type(case.made(reader))
        assert repr(found) == repr(made)
        ours, theirs = found.state_dict(), made.state_dict()
        assert {name: value.tolist() for name, value in ours.items()} == {
            name: value.tolist() for name, value in theirs.items()
        }


def _network(t: Any) -> Any:
    n = t.nn
    return n.Sequential(
        n.Conv2d(1, 2, 3), n.BatchNorm2d(2), n.ReLU(), n.MaxPool2d(2), n.Flatten(), n.Dropout(), n.Linear(18, 3),
        n.GELU(),
    )  # fmt: skip


@pytest.mark.parametrize("is_zip", [True, False])
def test_a_network_computes_what_it_did(is_zip: bool) -> None:
    for writer, reader in ((torch, lazygrad), (lazygrad, torch), (lazygrad, lazygrad)):
        made, file = _network(writer).eval(), io.BytesIO()
        writer.save(made, file, _use_new_zipfile_serialization=is_zip)
        file.seek(0)
        found = reader.load(file, weights_only=False)
        numbers = [[[[float(i * j % 7) for i in range(8)] for j in range(8)]]]
        expected, actual = made(writer.tensor(numbers)), found(reader.tensor(numbers))
        assert actual.tolist()[0] == pytest.approx(expected.tolist()[0], rel=1e-5, abs=1e-6)
        found.train()
        found(reader.rand(2, 1, 8, 8)).sum().backward()
        assert found[0].weight.grad is not None


def test_what_lazygrad_lacks_is_named() -> None:
    for name in ("torch.nn.modules.linear.Thing", "torch.distributed.fsdp.FullyShardedDataParallel"):
        with pytest.raises(Exception, match=f"the file needs {name}, which lazygrad does not have"):
            lazygrad.load(io.BytesIO(archive(named(name))), weights_only=False)


def test_hooks_of_a_module_that_was_loaded() -> None:
    seen: list[Any] = []
    for writer in (torch, lazygrad):
        found = _moved(writer.nn.Linear(2, 1), writer, lazygrad, weights_only=False)
        handle = found.register_forward_hook(lambda *arguments: seen.append(arguments))
        found(lazygrad.ones(1, 2))
        handle.remove()
    assert len(seen) == 2
    made = torch.nn.Linear(2, 1)
    made.register_forward_hook(distance)
    with pytest.raises(ValueError, match="hooks that PyTorch has saved"):
        _moved(made, torch, lazygrad, weights_only=False)


def test_a_file_of_a_module_names_nothing_of_lazygrad() -> None:
    file = io.BytesIO()
    lazygrad.save(_network(lazygrad), file)
    file.seek(0)
    names = lazygrad.serialization.get_unsafe_globals_in_checkpoint(file)
    assert len(names) == 9 and all(name.startswith("torch.nn.modules.") for name in names)


# Files that are not trusted.


class Point:
    """A class of a program."""

    def __init__(self, x: float) -> None:
        self.x = x


def distance(x: float) -> float:
    """A function of a program."""
    return abs(x)


@pytest.fixture(autouse=True)
def _nothing_allowed() -> Iterator[None]:
    yield
    lazygrad.serialization.clear_safe_globals()


def test_modules_are_refused_until_they_are_allowed() -> None:
    model = lazygrad.nn.Linear(2, 1)
    with pytest.raises(Exception, match=r"(?s)Weights only load failed.*linear\.Linear.*add_safe_globals"):
        _moved(model, lazygrad, lazygrad)
    with lazygrad.serialization.safe_globals([lazygrad.nn.Linear]):
        found = _moved(model, lazygrad, lazygrad)
        assert found.weight.tolist() == model.weight.tolist() and type(found) is lazygrad.nn.Linear
        assert repr(_moved(torch.nn.Linear(2, 1), torch, lazygrad)) == repr(model)
    assert lazygrad.serialization.get_safe_globals() == []
    with pytest.raises(Exception, match="Weights only load failed"):
        _moved(model, lazygrad, lazygrad)


def test_classes_and_functions_of_a_program() -> None:
    for t in (lazygrad, torch):
        point = {"point": Point(2.5), "weights": t.ones(2)}
        with pytest.raises(Exception, match="Weights only load failed"):
            _moved(point, t, t)
        with t.serialization.safe_globals([Point]):
            assert _moved(point, t, t)["point"].x == 2.5
    lazygrad.serialization.add_safe_globals([Point, (distance, "their.distance")])
    assert lazygrad.serialization.get_safe_globals() == [Point, (distance, "their.distance")]
    assert lazygrad.load(io.BytesIO(archive(called("their.distance", -2.0)))) == 2.0
    with pytest.raises(Exception, match="Weights only load failed"):
        lazygrad.load(io.BytesIO(archive(called(f"{__name__}.distance", -2.0))))
    with pytest.raises(TypeError):
        lazygrad.serialization.add_safe_globals([3])


def test_unsafe_names_are_listed_without_being_imported() -> None:
    for t in (lazygrad, torch):
        file = io.BytesIO()
        t.save({"point": Point(1.0), "weights": t.ones(2)}, file)
        for reader in (lazygrad, torch):
            file.seek(0)
            assert reader.serialization.get_unsafe_globals_in_checkpoint(file) == [f"{__name__}.Point"]
    content = archive(called("a_module_that_is_not_there.f", 1))
    assert lazygrad.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(content)) == [
        "a_module_that_is_not_there.f"
    ]
