"""Names are data: whatever modules, parameters and files are called, the code is the same, and texts read back."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import lazygrad as lg
from lazygrad.codegen.escaping import Code, Words, c_text, python_text
from lazygrad.codegen.naming import Names, identifier
from lazygrad.codegen.templates import _environment
from lazygrad.inspect.stages.forms import Forms
from lazygrad.ir.text import same_graph
from lazygrad.runtime.realize import cache
from lazygrad.targets.c.build import include_folder, without_comments
from lazygrad.targets.c.module import _RESERVED, _RESERVED_PATTERN, render_c_module
from lazygrad.targets.c.toolchain import toolchain
from lazygrad.targets.numpy.module import render_module
from lazygrad.targets.numpy.templates import render
from tests.codegen.c_backend import QUICKLY, running_c
from tests.codegen.hostile_names import PIECES, Named, names, program
from tests.codegen.plans import plan_of
from tests.runtime.toolchains import needs_compiler

ROWS = 20_000  # enough for reductions in chunks, which are finished in functions of their own
FEW = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=300, deadline=None)
any_names = st.builds(Named, names, names, names, names, names)


def forms_of(named: Named) -> Forms:
    return lg.stages(program(named, ROWS))


def code_of_python(text: str) -> str:
    """A module without comments and docstrings, and with numbers for the names of stored values."""
    module = ast.parse(text)
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    assert functions[-1].name == "run"
    names = [node for node in ast.walk(functions[-1]) if isinstance(node, ast.Name)]
    numbers = {name.id: "" for name in names if isinstance(name.ctx, ast.Store) and name.id != "totals"}
    numbers = {name: f"value {number}" for number, name in enumerate(numbers)}
    for name in names:
        name.id = numbers.get(name.id, name.id)
    for documented in (module, *functions):
        if ast.get_docstring(documented) is not None:
            documented.body = documented.body[1:]
    return ast.dump(module)


def code_of_c(text: str) -> list[str]:
    """The words and signs of a C source without comments, and with numbers for the names of stored values."""
    kernels, start, driver = without_comments(text).rpartition("i32 run(")
    declared = re.findall(r"\*const (\w+) = ", driver)
    assert len(declared) == len(set(declared))
    numbers = {name: f"value {number}" for number, name in enumerate(declared)}
    words = re.findall(r"#.*|\w+|[^\w\s]", start + driver)
    # A kernel whose name, or the name of one of its parts, belongs to a value gets a number.
    functions = "|".join(re.findall(r"static void (\w+?)_\d+(?:_units|_part)?\(", kernels)) or "none"
    kernels = re.sub(rf"\b({functions})_\d+(?=_|\b)", r"\1", kernels)
    driven = [numbers.get(word) or re.sub(rf"^({functions})_\d+(?=_|$)", r"\1", word) for word in words]
    return [*re.findall(r"\w+|[^\w\s]", kernels), *driven]


def assert_only_names_differ(named: Named) -> None:
    plain, forms = _PLAIN.forms(), forms_of(named)
    python, c = str(forms.sources["numpy"]), str(forms.sources["c"])
    assert code_of_python(python) == code_of_python(str(plain.sources["numpy"]))
    assert code_of_c(c) == code_of_c(str(plain.sources["c"]))
    assert len(c.splitlines()) == len(str(plain.sources["c"]).splitlines())
    assert len(python.splitlines()) == len(str(plain.sources["numpy"]).splitlines())
    for form in forms:
        assert all(line.isprintable() for line in str(form).split("\n")), form.name
    for form in (forms.recorded, forms.differentiated, forms.primitive):
        graph = lg.parse(str(form))
        assert same_graph(graph, form.value)
        assert str(graph) == str(form)


class _Plain:
    """The program under ordinary names; its plan is made when it is first needed."""

    def __init__(self) -> None:
        self._forms: Forms | None = None

    def forms(self) -> Forms:
        if self._forms is None:
            self._forms = forms_of(Named())
        return self._forms


_PLAIN = _Plain()


def test_the_program_has_all_that_names_could_break() -> None:
    python, c = str(_PLAIN.forms().sources["numpy"]), str(_PLAIN.forms().sources["c"])
    assert "_finish(*totals" in python and "import matmul, cumsum, concat" in python
    assert all(ending in c for ending in ("_units(", "_finish_row(", "_part(", "_arguments", " s0 = ", "lg_cumsum("))
    for text in (python, c):
        assert "model.py:" in text and "Net.layer" in text and "net_layer_weight = " in text


@pytest.mark.parametrize("name", PIECES, ids=range(len(PIECES)))
def test_each_kind_of_name_alone(name: str) -> None:
    assert_only_names_differ(Named.all(name))


@FEW
@given(any_names)
def test_names_of_all_kinds(named: Named) -> None:
    assert_only_names_differ(named)


@FEW
@given(
    st.sampled_from(
        re.findall(r"[a-z]\w+", str(forms_of(Named()).sources["numpy"]) + str(forms_of(Named()).sources["c"]))
    )
)
def test_words_of_the_sources_as_names(word: str) -> None:
    assert_only_names_differ(Named(module="", child="", weight=word, bias=f"{word}_2"))


# The escapes themselves.


@MANY
@given(names)
@example('"' * 4)
@example("\\" * 3)
def test_python_reads_what_was_escaped(text: str) -> None:
    escaped = python_text(text)
    assert escaped.isprintable()
    assert ast.literal_eval(f'"""{escaped}"""') == text
    assert ast.dump(ast.parse(f"x  # {escaped}\ny")) == ast.dump(ast.parse("x\ny"))


@MANY
@given(names)
@example("*/*/")
@example("/*/")
@example("**//")
@example("?????/")
def test_c_comments_end_where_they_should(text: str) -> None:
    escaped = c_text(text)
    assert escaped.isprintable()
    comment = f"/* {escaped} */"
    assert comment.index("*/") == len(comment) - 2
    assert comment.rindex("/*") == 0
    assert "??" not in comment


@MANY
@given(names)
def test_identifiers_are_identifiers_everywhere(text: str) -> None:
    name = identifier(text)
    assert re.fullmatch(r"[a-z]\w{0,201}", name, re.ASCII)
    assert ast.literal_eval(f"{{'{name}': 1}}") and isinstance(ast.parse(name, mode="eval").body, ast.Name)


@MANY
@given(st.lists(names, max_size=8))
def test_no_two_names_and_endings_are_one(texts: list[str]) -> None:
    given_out = Names(["np", "x_finish"], r"s\d+")
    found = ["np", "x_finish"]
    for text in texts:
        name = given_out.unique(text, "_finish")
        found += [name, f"{name}_finish"]
        assert not re.fullmatch(r"s\d+", name)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("text", ["size", "conv1.weight", "Net.0.ln_f", "a b", "x²"])
def test_ordinary_names_are_recognized(text: str) -> None:
    expected = {"size": "size", "conv1.weight": "conv1_weight", "Net.0.ln_f": "net_0_ln_f", "a b": "a_b", "x²": "x"}
    assert identifier(text) == expected[text]


def test_the_end_of_a_long_name_is_kept() -> None:
    assert identifier("a" * 10_000 + ".weight").endswith("a_weight")
    assert len(identifier("a" * 10_000 + ".weight")) <= 200


# Templates.


@pytest.mark.parametrize(("folder", "escape"), [("numpy", python_text), ("c", c_text)])
def test_templates_escape_what_is_not_marked(folder: str, escape: Callable[[str], str]) -> None:
    template = _environment(folder, escape).from_string('{{ value }}|{{ [value, value] | join(", ") }}')
    hostile = '*/ """\n\\'
    assert template.render(value=hostile) == f"{escape(hostile)}|{escape(hostile)}, {escape(hostile)}"
    assert template.render(value=Words(hostile)) == f"{escape(hostile)}|{escape(hostile)}, {escape(hostile)}"
    assert template.render(value=Code(hostile)) == f"{hostile}|{hostile}, {hostile}"
    assert template.render(value=7) == "7|7, 7"


@pytest.mark.parametrize("value", [None, 1.5, ["x"], b"x", {}], ids=repr)
def test_templates_refuse_what_they_cannot_escape(value: object) -> None:
    with pytest.raises(TypeError, match="a template inserts text and whole numbers"):
        _environment("numpy", python_text).from_string("{{ value }}").render(value=value)


def test_words_cannot_become_code_on_the_way() -> None:
    words = Words("model.py:3")
    for make in (str, "{}".format, "%s".__mod__, lambda words: f"{words}", lambda words: "".join([words])):
        with pytest.raises(TypeError):
            make(words)


def test_titles_are_escaped() -> None:
    plan = _PLAIN.forms().plan_object
    title = '"""\nraise SystemExit\n*/ \\'
    python = render_module(plan.program, title).text
    c = render_c_module(plan.program, title).text
    assert ast.get_docstring(ast.parse(python), clean=False).startswith(title)  # type: ignore[union-attr]
    assert code_of_python(python) == code_of_python(plan.sources["numpy"].text)
    assert code_of_c(c) == code_of_c(render_c_module(plan.program).text)


def test_a_program_without_results_is_a_module_that_does_nothing() -> None:
    assert plan_of("return").sources["numpy"].text.endswith("def run(inputs, outputs, arena, scalars):\n    pass\n")


def test_what_is_rendered_is_code() -> None:
    nothing = dict.fromkeys(["calls", "support", "kernels", "bindings", "steps"], ())
    assert isinstance(render("module.py.j2", title="", **nothing), Code)


# The sources run, and compile.

_RUNS = """
import sys
from collections.abc import Callable
from pathlib import Path
import numpy as np
import lazygrad as lg
from lazygrad.runtime.realize import cache
from tests.codegen.plans import plan_of
from tests.codegen.hostile_names import PIECES, Named, program

lg.set_backend("numpy")
expected, before = program(Named()).numpy(), -1
for name in PIECES:
    cache.clear()  # plans do not depend on names
    np.testing.assert_array_equal(program(Named.all(name)).numpy(), expected)
    cache.clear()
    np.testing.assert_array_equal(program(Named(name, "", "", name, name)).numpy(), expected)
    forms = lg.last_step()
    assert forms.plan_object.number > before
    before = forms.plan_object.number
    source = forms.sources["numpy"].save(Path(sys.argv[1]) / "source.py")
    compile(source.read_bytes(), "source.py", "exec")
print("ran", len(PIECES))
"""


def test_programs_with_such_names_run(tmp_path: Path) -> None:
    """With such names a program could end the tests."""
    command = [sys.executable, "-W", "error", "-c", _RUNS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, f"ran {len(PIECES)}"), done.stdout + done.stderr


@needs_compiler
def test_the_compiler_takes_all_names(tmp_path: Path) -> None:
    """Three at a time, each once with and once without what modules put before it."""
    tools = toolchain()
    assert tools is not None
    words = [*PIECES, "exp", "memcpy", "size_t", "omp_get_thread_num", "concat_finish", "after_add_relu_part"]
    some = [[*words[at : at + 3], "a", "b"] for at in range(0, len(words), 3)]
    several = [Named(a, b, c, a, b) for a, b, c, *_ in some] + [Named(c, "", "", a, b) for a, b, c, *_ in some]
    for number, named in enumerate(several):
        text = str(lg.stages(program(named, 50)).sources["c"])
        (tmp_path / f"{number}.c").write_text(text, encoding="utf-8")
    flags = ["-std=gnu11", "-Wall", "-Werror", "-Wno-unused", "-Wno-unknown-pragmas", "-fsyntax-only"]
    command = [*tools.command, *flags, f"-I{include_folder()}", *map(str, tmp_path.iterdir())]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[:3000]


@needs_compiler
def test_macros_of_the_compiler_are_reserved(tmp_path: Path) -> None:
    tools = toolchain()
    assert tools is not None
    (tmp_path / "plan.c").write_text('#include "plan.h"\n')
    command = [*tools.command, *tools.flags, f"-I{include_folder()}", "-dM", "-E", str(tmp_path / "plan.c")]
    defined = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    macros = re.findall(r"^#define ([a-z]\w*)", defined, re.MULTILINE)
    assert [name for name in macros if name not in _RESERVED and not re.fullmatch(_RESERVED_PATTERN, name)] == []


@needs_compiler
def test_compiled_plans_compute_the_same_whatever_the_names() -> None:
    plain = program(Named(), 11).numpy()
    cache.clear()
    with running_c(flags=QUICKLY):
        named = Named('"""\n*/ \\', "", "", "linux", "s0")
        np.testing.assert_allclose(program(named, 11).numpy(), plain, rtol=1e-5, atol=1e-5)
