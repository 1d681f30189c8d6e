"""Every public name of PyTorch's tiers is there, or is left out with a reason."""

from __future__ import annotations

import pytest

import lazygrad as lg
from lazygrad.left_out import LEFT_OUT

from .names import NAMESPACES, names, path


def _has(public: str) -> bool:
    value: object = lg
    for part in public.split("."):
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


@pytest.mark.parametrize("namespace", NAMESPACES)
@pytest.mark.parametrize("tier", ["A", "B", "C"])
def test_nothing_is_missing(namespace: str, tier: str) -> None:
    assert [name for name in names(namespace, tier) if not _has(path(namespace, name))] == []


@pytest.mark.parametrize("name", sorted(LEFT_OUT))
def test_what_is_left_out_says_what_to_use(name: str) -> None:
    with pytest.raises(NotImplementedError, match=name):
        getattr(lg, name)()
