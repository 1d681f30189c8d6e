"""Proves that an installed wheel is complete: renders a kernel from its own templates and runs it.

Run it with the interpreter of an environment that holds the wheel, from outside the repository.
"""

import sys
from pathlib import Path

import numpy as np

import lazygrad as lg


def check_installed_files() -> None:
    """The package and its templates are those of the environment, not of a checkout."""
    package = Path(lg.__file__).resolve().parent
    assert package.is_relative_to(Path(sys.prefix).resolve()), f"lazygrad was imported from {package}"
    templates = [path for path in (package / "codegen_templates").rglob("*.j2") if path.is_file()]
    assert templates, f"no templates in {package / 'codegen_templates'}"
    assert not (package.parent / "codegen_templates").exists(), "templates must not lie beside an installed package"
    for name in ("py.typed", "__init__.pyi", "tensor_methods.pyi", "nn/functional.pyi"):
        assert (package / name).is_file(), f"the wheel lacks {name}, which type checkers read"
    print(f"{package}: {len(templates)} templates")


def check_kernel() -> None:
    """A softmax is rendered to source, and running it gives the right numbers."""
    values = np.linspace(-3.0, 3.0, 48, dtype=np.float32).reshape(6, 8)
    result = lg.tensor(values).softmax(dim=-1)

    source = str(lg.stages(result).sources["numpy"])
    assert "def " in source, f"no source was generated: {source!r}"
    print(source)

    exponentials = np.exp(values.astype(np.float64))
    expected = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5, atol=1e-7)
    print("softmax from the wheel: values agree with numpy in float64")


if __name__ == "__main__":
    check_installed_files()
    check_kernel()
