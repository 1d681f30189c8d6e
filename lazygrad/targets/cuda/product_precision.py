"""How exactly products of matrices are computed on a CUDA device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProductPrecision:
    """What products may do to be faster.

    Attributes:
        tf32: take 10 of the 23 fraction bits of float32 operands.
        reduced_f16, reduced_bf16: add parts of a sum up in that dtype.
    """

    tf32: bool = False
    reduced_f16: bool = True
    reduced_bf16: bool = True


class _Choice:
    present = ProductPrecision()


def product_precision() -> ProductPrecision:
    """What holds for products that are asked for from now on."""
    return _Choice.present


def set_product_precision(precision: ProductPrecision) -> None:
    """Change what holds for products."""
    _Choice.present = precision
