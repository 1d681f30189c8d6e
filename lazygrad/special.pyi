# Written by `python -m tests.typing.stubs` from the functions themselves.

"""Special functions, under PyTorch's names."""

from collections.abc import Sequence

from lazygrad.ir.dtype import DType
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.tensor import Tensor

# fmt: off
__all__ = [
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "chebyshev_polynomial_t", "chebyshev_polynomial_u",
    "chebyshev_polynomial_v", "chebyshev_polynomial_w", "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2",
    "expit", "expm1", "gammainc", "gammaincc", "gammaln", "hermite_polynomial_h", "hermite_polynomial_he", "i0", "i0e",
    "i1", "i1e", "laguerre_polynomial_l", "legendre_polynomial_p", "log1p", "log_ndtr", "log_softmax", "logit",
    "logsumexp", "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1", "multigammaln",
    "ndtr", "ndtri", "polygamma", "psi", "round", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w", "sinc", "softmax", "spherical_bessel_j0", "xlog1py", "xlogy", "zeta",
]
# fmt: on

def airy_ai(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Airy function Ai(x), elementwise. Integers are converted to the default float dtype."""

def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function J₀(x), elementwise. Integers are converted to the default float dtype."""

def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function J₁(x), elementwise. Integers are converted to the default float dtype."""

def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function Y₀(x), elementwise. Integers are converted to the default float dtype."""

def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Bessel function Y₁(x), elementwise. Integers are converted to the default float dtype."""

def chebyshev_polynomial_t(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial Tₙ of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def chebyshev_polynomial_u(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial Uₙ of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def chebyshev_polynomial_v(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial Vₙ of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def chebyshev_polynomial_w(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """The Chebyshev polynomial Wₙ of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Γ′(x)/Γ(x), elementwise. Integer and bool tensors are converted to the default float dtype."""

def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """−x · ln x, 0 at 0 and −∞ below, elementwise. Integers are converted to the default float dtype."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """the error function of x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 − erf x, elementwise. Integer and bool tensors are converted to the default float dtype."""

def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e^(x²) · erfc(x), elementwise. Integers are converted to the default float dtype."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """the inverse of erf, elementwise. Integer and bool tensors are converted to the default float dtype."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2ˣ, elementwise. Integer and bool tensors are converted to the default float dtype."""

def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1/(1 + e⁻ˣ), elementwise. Integer and bool tensors are converted to the default float dtype."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """eˣ − 1, elementwise. Integer and bool tensors are converted to the default float dtype."""

def gammainc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `igamma`."""

def gammaincc(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `igammac`."""

def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ln |Γ(x)|, elementwise. Integer and bool tensors are converted to the default float dtype."""

def hermite_polynomial_h(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """The physicists' Hermite polynomial Hₙ of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def hermite_polynomial_he(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """The probabilists' Hermite polynomial Heₙ of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I₀(x), elementwise. Integers are converted to the default float dtype."""

def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e^−|x| · I₀(x), elementwise. Integers are converted to the default float dtype."""

def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I₁(x), elementwise. Integers are converted to the default float dtype."""

def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e^−|x| · I₁(x), elementwise. Integers are converted to the default float dtype."""

def laguerre_polynomial_l(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """The Laguerre polynomial Lₙ of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def legendre_polynomial_p(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """The Legendre polynomial Pₙ of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """ln(1 + x), elementwise. Integer and bool tensors are converted to the default float dtype."""

def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the standard normal distribution function, elementwise. Integers are converted to the default float dtype."""

def log_softmax(input: Tensor, dim: int, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """ln softmax(x), without overflow; see `softmax`."""

def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """ln(x / (1 − x)), elementwise. Integers are converted to the default float dtype.

    Args:
        input: any shape.
        eps: limit the input to [eps, 1 − eps] first; without it the result outside [0, 1] is NaN.
    """

def logsumexp(input: Tensor, dim: int | Sequence[int], keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """log Σ exp(x) over ``dim``, without overflow; -∞ of no elements. Integers become the default float dtype.

    Raises:
        TypeError: ``dim`` is None.
        IndexError: a dimension out of range.
    """

def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I₀(x), elementwise. Integers are converted to the default float dtype."""

def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function I₁(x), elementwise. Integers are converted to the default float dtype."""

def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function K₀(x), elementwise. Integers are converted to the default float dtype."""

def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function K₁(x), elementwise. Integers are converted to the default float dtype."""

def multigammaln(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """Another name of `mvlgamma`."""

def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The distribution function of a standard normal variable, elementwise. Integers are converted to the default float dtype."""

def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the standard normal distribution function, elementwise. Integers are converted to the default float dtype."""

def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of `digamma`, elementwise: (−1)ⁿ⁺¹ n! ζ(n + 1, x).

    Raises:
        RuntimeError: ``n`` is negative. TypeError: not an int.
    """

def psi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Γ′(x)/Γ(x), elementwise. Integer and bool tensors are converted to the default float dtype."""

def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest multiple of 10^−decimals, ties to even; integers stay as they are.

    Raises:
        RuntimeError: a bool tensor.
    """

def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """eˣ · K₀(x), elementwise. Integers are converted to the default float dtype."""

def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """eˣ · K₁(x), elementwise. Integers are converted to the default float dtype."""

def shifted_chebyshev_polynomial_t(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """Tₙ(2x − 1) of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def shifted_chebyshev_polynomial_u(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """Uₙ(2x − 1) of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def shifted_chebyshev_polynomial_v(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """Vₙ(2x − 1) of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def shifted_chebyshev_polynomial_w(input: Operand, n: Operand, *, out: Tensor | None = None) -> Tensor:
    """Wₙ(2x − 1) of degree ``n`` at ``input``, broadcast. Integers are taken as floats."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(πx) / (πx), 1 at 0, elementwise. Integers are converted to the default float dtype."""

def softmax(input: Tensor, dim: int, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """eˣ / Σ eˣ along ``dim``.

    Args:
        input: any shape, floating.
        dim: the dimension that sums to 1.
        dtype: cast the input to this dtype first; the result has it.

    Raises:
        IndexError: ``dim`` out of range.
        NotImplementedError: integers or bools without ``dtype``.
    """

def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(x) / x, 1 at 0, elementwise. Integers are converted to the default float dtype."""

def xlog1py(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input · ln(1 + other), broadcast; 0 where ``input`` is 0, unless ``other`` is NaN; of integers a float."""

def xlogy(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """input · ln(other), broadcast; 0 where ``input`` is 0, unless ``other`` is NaN. Integers are taken as floats."""

def zeta(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """The Hurwitz zeta function Σ (k + other)^−input over k ≥ 0, broadcast; gradients flow to ``other`` only."""
