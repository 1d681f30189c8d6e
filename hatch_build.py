"""Builds the wheel with its hot modules compiled, where ``LAZYGRAD_COMPILED=1`` asks for it.

The modules stay ordinary Python: Cython makes a library of each, and the ``.pxd`` file beside some says of which C
types the attributes of their classes are. Without the variable the wheel is pure Python and serves every platform.
An editable install lays the libraries beside the sources, which they then hide until ``make pure`` removes them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_WANTED = os.environ.get("LAZYGRAD_COMPILED") == "1"


class CompiledModules(BuildHookInterface):
    """Compiles what matches the hook's ``modules``, which pyproject.toml lists."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What builds the libraries."""
        return ["cython>=3.1", "setuptools>=77"] if _WANTED else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and hand the libraries to the wheel or lay them beside the sources."""
        if not _WANTED:
            return
        root = Path(self.root)
        objects = root / "build" / "compiled"
        libraries = _compiled(root, self._modules(root), objects, in_place=version == "editable")
        if version != "editable":
            build_data["pure_python"], build_data["infer_tag"] = False, True
            build_data["force_include"] |= {str(path): str(path.relative_to(objects / "lib")) for path in libraries}

    def _modules(self, root: Path) -> list[str]:
        found = {str(path.relative_to(root)) for pattern in self.config["modules"] for path in root.glob(pattern)}
        return sorted(path for path in found if not path.endswith("__init__.py"))


def _compiled(root: Path, modules: list[str], objects: Path, in_place: bool) -> list[Path]:
    """Build a library of each module, and return where they lie."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    os.chdir(root)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # -O1: what these modules do is calls of the interpreter, and -O2 compiles for half as long again.
    flags = ["-O1", "-g0", "-Wno-unused-function"]
    extensions = [Extension(path[:-3].replace("/", "."), [path], extra_compile_args=flags) for path in modules]
    sources = cythonize(
        extensions,
        build_dir=str(objects / "c"),
        nthreads=processors,
        quiet=True,
        language_level=3,
        # Annotations are for people and checkers: a subclass of tuple is welcome where they say tuple.
        compiler_directives={"binding": True, "annotation_typing": False},
    )
    command = build_ext(Distribution({"name": "lazygrad", "ext_modules": sources, "packages": [], "py_modules": []}))
    command.inplace, command.parallel = in_place, processors
    command.build_temp, command.build_lib = str(objects / "o"), str(objects / "lib")
    command.ensure_finalized()
    command.run()
    return [Path(path).resolve() for path in command.get_outputs()]
