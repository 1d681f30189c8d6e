"""Guards are compiled from source; what attributes and keys are called does not become a part of it."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lazygrad.compiling.guards import Guards

RAN = []
NAMES = [
    "x",
    "__x",
    "class",
    "None",
    "ﬁ",  # an identifier that Python reads as another
    "x\n",
    "x and __import__('tests.compiling.test_guard_names').compiling.test_guard_names.RAN.append(1)",
    "x is not None\n    raise SystemExit #",
    "\ud800",
    "",
    "\"'\\",
]


class Anything:
    pass


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_attributes_of_any_name(name):
    owner, value = Anything(), object()
    setattr(owner, name, value)
    guards = Guards()
    guards.attribute(owner, name, value, "it")
    assert guards.hold() and guards.hold()
    setattr(owner, name, object())
    assert not guards.hold()
    assert guards.first_change() == "it"
    delattr(owner, name)
    assert not guards.hold()
    assert RAN == []


keys = st.text(st.characters()) | st.integers() | st.booleans() | st.floats(allow_nan=False) | st.none()


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(keys, st.integers(), min_size=1))
@example({10**5000: 1, "\ud800": 2, "\"'\n": 3})
def test_entries_of_any_key(items):
    guards = Guards()
    for key, value in items.items():
        guards.entry(items, key, value, "it")
    assert guards.hold()
    changed = next(iter(items))
    items[changed] += 1
    assert not guards.hold()


@pytest.mark.parametrize("absent", range(1, 5))
def test_what_is_absent_must_stay_so(absent):
    items = {"there": 1}
    guards = Guards()
    for number in range(absent):
        guards.without(items, number, f"{number}")
    assert guards.hold()
    items[absent - 1] = None
    assert not guards.hold()
    assert guards.first_change() == f"{absent - 1}"
    del items[absent - 1]
    assert guards.hold()


@pytest.mark.parametrize("filled", range(3))
def test_what_is_empty_must_stay_so(filled):
    containers = [[], {}, {}]
    guards = Guards()
    for container in containers[:2]:
        guards.length(container, "it")
    guards.keys(containers[2], "its keys")
    assert guards.hold()
    containers[filled].append(1) if filled == 0 else containers[filled].update(a=1)
    assert not guards.hold()
