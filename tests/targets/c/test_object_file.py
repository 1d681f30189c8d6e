"""Objects that are not whole are told from those that are, wherever they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from lazygrad.targets.c.build import build
from lazygrad.targets.c.object_file import DamagedObjectError, check_object
from tests.runtime.toolchains import fresh_process, needs_compiler


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An object, without what the cache appends."""
    with pytest.MonkeyPatch.context() as patch, fresh_process(patch, tmp_path_factory.mktemp("cache")):
        built = build("int numbers[1000] = {7}; int add(int a, int b) { return a + b; }", "add").read_bytes()
    return built[: built.rindex(b"lazygrad")]


@needs_compiler
def test_whole_objects(content: bytes) -> None:
    check_object(content)
    check_object(content + b"and a trailer")


@needs_compiler
def test_an_object_that_ends_anywhere(content: bytes) -> None:
    for size in range(0, len(content), 97):
        with pytest.raises(DamagedObjectError):
            check_object(content[:size])
    with pytest.raises(DamagedObjectError, match=f"ends after {len(content) - 1} bytes"):
        check_object(content[:-1])


@needs_compiler
def test_an_object_whose_end_was_never_written(content: bytes) -> None:
    for size in range(0, len(content) - 64, 97):  # of the last section's header, most bytes are 0 anyway
        with pytest.raises(DamagedObjectError):
            check_object(content[:size] + bytes(len(content) - size))


@needs_compiler
@pytest.mark.parametrize(
    ("offset", "value", "problem"),
    [
        (0, b"MZ", "is no ELF file"),
        (4, b"\3", "another kind of machine"),
        (16, b"\1", "is no shared object"),
        (56, b"\0\0", "has nothing to load"),
        (60, b"\0\0", "have no names"),
    ],
)
def test_what_is_wrong_is_said(content: bytes, offset: int, value: bytes, problem: str) -> None:
    changed = bytearray(content)
    changed[offset : offset + len(value)] = value
    with pytest.raises(DamagedObjectError, match=problem):
        check_object(bytes(changed))


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"int main() {}", bytes(5000)])
def test_what_is_no_object_at_all(content: bytes) -> None:
    with pytest.raises(DamagedObjectError):
        check_object(content)


@needs_compiler
def test_an_object_file_that_was_not_linked(tmp_path: Path) -> None:
    import subprocess

    from tests.runtime.toolchains import REAL_COMPILER

    (tmp_path / "a.c").write_text("int a;")
    subprocess.run([str(REAL_COMPILER), "-c", "a.c", "-o", "a.o"], cwd=tmp_path, check=True)
    with pytest.raises(DamagedObjectError, match="is no shared object"):
        check_object((tmp_path / "a.o").read_bytes())
