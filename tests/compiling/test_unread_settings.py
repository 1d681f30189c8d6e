"""Settings of PyTorch's compilers: they may be assigned, and change nothing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import lazygrad as lg

PATHS = ["_dynamo.config", "_inductor.config", "_functorch.config"]


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


@pytest.mark.parametrize("path", PATHS)
def test_names_with_values_have_torchs(torch: ModuleType, path: str) -> None:
    ours, theirs = import_module(f"lazygrad.{path}"), import_module(f"torch.{path}")
    of_the_machine, former = "compile_threads", "use_mixed_mm"
    for name, value in ours.shallow_copy_dict().items():
        if name not in (of_the_machine, former):
            assert getattr(theirs, name) == value, name


@pytest.mark.parametrize("path", PATHS)
def test_any_name_may_be_assigned(path: str) -> None:
    config = import_module(f"lazygrad.{path}")
    with pytest.raises(AttributeError, match=r"config\.made_up does not exist"):
        config.made_up  # noqa: B018
    assert not hasattr(config, "made_up")
    config.made_up = 3
    try:
        assert config.made_up == 3 and config.to_dict()["made_up"] == 3
    finally:
        del config.made_up


def _changes(t: Any) -> Any:
    config, inductor = t._dynamo.config, t._inductor.config
    seen = []

    @config.patch(suppress_errors=True)
    def inner(depth: int) -> None:
        seen.append((config.suppress_errors, config.verbose))
        if depth:
            inner(depth - 1)

    inner(1)
    with config.patch("verbose", True):
        inner(0)
    with config.patch({"verbose": True, "cache_size_limit": 64}), inductor.patch({"triton.cudagraphs": True}):
        seen.append((config.verbose, config.cache_size_limit, config.recompile_limit, inductor.triton.cudagraphs))
    inductor.triton.unique_kernel_names = False
    seen.append((inductor.triton.unique_kernel_names, inductor.triton.cudagraphs, config.verbose))
    inductor.triton.unique_kernel_names = True
    try:
        with config.patch(verbose=True):
            raise ValueError
    except ValueError:
        seen.append(config.verbose)
    return seen


def test_changes_for_a_time_are_torchs(torch: ModuleType) -> None:
    import torch._dynamo.config
    import torch._inductor.config

    assert _changes(lg) == _changes(torch)


@pytest.mark.parametrize("arguments", [
    (("verbose", True), {"disable": True}), (({"verbose": True},), {"disable": True}), (({"verbose": True}, 3), {}),
    (("verbose",), {}), ((3,), {}), ((None, 3), {}),
])  # fmt: skip
def test_errors_are_torchs(torch: ModuleType, arguments: Any) -> None:
    import torch._dynamo.config

    positional, named = arguments
    messages = []
    for t in (lg, torch):
        with pytest.raises(AssertionError) as caught:
            t._dynamo.config.patch(*positional, **named)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_copies_are_loaded() -> None:
    config = lg._inductor.config
    before = config.get_config_copy()
    with config.patch({"triton.made_up": [1], "debug": True}):
        changed = config.get_config_copy()
    assert not hasattr(config.triton, "made_up")
    config.load_config(changed)
    assert config.triton.made_up == [1] and config.debug
    config.load_config(before)
    del config.triton.made_up
    assert config.to_dict() == before


def test_nothing_else_is_there() -> None:
    with pytest.raises(AttributeError, match="there is no Inductor"):
        lg._inductor.compile_fx  # noqa: B018
    with pytest.raises(AttributeError, match=r"torch\.func"):
        lg._functorch.aot_autograd  # noqa: B018
