"""`parse` reads graphs, and raises ValueError for everything else, whatever it is."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lazygrad.ir.attribute_text import parse_attribute, print_attribute
from lazygrad.ir.dtype import float32
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node, tensor_type
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import leaf
from lazygrad.ir.printable import printable, quoted, unquoted
from lazygrad.ir.text import parse, same_graph
from tests.autodiff.test_gradcheck import CASES
from tests.codegen.plans import PROGRAMS
from tests.reference import buffer_node

any_text = st.text(st.characters())
MANY = settings(max_examples=200, deadline=2000, suppress_health_check=list(HealthCheck))


def _text_of(name: str) -> str:
    case = CASES[name][0]
    return str(Graph([case.build(*[buffer_node(np.asarray(array)) for array in case.arrays])]))


TEXTS = [_text_of(name) for name in CASES] + list(PROGRAMS.values())
_WORDS = sorted({word for text in TEXTS for word in re.findall(r"\w+=\S+|[%\w]+|\S", text)})
_STRANGE = [
    *["", " ", "\n", "\r", "\x0c", "\x85", "\u2028", "\0", "\ud800", "٣", "²", "\t", "\\", '"', "'", '"\\', "'\\"],
    *["%", "%0", "%00", "%-1", "%999", "%" + "9" * 5000, "%٣", "return", "return %0", "return return", "#"],
    *[
        "1e999",
        "-1",
        "0",
        "9" * 30,
        "9" * 5000,
        "0x10",
        "1_000",
        "1e5",
        "inf",
        "-inf",
        "nan",
        "1j",
        "(1+2j)",
        "1" + "0" * 18,
    ],
    *[
        "()",
        "(1)",
        "(1,)",
        "(,)",
        "(1,,2)",
        "(1,2",
        "(" * 20,
        "(" * 100_000,
        "(1," * 5000,
        "-" * 100_000 + "1",
        "[1]",
        "{1}",
    ],
    *[
        "{1:2}",
        "None",
        "True",
        "''",
        "'a'",
        '"\\ud83d\\ude00"',
        '"\\x"',
        '"\\U00110000"',
        "b'a'",
        "...",
        "__import__('os')",
    ],
    *[
        "f32[9,9]",
        "f32[]",
        "f32[-1]",
        "f32[1,]",
        "f32[,]",
        f"f32[{9**20}]",
        f"f32[{'1,' * 100}1]",
        "f32[2]@cuda:1",
        "@meta",
    ],
    *[
        "@cuda:" + "9" * 400,
        "@nowhere",
        "f99[2]",
        "f32 [2]",
        "slot=-1",
        "slot=None",
        "slot=True",
        "slot='a'",
        "value='a'",
    ],
    *[
        "value=None",
        "value=1j",
        "axes=None",
        "axes=1",
        "axes=((),)",
        "axes=(inf,)",
        "axes=('a',)",
        "axis=0 axis=0",
        "dtype='u33'",
    ],
    *["dtype=0", "unknown=1", f"axis={9**40}", f"axes=({9**40},)", "axes=(0,0)", "=", "= =", ":", "1:", "shape=(-1,)"],
]
mutations = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(_STRANGE) | st.sampled_from(_WORDS) | any_text),
    min_size=1,
    max_size=4,
)


def assert_read_or_refused(text: str) -> None:
    """What is read is a graph: it can be printed and read again. What is refused is named with its line."""
    try:
        graph = parse(text)
    except ValueError as error:
        message = str(error)
        assert re.match(r"line \d+ is not a graph line \(.+\): ", message), message
        assert message.isprintable() and len(message) < 1000
        return
    assert same_graph(parse(str(graph)), graph)


@MANY
@given(st.sampled_from(TEXTS), mutations)
def test_changed_texts(text: str, changes: list[tuple[float, int, str]]) -> None:
    for where, length, word in changes:
        at = int(where * len(text))
        text = text[:at] + word + text[at + length :]
    assert_read_or_refused(text)


@MANY
@given(st.sampled_from(TEXTS), st.data())
def test_changed_words(text: str, data: st.DataObject) -> None:
    """Words in place of words come further than characters in place of characters."""
    words = re.findall(r"\s+|\w+=\S+|[%\w]+|\S", text)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(words) - 1))
        words[at] = data.draw(st.sampled_from(_WORDS) | st.sampled_from(_STRANGE))
    assert_read_or_refused("".join(words))


@MANY
@given(any_text)
@example("")
@example("return")
def test_any_text(text: str) -> None:
    assert_read_or_refused(text)
    assert_read_or_refused(f"%0: f32[2] = {text}\nreturn %0")
    assert_read_or_refused(f"%0: f32[2] = buffer slot={text}\nreturn %0")


@pytest.mark.parametrize("word", _STRANGE, ids=range(len(_STRANGE)))
def test_strange_words_everywhere(word: str) -> None:
    text = "%0: f32[2] = buffer slot=0\n%1: f32[1] = reduce_sum %0 axes=(0,)\nreturn %1"
    for old in (
        "%0:",
        "f32[2]",
        "buffer",
        "slot=0",
        "0\n",
        "reduce_sum",
        " %0",
        "axes=(0,)",
        "(0,)",
        "0,",
        "return",
        "%1",
    ):
        assert_read_or_refused(text.replace(old, word))
        assert_read_or_refused(text.replace(old, f"{old} {word}", 1))


HEAD = "%0: f32[2] = buffer slot=0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 0 .*the graph ends without 'return'"),
        (HEAD, "line 1 .*the graph ends without 'return'"),
        (HEAD + "return %0\n" + HEAD, "line 3 .*nothing follows 'return'"),
        (HEAD + "returns %0", "line 2 .*expected '%N: dtype.shape. = op"),
        (HEAD + "return 0", "line 2 .*expected a number such as %0 instead of '0'"),
        (HEAD + "return %1", "line 2 .*%1 is not defined above"),
        (HEAD + HEAD, "line 2 .*%0 is defined above"),
        (HEAD + "%1: f32[2] = sin %7", "line 2 .*%7 is not defined above"),
        (HEAD + "%1: f32[2] = sin %0 axis=1", "line 2 .*sin has no attribute 'axis'"),
        (HEAD + "%1: f32[2] = sin %0 %0", "line 2 .*sin does not take such inputs and attributes: .*3 were given"),
        (HEAD + "%1: f32[2] = reshape %0", "line 2 .*reshape does not take such inputs and attributes"),
        (HEAD + "%1: f32[2] = reduce_sum %0", "line 2 .*reduce_sum does not take such inputs and attributes"),
        (HEAD + "%1: f32[1] = reduce_sum %0 axes=(0,) axes=(0,)", "line 2 .*axes is given twice"),
        (HEAD + "%1: f32[1] = reduce_sum %0 axes=[0]", r"line 2 .*expected a value instead of '\[0\]'"),
        (HEAD + "%1: f32[1] = reduce_sum %0 axes=(0)", r"line 2 .*expected a comma instead of '\)'"),
        (HEAD + "%1: f32[1] = reduce_sum %0 axes=" + "(" * 10**5, "line 2 .*more than 16 tuples are inside each other"),
        (HEAD + "%1: f32[2]@cuda = sin %0", "line 2 .*sin computes on cpu, the text says cuda"),
        ("%0: f32[2] = buffer %0", "line 1 .*%0 is not defined above"),
        (HEAD + "%1: f32[2] = buffer %0", "line 2 .*buffer has no inputs"),
        ("%0: f32[2] = buffer slot=-1", "line 1 .*the number of a slot cannot be -1"),
        ("%0: f32[2] = buffer slot='a'", "line 1 .*the number of a slot cannot be 'a'"),
        ("%0: f32[] = constant value='a'", r"line 1 .*'a' is not a number of type f32\[\]"),
        ("%0: i64[] = constant value=0.5", r"line 1 .*0.5 is not a number of type i64\[\]"),
        ("%0: f32[2] = constant value=1", r"line 1 .*1 is not a number of type f32\[2\]"),
        ("%0: f32[] = constant", r"line 1 .*None is not a number"),
        ("%0: f33[2] = buffer slot=0", "line 1 .*there is no dtype called 'f33'"),
        (f"%0: f32[{2**62}] = buffer slot=0", "line 1 .*no memory is that large"),
        (f"%0: f32[{'1,' * 64}1] = buffer slot=0", "line 1 .*no array has more than 64 dimensions"),
        ('%0: f32[2] = buffer slot=0 "a\\qb"', r"line 1 .*there is no escape \\\\q|line 1 .*there is no escape \\q"),
        ("%0: f32[2] = buffer slot=0 \x1b[2J", r"line 1 .*\\x1b"),
    ],
)
def test_errors_say_which_line_and_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_what_is_no_text_is_refused_as_such() -> None:
    for value in (None, 1, b"return", ["return"]):
        with pytest.raises(TypeError, match="parse: expected the text of a graph"):
            parse(value)  # type: ignore[arg-type]


def test_errors_are_short() -> None:
    with pytest.raises(ValueError) as caught:
        parse(f"%0: f32[2] = {'x' * 10**6}")
    assert len(str(caught.value)) < 600


# What is printed reads back.


@MANY
@given(any_text, any_text, any_text)
@example("\ud83d\ude00", " \t", "a\n%9: f32[2] = buffer\nreturn %9")
@example("\U0001f600", "# x", "\x85")
def test_names_and_provenance_of_any_text_read_back(name: str, file: str, scope: str) -> None:
    source = leaf.leaf_node(leaf.buffer, (0,), tensor_type((2,), float32))
    node = ew.sin(source)
    node.origin = Origin(_code_in(file), 0, scope)
    text = str(Graph([node], {source: name}))
    assert text.isascii() or all(line.isprintable() for line in text.split("\n"))
    assert len(text.split("\n")) == len(text.splitlines()) == 3
    graph = parse(text)
    assert list(graph.names.values()) == [name]
    assert str(graph) == text
    assert str(node.origin).isprintable()


def _code_in(file: str):  # type: ignore[no-untyped-def]
    return _code_in.__code__.replace(co_filename=file)


def test_a_name_cannot_add_a_line_that_returns() -> None:
    source = leaf.leaf_node(leaf.buffer, (0,), tensor_type((2,), float32))
    node = ew.sin(source)
    node.origin = Origin(None, 0, "Net\nreturn %0\rreturn %0\x85return %0")
    (root,) = parse(str(Graph([node]))).roots
    assert root.op is ew.sin


numbers = st.integers() | st.floats() | st.complex_numbers() | st.booleans() | st.none()
attributes = st.recursive(numbers | any_text, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=12)


@MANY
@given(attributes)
@example((complex(-0.0, -0.0), (float("inf"),), ('it\'s "x"',), ((),)))
def test_attributes_read_back(value: object) -> None:
    text = print_attribute(value)
    assert text.isprintable()
    read, end = parse_attribute(text, 0)
    assert (repr(read), end) == (repr(value), len(text))


def test_attributes_of_all_kinds_stay_in_a_graph() -> None:
    node = Node(leaf.scalar, (), (complex(float("nan"), -0.0), 3), tensor_type((), float32))
    assert "value=(nan-0j) slot=3" in str(Graph([node]))


@MANY
@given(any_text)
def test_quotes(text: str) -> None:
    assert unquoted(quoted(text)) == unquoted(repr(text)) == text
    assert quoted(text).isascii() and quoted(text).isprintable()
    assert printable(text).isprintable() and printable(printable(text)) == printable(text)


def test_a_text_that_is_a_bomb_is_refused_quickly() -> None:
    """In a process of its own: a reader that recursed in C would end it."""
    lines = """
import lazygrad as lg
bombs = ["(" * 10**6, "-" * 10**6 + "1", "((((1,),),),)" * 10**5, "'" * 10**6, "1" + "0" * 10**6]
bombs += ["(" + "1," * 10**5, "\\\\" * 10**6]
for bomb in bombs:
    for text in (f"%0: f32[2] = buffer slot={bomb}", f"%0: f32[2] = buffer {bomb}", f"%0: f32[{bomb}] = buffer", bomb):
        try:
            lg.parse(text)
        except ValueError:
            continue
        raise SystemExit(text[:60])
print("refused")
"""
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "refused", done.stdout + done.stderr[-1000:]
