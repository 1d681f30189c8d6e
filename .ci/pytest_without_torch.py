"""Runs pytest as where torch is not installed: what needs the oracle must say so and be skipped, not fail."""

import sys
from importlib.machinery import ModuleSpec

import pytest


class _NotInstalled:
    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


sys.meta_path.insert(0, _NotInstalled())
sys.exit(pytest.main(sys.argv[1:]))
