"""How tests run the scripts in ``examples/``, on lazygrad as they are and on PyTorch with their imports swapped."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[2] / "examples"
SWAPPABLE = sorted(path.stem for path in FOLDER.glob("*.py") if "import lazygrad as torch" in path.read_text())
"""The scripts that say of themselves that they run on PyTorch too."""

_IMPORTS = re.compile(r"^(import|from) lazygrad\b", re.MULTILINE)


def load(name: str, framework: str = "lazygrad") -> ModuleType:
    """An example as a module, with the framework's name written in its imports."""
    path = FOLDER / f"{name}.py"
    module = ModuleType(f"{framework}_{name}")
    module.__dict__["__file__"] = str(path)
    source = _IMPORTS.sub(rf"\1 {framework}", path.read_text(encoding="utf-8"))
    exec(compile(source, path, "exec"), module.__dict__)
    return module
