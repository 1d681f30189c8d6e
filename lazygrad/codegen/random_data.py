"""Random data of a value's shape, as an expression of numpy in a program of one kernel."""

from __future__ import annotations

from lazygrad.codegen.escaping import Code
from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.dtype import Category
from lazygrad.ir.node import Node


def random_array(node: Node) -> Code:
    """Floats from ½ to 1½, so that logarithms and roots are finite; of other dtypes 0 and 1.

    ``random`` is a generator of numpy.
    """
    if node.dtype.category in (Category.FLOAT, Category.COMPLEX):
        return Code(f"(random.random({node.shape}) + 0.5).astype({dtype_text(node)})")
    return Code(f"random.integers(0, 2, {node.shape}).astype({dtype_text(node)})")


def dtype_text(node: Node) -> str:
    """The dtype of a value."""
    return f'np.dtype("{to_numpy(node.dtype).name}")'
