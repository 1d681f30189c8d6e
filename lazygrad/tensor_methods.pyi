# Written by `python -m tests.typing.stubs` from the functions themselves.

import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, Literal, NoReturn, Self, overload

import numpy as np

from lazygrad.autograd.callbacks import TensorHook
from lazygrad.autograd.gradient_function import GradientFunction
from lazygrad.autograd.hooks import RemovableHandle
from lazygrad.host.dlpack import DLDeviceType
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, Scalar
from lazygrad.ir.memory_format import Layout, MemoryFormat
from lazygrad.ops import return_types
from lazygrad.ops.arguments.kinds import DeviceLike, Dim, DTypeLike, Operand, Sizes
from lazygrad.ops.objects.storages import TypedStorage, UntypedStorage
from lazygrad.ops.random.generator import Generator
from lazygrad.ops.shapes.splitting import Cuts
from lazygrad.size import Size
from lazygrad.sparse.tensor import SparseTensor
from lazygrad.tensor import Tensor

class AttachedMethods:
    """The methods and attributes that `lazygrad.ops` and its neighbours attach to `Tensor`."""

    @property
    def H(self) -> Tensor:
        """The conjugate transpose of a matrix, a view."""
    @property
    def T(self) -> Tensor:
        """A view with the dimensions in reverse order."""
    def __abs__(self) -> Tensor:
        """|x|, elementwise; the dtype stays.

        Raises:
            NotImplementedError: a bool tensor.
        """
    def __add__(self, other: Operand, *old: Any) -> Tensor:
        """input + alpha·other, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: ``alpha`` does not fit the promoted dtype.
        """
    def __and__(self, other: Operand) -> Tensor:
        """input & other, broadcast. NotImplementedError for floating dtypes."""
    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray:
        """Numpy's way to ask for an array, as in ``np.asarray(tensor)``.

        Raises:
            ValueError: ``copy=False`` where only a copy is what was asked for.
        """
    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """This module, for libraries written against the array API standard.

        Raises:
            ValueError: a version of the standard that is not known.
        """
    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: builtins.bool = False) -> Tensor:
        """What a numpy function of tensors returns: a tensor again."""
    def __bool__(self) -> builtins.bool:
        """Whether the one element is nonzero.

        Raises:
            RuntimeError: the tensor has another number of elements.
        """
    def __complex__(self) -> complex:
        """The one element as a complex number; ValueError for several."""
    def __contains__(self, element: Operand) -> builtins.bool:
        """Whether an element equals a number, or an element of a tensor that broadcasts.

        Raises:
            RuntimeError: ``element`` is neither a tensor nor a number.
        """
    def __copy__(self) -> Tensor:
        """A new tensor object with the same contents; a leaf that requires grad becomes another one."""
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """What other libraries read of a tensor on a CUDA device.

        Raises:
            AttributeError: it is not on one.
            RuntimeError: it requires a gradient.
            TypeError: a dtype that numpy has no name for.
        """
    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> Tensor:
        """A leaf with its own memory, gradient included; tensors that share memory share the copy's.

        Raises:
            RuntimeError: the tensor was computed from others that require grad.
        """
    def __delitem__(self, index: Any) -> None:
        """A tensor's size is fixed.

        Raises:
            TypeError: always.
        """
    def __dlpack__(
        self,
        *,
        stream: Any = -1,
        max_version: tuple[builtins.int, builtins.int] | None = None,
        dl_device: tuple[Any, builtins.int] | None = None,
        copy: builtins.bool | None = None,
    ) -> Any:
        """A DLPack capsule over the tensor's memory, for other libraries' ``from_dlpack``.

        Args:
            stream: of CUDA, on which the memory will be read; None or -1 for memory of the host.
            max_version: the last version of DLPack that the reader understands; without one it gets the oldest form.
            dl_device: the kind and number of the device that the reader wants the memory on.
            copy: True always copies, False never does, None copies where that cannot be avoided.

        Raises:
            BufferError: the tensor requires grad, its memory does not hold its elements (it is conjugated, negated or
                sparse), or it is on neither the CPU nor CUDA, or is wanted elsewhere.
            TypeError, AssertionError: a stream that there is not.
            ValueError: ``copy=False`` where the memory is wanted on another device.
        """
    def __dlpack_device__(self) -> tuple[DLDeviceType, builtins.int]:
        """The DLPack code and ordinal of the tensor's device.

        Raises:
            BufferError: it is neither the CPU nor a CUDA device.
        """
    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        """``==``: elementwise with tensors and numbers; what else there is, such as None, equals no tensor."""
    def __float__(self) -> builtins.float:
        """The one element as a float; ValueError for several."""
    def __floordiv__(self, other: Operand) -> Tensor:
        """⌊input / other⌋, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: integers divided by 0; for a 0 inside a tensor when the result is computed.
            OverflowError: an integer of more than 64 bits.
        """
    def __format__(self, format_spec: str) -> str:
        """A 0-dim tensor formats as its number, others as their ``str``."""
    def __ge__(self, other: Operand) -> Tensor:
        """input >= other, as bool."""
    def __getitem__(self, index: Any) -> Tensor:
        """input[index]: a view for numbers, slices, ``...`` and None; a copy where masks, lists or tensors take part.

        Raises:
            IndexError, ValueError, TypeError: see `parse_index`.
        """
    def __gt__(self, other: Operand) -> Tensor:
        """input > other, as bool."""
    def __iadd__(self, other: Operand, *old: Any) -> Self:
        """In-place version of `add`."""
    def __iand__(self, other: Operand) -> Self:
        """In-place version of `bitwise_and`."""
    def __ifloordiv__(self, other: Operand) -> Self:
        """In-place version of `floor_divide`."""
    def __ilshift__(self, other: Operand) -> Self:
        """In-place version of `bitwise_left_shift`."""
    def __imod__(self, other: Operand) -> Self:
        """In-place version of `remainder`."""
    def __imul__(self, other: Operand) -> Self:
        """In-place version of `mul`."""
    def __index__(self) -> builtins.int:
        """The one integer as a list index.

        Raises:
            TypeError: not an integer dtype, or several elements.
        """
    def __int__(self) -> builtins.int:
        """The one element as an int, rounded towards zero; ValueError for several."""
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Operand) -> Self:
        """In-place version of `bitwise_or`."""
    def __ipow__(self, exponent: Operand) -> Self:
        """In-place version of `pow`."""
    def __irshift__(self, other: Operand) -> Self:
        """In-place version of `bitwise_right_shift`."""
    def __isub__(self, other: Operand, *old: Any) -> Self:
        """In-place version of `sub`."""
    def __iter__(self) -> Iterator[Tensor]:
        """Views of the elements of the first dimension.

        Raises:
            TypeError: a 0-dim tensor.
        """
    def __itruediv__(self, other: Operand) -> Self:
        """In-place version of `div`."""
    def __ixor__(self, other: Operand) -> Self:
        """In-place version of `bitwise_xor`."""
    def __le__(self, other: Operand) -> Tensor:
        """input <= other, as bool."""
    def __len__(self) -> builtins.int:
        """The size of the first dimension.

        Raises:
            TypeError: a 0-dim tensor.
        """
    def __lshift__(self, other: Operand) -> Tensor:
        """input << other, broadcast. NotImplementedError for dtypes other than integers."""
    def __lt__(self, other: Operand) -> Tensor:
        """input < other, as bool."""
    def __matmul__(self, other: Tensor) -> Tensor:
        """The product of vectors, matrices or batches of matrices.

        A vector counts as one row on the left and one column on the right, and its extra dimension is dropped again;
        dimensions before the last two are batches, which broadcast.

        Args:
            input: shape (…, n, k) or (k,).
            other: shape (…, k, m) or (k,), of the same dtype.

        Raises:
            RuntimeError: a 0-dim tensor, sizes that do not fit, different dtypes, bools.
            TypeError: an argument that is not a tensor.
        """
    def __mod__(self, other: Operand) -> Tensor:
        """input − other·⌊input / other⌋: the sign of the divisor, but a zero has the sign of the dividend.

        Raises:
            RuntimeError, OverflowError: see `floor_divide`.
        """
    def __mul__(self, other: Operand) -> Tensor:
        """input · other, broadcast, in the promoted dtype.

        Raises:
            OverflowError: an integer of more than 64 bits.
        """
    def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor:
        """−x, elementwise.

        Raises:
            RuntimeError: a bool tensor.
        """
    def __or__(self, other: Operand) -> Tensor:
        """input | other, broadcast. NotImplementedError for floating dtypes."""
    def __pos__(self) -> Tensor:
        """``input`` itself.

        Raises:
            RuntimeError: a bool tensor.
        """
    def __pow__(self, exponent: Operand) -> Tensor:
        """input^exponent, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: integers to a negative integer power; an exponent that the dtype cannot hold.
            OverflowError: an integer of more than 64 bits.
        """
    def __radd__(self, other: Operand) -> Tensor: ...
    def __rand__(self, other: Operand) -> Tensor:
        """input & other, broadcast. NotImplementedError for floating dtypes."""
    def __rdiv__(self, other: Operand) -> Tensor: ...
    def __reduce_ex__(self, protocol: Any) -> tuple[Callable[..., Tensor], tuple[Any, ...]]:
        """How pickle stores a tensor: its memory, strides, ``requires_grad`` and attributes.

        Its gradient, hooks and history are not stored. As in PyTorch all the memory that a view lies in is.
        """
    def __repr__(self) -> str:
        """The tensor as PyTorch prints it; this computes its value. Inside `vmap`, the values of all examples."""
    def __rfloordiv__(self, other: Operand) -> Tensor: ...
    def __rlshift__(self, other: Operand) -> Tensor: ...
    def __rmatmul__(self, other: Tensor | np.ndarray) -> Tensor:
        """A numpy array, or what `matmul` takes, times ``input``; an array is promoted as in elementwise arithmetic."""
    def __rmod__(self, other: Operand) -> Tensor: ...
    def __rmul__(self, other: Operand) -> Tensor: ...
    def __ror__(self, other: Operand) -> Tensor:
        """input | other, broadcast. NotImplementedError for floating dtypes."""
    def __rpow__(self, other: Operand) -> Tensor: ...
    def __rrshift__(self, other: Operand) -> Tensor: ...
    def __rshift__(self, other: Operand) -> Tensor:
        """input >> other, broadcast. NotImplementedError for dtypes other than integers."""
    def __rsub__(self, other: Operand) -> Tensor:
        """other − alpha·input, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: see `sub`.
        """
    def __rtruediv__(self, other: Operand) -> Tensor: ...
    def __rxor__(self, other: Operand) -> Tensor:
        """input ^ other, broadcast. NotImplementedError for floating dtypes."""
    def __setitem__(self, index: Any, value: Operand) -> None:
        """input[index] = value: broadcast, and cast to the tensor's dtype unless both an index and the value are tensors.

        Raises:
            IndexError, ValueError, TypeError: see `parse_index`; a value that is neither a number nor a tensor.
            RuntimeError: a value that does not broadcast or has another dtype; whatever `Tensor.assign` refuses.
        """
    def __str__(self) -> str:
        """The tensor as PyTorch prints it; this computes its value. Inside `vmap`, the values of all examples."""
    def __sub__(self, other: Operand, *old: Any) -> Tensor:
        """input − alpha·other, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: a bool operand; ``alpha`` does not fit the promoted dtype.
        """
    def __truediv__(self, other: Operand) -> Tensor:
        """input / other, broadcast.

        Args:
            input, other: tensors or numbers.
            rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

        Raises:
            RuntimeError: another rounding mode; integers divided by 0 with rounding.
            OverflowError: an integer of more than 64 bits.
        """
    def __xor__(self, other: Operand) -> Tensor:
        """input ^ other, broadcast. NotImplementedError for floating dtypes."""
    def _make_subclass(self, data: Tensor, require_grad: builtins.bool = False) -> Any:
        """A leaf of the class ``cls`` with the memory of ``data``."""
    def _make_wrapper_subclass(self, **kwargs: Any) -> NoReturn:
        """Not there: a class with __torch_function__ may keep another tensor; __torch_dispatch__ is not asked."""
    def abs(self) -> Tensor:
        """|x|, elementwise; the dtype stays.

        Raises:
            NotImplementedError: a bool tensor.
        """
    def abs_(self) -> Self:
        """In-place version of `abs`. RuntimeError for complex tensors, whose magnitudes are real."""
    def absolute(self) -> Tensor:
        """|x|, elementwise; the dtype stays.

        Raises:
            NotImplementedError: a bool tensor.
        """
    def absolute_(self) -> Self:
        """In-place version of `abs`. RuntimeError for complex tensors, whose magnitudes are real."""
    def acos(self) -> Tensor:
        """arccos x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def acos_(self) -> Self:
        """In-place version of `acos`."""
    def acosh(self) -> Tensor:
        """arcosh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def acosh_(self) -> Self:
        """In-place version of `acosh`."""
    def add(self, other: Operand, *old: Any, alpha: Scalar = 1) -> Tensor:
        """input + alpha·other, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: ``alpha`` does not fit the promoted dtype.
        """
    def add_(self, other: Operand, *old: Any, alpha: Scalar = 1) -> Self:
        """In-place version of `add`."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """beta·input + alpha·Σ batch1[i]·batch2[i], of shape (n, m); see `addmm`.

        Args:
            input: broadcasts to (n, m).
            batch1: shape (b, n, k).
            batch2: shape (b, k, m).

        Raises:
            RuntimeError: shapes that do not fit, different dtypes, fractional factors of integers.
        """
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Self:
        """In-place version of `addbmm`."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *old: Any, value: Scalar = 1) -> Tensor:
        """input + value·tensor1/tensor2.

        Raises:
            RuntimeError: integers; divide them with `div` and its ``rounding_mode`` first.
        """
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *old: Any, value: Scalar = 1) -> Self:
        """In-place version of `addcdiv`."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *old: Any, value: Scalar = 1) -> Tensor:
        """input + value·tensor1·tensor2."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *old: Any, value: Scalar = 1) -> Self:
        """In-place version of `addcmul`."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """beta·input + alpha·(mat1 · mat2), of shape (n, m).

        Args:
            input: broadcasts to (n, m).
            mat1: shape (n, k).
            mat2: shape (k, m).
            beta: 0 ignores the values of ``input``.
            alpha: factor of the product.

        Raises:
            RuntimeError: shapes that do not fit or dtypes that differ.
        """
    def addmm_(self, mat1: Tensor, mat2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Self:
        """In-place version of `addmm`."""
    def addmv(self, mat: Tensor, vec: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """beta·input + alpha·(mat · vec), of shape (n,); see `addmm`.

        Raises:
            RuntimeError: shapes that do not fit or dtypes that differ.
        """
    def addmv_(self, mat: Tensor, vec: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Self:
        """In-place version of `addmv`."""
    def addr(self, vec1: Tensor, vec2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """beta·input + alpha·(all products of the elements of two vectors), of shape (n, m); bools with "and" and "or".

        Args:
            input: broadcasts to (n, m).
            vec1: shape (n,).
            vec2: shape (m,).
            beta: 0 ignores the values of ``input``.
            alpha: factor of the products.

        Raises:
            RuntimeError: shapes that do not fit, fractional factors of integers.
        """
    def addr_(self, vec1: Tensor, vec2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Self:
        """In-place version of `addr`."""
    def adjoint(self) -> Tensor:
        """The conjugate transpose of matrices, as a view.

        Raises:
            RuntimeError: fewer than two dimensions.
        """
    def all(self, dim: Dim = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether every element over ``dim`` is not zero, as bool (uint8 for uint8); True of no elements.

        Unlike in other reductions ``()`` names no dimension: the result is whether each element is not zero.

        Raises:
            IndexError: a dimension out of range.
        """
    def allclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> builtins.bool:
        """Whether `isclose` holds everywhere. Computes both tensors now.

        Raises:
            RuntimeError, TypeError: see `isclose`.
        """
    def amax(self, dim: Dim = (), keepdim: builtins.bool = False) -> Tensor:
        """The largest element over ``dim`` (all dimensions when empty); ties share the gradient.

        Raises:
            RuntimeError, IndexError: nothing to choose from; a dimension out of range or given twice.
        """
    def amin(self, dim: Dim = (), keepdim: builtins.bool = False) -> Tensor:
        """The smallest element over ``dim`` (all dimensions when empty); ties share the gradient.

        Raises:
            RuntimeError, IndexError: nothing to choose from; a dimension out of range or given twice.
        """
    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> return_types.aminmax:
        """The smallest and the largest element, of all or along one ``dim``, as a named pair (min, max).

        Raises:
            RuntimeError, IndexError: nothing to choose from; a dimension out of range.
        """
    def angle(self) -> Tensor:
        """The angle of a complex number in (−π, π]; of a real one, π where it is negative and 0 elsewhere.

        Integers become the default float dtype; NaN stays NaN.
        """
    def any(self, dim: Dim = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether any element over ``dim`` is not zero, as bool (uint8 for uint8); False of no elements.

        Unlike in other reductions ``()`` names no dimension: the result is whether each element is not zero.

        Raises:
            IndexError: a dimension out of range.
        """
    def apply_(self, callable: Callable[[Any], Any]) -> Self:
        """Replace each element by ``callable`` of it. Computes the tensor now.

        Raises:
            RuntimeError: a tensor that requires gradients.
        """
    def arccos(self) -> Tensor:
        """arccos x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def arccos_(self) -> Self:
        """In-place version of `acos`."""
    def arccosh(self) -> Tensor:
        """arcosh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def arccosh_(self) -> Self:
        """In-place version of `acosh`."""
    def arcsin(self) -> Tensor:
        """arcsin x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def arcsin_(self) -> Self:
        """In-place version of `asin`."""
    def arcsinh(self) -> Tensor:
        """arsinh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def arcsinh_(self) -> Self:
        """In-place version of `asinh`."""
    def arctan(self) -> Tensor:
        """arctan x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def arctan2(self, other: Operand) -> Tensor:
        """The angle of the point (other, input), broadcast; integers are converted to the default float dtype."""
    def arctan2_(self, other: Operand) -> Self:
        """In-place version of `atan2`."""
    def arctan_(self) -> Self:
        """In-place version of `atan`."""
    def arctanh(self) -> Tensor:
        """artanh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def arctanh_(self) -> Self:
        """In-place version of `atanh`."""
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The int64 index of the first largest element along ``dim``, or among all elements in row-major order.

        Raises:
            IndexError: nothing to choose from; a dimension out of range.
            RuntimeError: a bool tensor.
        """
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The int64 index of the first smallest element along ``dim``, or among all elements in row-major order.

        Raises:
            IndexError: nothing to choose from; a dimension out of range.
            RuntimeError: a bool tensor.
        """
    def argsort(
        self, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: builtins.bool = False
    ) -> Tensor:
        """The int64 indices that sort ``dim``; see `sort`.

        Raises:
            IndexError: ``dim`` out of range.
        """
    def argwhere(self) -> Tensor:
        """The positions of nonzero elements as rows of an int64 matrix. Computes the tensor."""
    def as_strided(
        self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None
    ) -> Tensor:
        """A view of the storage: element (i, j, …) lies at ``storage_offset + i·stride[0] + j·stride[1] + …``.

        Args:
            storage_offset: by default the tensor's own.

        Raises:
            RuntimeError: not as many strides as sizes, negative ones, or an element outside the storage.
        """
    def as_strided_(
        self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None
    ) -> Self:
        """`as_strided` of the tensor itself. RuntimeError for a leaf that requires gradients."""
    def as_strided_scatter(
        self,
        src: Tensor,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        storage_offset: builtins.int | None = None,
    ) -> Tensor:
        """``input`` with the elements that `as_strided` names replaced by ``src``.

        Raises:
            RuntimeError: ``src`` has another shape; the view reaches beyond the elements, or names some twice.
        """
    def as_subclass(self, cls: builtins.type[Tensor]) -> Tensor:
        """The same data as a ``cls``, through which gradients flow.

        Raises:
            TypeError: ``cls`` is no class of tensors.
        """
    def asin(self) -> Tensor:
        """arcsin x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def asin_(self) -> Self:
        """In-place version of `asin`."""
    def asinh(self) -> Tensor:
        """arsinh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def asinh_(self) -> Self:
        """In-place version of `asinh`."""
    def atan(self) -> Tensor:
        """arctan x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def atan2(self, other: Operand) -> Tensor:
        """The angle of the point (other, input), broadcast; integers are converted to the default float dtype."""
    def atan2_(self, other: Operand) -> Self:
        """In-place version of `atan2`."""
    def atan_(self) -> Self:
        """In-place version of `atan`."""
    def atanh(self) -> Tensor:
        """artanh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def atanh_(self) -> Self:
        """In-place version of `atanh`."""
    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: builtins.bool | None = None,
        create_graph: builtins.bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None,
    ) -> None:
        """See `lazygrad.autograd.backward`; ``gradient`` weighs the elements of a tensor that is not scalar."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
        """beta·input + alpha·(batch1 · batch2), of shape (b, n, m); see `addmm` and `bmm`.

        Raises:
            RuntimeError: shapes that do not fit or dtypes that differ.
        """
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *old: Any, beta: Scalar = 1, alpha: Scalar = 1) -> Self:
        """In-place version of `baddbmm`."""
    def bernoulli(self, p: builtins.float | None = None, *, generator: Generator | None = None) -> Tensor:
        """Ones with the probabilities in ``input`` (or ``p`` everywhere), and zeros, in ``input``'s dtype.

        The gradient of ``input`` is zero.

        Raises:
            RuntimeError: a probability outside [0, 1].
            NotImplementedError: probabilities that are not floating.
        """
    def bernoulli_(self, p: builtins.float | Tensor = 0.5, *, generator: Generator | None = None) -> Self:
        """Fill with ones with probability ``p``, and zeros.

        Args:
            input: the tensor to fill, of any dtype.
            p: a number, or a floating tensor that broadcasts to ``input``.
            generator: where the numbers come from; the default generator if None.

        Raises:
            RuntimeError: a probability outside [0, 1].
            NotImplementedError: a tensor of probabilities that is not floating.
        """
    def bfloat16(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as bfloat16; itself if it is."""
    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """How often each of 0, 1, … occurs, int64; or the sum of the weights at these places. Computes ``input`` now.

        Args:
            input: a vector of non-negative integers.
            weights: as many numbers; float32 stays, everything else is summed in float64.
            minlength: the least length of the result.

        Raises:
            RuntimeError: not a vector of integers, a negative number, weights of another shape, a negative length.
        """
    def bitwise_and(self, other: Operand) -> Tensor:
        """input & other, broadcast. NotImplementedError for floating dtypes."""
    def bitwise_and_(self, other: Operand) -> Self:
        """In-place version of `bitwise_and`."""
    def bitwise_left_shift(self, other: Operand) -> Tensor:
        """input << other, broadcast. NotImplementedError for dtypes other than integers."""
    def bitwise_left_shift_(self, other: Operand) -> Self:
        """In-place version of `bitwise_left_shift`."""
    def bitwise_not(self) -> Tensor:
        """~x; logical not for bool tensors.

        Raises:
            NotImplementedError: a floating dtype.
        """
    def bitwise_not_(self) -> Self:
        """In-place version of `bitwise_not`."""
    def bitwise_or(self, other: Operand) -> Tensor:
        """input | other, broadcast. NotImplementedError for floating dtypes."""
    def bitwise_or_(self, other: Operand) -> Self:
        """In-place version of `bitwise_or`."""
    def bitwise_right_shift(self, other: Operand) -> Tensor:
        """input >> other, broadcast. NotImplementedError for dtypes other than integers."""
    def bitwise_right_shift_(self, other: Operand) -> Self:
        """In-place version of `bitwise_right_shift`."""
    def bitwise_xor(self, other: Operand) -> Tensor:
        """input ^ other, broadcast. NotImplementedError for floating dtypes."""
    def bitwise_xor_(self, other: Operand) -> Self:
        """In-place version of `bitwise_xor`."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two batches of matrices, (b, n, k) and (b, k, m), without broadcasting.

        Raises:
            RuntimeError: not batches of matrices of one length, sizes that do not fit, different dtypes.
        """
    def bool(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as bool; itself if it is."""
    def broadcast_to(self, *given: Sizes, size: Sequence[builtins.int] | None = None) -> Tensor:
        """Another name of `expand`."""
    def byte(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as uint8; itself if it is."""
    def cauchy_(
        self, median: builtins.float = 0, sigma: builtins.float = 1, *, generator: Generator | None = None
    ) -> Self:
        """Fill with Cauchy distributed numbers around ``median``, of scale ``sigma``.

        Raises:
            RuntimeError: not a floating dtype; a scale that is not positive.
        """
    def cdouble(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as complex128; itself if it is."""
    def ceil(self) -> Tensor:
        """The smallest integer not below x, elementwise; integers stay as they are."""
    def ceil_(self) -> Self:
        """In-place version of `ceil`."""
    def cfloat(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as complex64; itself if it is."""
    def chalf(self) -> Tensor:
        """The tensor as PyTorch's complex32, which does not exist here.

        Raises:
            NotImplementedError: always.
        """
    def char(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as int8; itself if it is."""
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """The Cholesky factor of positive definite matrices; see `lazygrad.linalg.cholesky`."""
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """The inverse of A, from the Cholesky factor of A; see `cholesky_solve`.

        Raises:
            RuntimeError: not square. NotImplementedError: integers or 16-bit floats.
        """
    def cholesky_solve(self, L: Tensor, upper: builtins.bool = False) -> Tensor:
        """X with A·X = input, from the Cholesky factor of A.

        Args:
            input: shape (…, n, k), float or complex.
            L: the lower factor, shape (…, n, n), of the same dtype; the upper one with ``upper``.

        Raises:
            RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
        """
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Views of at most ``chunks`` equally large pieces of one dimension; the last may be smaller.

        Raises:
            RuntimeError: ``chunks`` is not positive.
        """
    def clamp(self, min: Operand | None = None, max: Operand | None = None) -> Tensor:
        """``input`` limited to [min, max]; each bound a number, a tensor or None.

        Raises:
            RuntimeError: both bounds are None, or one is a number that the result's dtype cannot hold.
        """
    def clamp_(self, min: Operand | None = None, max: Operand | None = None) -> Self:
        """In-place version of `clamp`."""
    def clamp_max(self, max: Operand) -> Tensor:
        """min(input, max), elementwise."""
    def clamp_max_(self, max: Operand) -> Self:
        """In-place version of `clamp_max`."""
    def clamp_min(self, min: Operand) -> Tensor:
        """max(input, min), elementwise."""
    def clamp_min_(self, min: Operand) -> Self:
        """In-place version of `clamp_min`."""
    def clip(self, min: Operand | None = None, max: Operand | None = None) -> Tensor:
        """``input`` limited to [min, max]; each bound a number, a tensor or None.

        Raises:
            RuntimeError: both bounds are None, or one is a number that the result's dtype cannot hold.
        """
    def clip_(self, min: Operand | None = None, max: Operand | None = None) -> Self:
        """In-place version of `clamp`."""
    def clone(self, *, memory_format: MemoryFormat | None = None) -> Tensor:
        """A copy with memory of its own, through which gradients flow.

        Args:
            input: any tensor.
            memory_format: the order of the dimensions in memory; by default that of ``input``.
        """
    def conj(self) -> Tensor:
        """The complex conjugate, as a view; a real tensor itself.

        As in PyTorch nothing is computed until the values are read: `is_conj` says so, and `resolve_conj` copies.
        """
    def conj_physical(self) -> Tensor:
        """The complex conjugate with memory of its own; a real tensor itself."""
    def conj_physical_(self) -> Self:
        """In-place version of `conj_physical`."""
    def contiguous(self, *, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor itself where `is_contiguous` holds, otherwise a copy in that order.

        Raises:
            RuntimeError: `preserve_format`, or a format for another number of dimensions.
        """
    def copy_(self, src: Tensor, non_blocking: builtins.bool = False) -> Self:
        """Set the elements to ``src``'s, broadcast, and cast to this dtype whatever its category.

        Args:
            input: the tensor that is written to.
            src: a tensor of a shape that broadcasts to ``input``'s; gradients flow to it.
            non_blocking: accepted; there is nothing to wait for.

        Raises:
            TypeError: ``src`` is not a tensor or number.
            RuntimeError: the shapes do not broadcast.
        """
    def copysign(self, other: Operand) -> Tensor:
        """|input| with the sign of ``other``, a tensor or number, broadcast. Integers are taken as floats."""
    def copysign_(self, other: Operand) -> Self:
        """In-place version of `copysign`."""
    def corrcoef(self) -> Tensor:
        """The matrix of correlation coefficients of the rows of ``input``, limited to [-1, 1].

        Of complex numbers both parts are limited. See `cov`.

        Raises:
            RuntimeError: more than two dimensions.
        """
    def cos(self) -> Tensor:
        """cos x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def cos_(self) -> Self:
        """In-place version of `cos`."""
    def cosh(self) -> Tensor:
        """cosh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def cosh_(self) -> Self:
        """In-place version of `cosh`."""
    def count_nonzero(self, dim: Dim = None) -> Tensor:
        """How many elements over ``dim`` are not zero, as int64.

        Raises:
            IndexError: a dimension out of range.
        """
    def cov(
        self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
    ) -> Tensor:
        """The covariance matrix of the rows of ``input``; of a vector, the variance as a 0-dim tensor.

        Args:
            input: (variables, observations), or observations of one variable.
            correction: subtracted from the number of observations in the divisor.
            fweights: how often each observation was made, integers.
            aweights: how much each observation counts, floats.

        Raises:
            RuntimeError: more than two dimensions, a bool tensor, weights of another length, dtype or sign.
        """
    def cpu(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor on the CPU; itself if it is there."""
    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
        """The cross product of vectors of 3 elements; other dimensions broadcast.

        Args:
            dim: the dimension of the vectors; by default the first of size 3.

        Raises:
            RuntimeError: different numbers of dimensions, a size other than 3, or no dimension of size 3.
            NotImplementedError: bools. IndexError: ``dim`` out of range.
        """
    def cuda(
        self,
        device: Device | str | builtins.int | None = None,
        non_blocking: builtins.bool = False,
        memory_format: MemoryFormat = ...,
    ) -> Tensor:
        """The tensor on a GPU, the current one when ``device`` is left out.

        Args:
            input: any tensor.
            device: a name, an ordinal or a device.
            non_blocking: let the GPU copy from pinned memory while the program goes on.
            memory_format: the order of the result's dimensions in memory.

        Raises:
            RuntimeError: no CUDA device or back end is available.
        """
    def cummax(self, dim: builtins.int) -> return_types.cummax:
        """The largest element so far along ``dim``, as a named pair (values, indices); NaN is the largest.

        Raises:
            IndexError: ``dim`` out of range.
        """
    def cummin(self, dim: builtins.int) -> return_types.cummin:
        """The smallest element so far along ``dim``, as a named pair (values, indices); NaN is the smallest.

        Raises:
            IndexError: ``dim`` out of range.
        """
    def cumprod(self, dim: builtins.int, *, dtype: DType | None = None) -> Tensor:
        """The running product along ``dim``; see `cumsum`.

        Raises:
            IndexError: ``dim`` out of range.
        """
    def cumprod_(self, dim: builtins.int, *, dtype: DType | None = None) -> Self:
        """In-place version of `cumprod`."""
    def cumsum(self, dim: builtins.int, *, dtype: DType | None = None) -> Tensor:
        """The running sum along ``dim``, of the input's shape.

        Args:
            input: integers and bools are summed in int64, 16-bit floats in float32.
            dim: the dimension to run along.
            dtype: cast to this dtype before summing.

        Raises:
            IndexError: ``dim`` out of range.
        """
    def cumsum_(self, dim: builtins.int, *, dtype: DType | None = None) -> Self:
        """In-place version of `cumsum`."""
    def data_ptr(self) -> builtins.int:
        """The address of the first element; computes the tensor. 0 for an empty tensor.

        On the CPU it stays from now on; elsewhere it is that of the present contents, which the next write may move.
        """
    def deg2rad(self) -> Tensor:
        """Degrees as radians; integers are converted to the default float dtype."""
    def deg2rad_(self) -> Self:
        """In-place version of `deg2rad`."""
    def det(self) -> Tensor:
        """The determinant of square matrices; see `lazygrad.linalg.det`."""
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """A vector as the diagonal of a matrix of zeros, or a copy of a matrix's diagonal.

        Raises:
            RuntimeError: neither a vector nor a matrix.
        """
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """The last dimension as a diagonal of two new dimensions ``dim1`` and ``dim2``, zeros elsewhere.

        Raises:
            RuntimeError: ``dim1`` and ``dim2`` are one dimension.
        """
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """All elements as the diagonal of a matrix of zeros."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A view of a diagonal of two dimensions, as a new last dimension.

        Args:
            offset: 0 for the main diagonal, positive above it, negative below.

        Raises:
            RuntimeError: ``dim1`` and ``dim2`` are one dimension.
        """
    def diagonal_scatter(
        self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1
    ) -> Tensor:
        """``input`` with the `diagonal` of these arguments replaced by ``src``.

        Raises:
            RuntimeError: ``src`` has not the diagonal's shape; ``dim1`` and ``dim2`` are one dimension.
        """
    def diff(
        self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None
    ) -> Tensor:
        """The ``n``-th differences of neighbours along ``dim``; of bools, where they differ.

        Args:
            input: at least one dimension.
            n: how often differences are taken; the dimension shrinks by 1 each time, to 0 at the least.
            dim: the dimension.
            prepend, append: joined to the input first; of its rank.

        Raises:
            RuntimeError: a 0-dim input, a negative ``n``, parts of another rank.
            IndexError: ``dim`` out of range.
        """
    def digamma(self) -> Tensor:
        """Γ′(x)/Γ(x), elementwise. Integer and bool tensors are converted to the default float dtype."""
    def digamma_(self) -> Self:
        """In-place version of `digamma`."""
    def dim(self) -> builtins.int:
        """The number of dimensions."""
    def dim_order(self) -> tuple[builtins.int, ...]:
        """The dimensions in their order in memory, the outermost first."""
    def dist(self, other: Tensor, p: builtins.float = 2) -> Tensor:
        """The p-norm of ``input`` - ``other``, broadcast, as one vector: 0-dim.

        Raises:
            RuntimeError: integers, or shapes that do not broadcast.
        """
    def div(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """input / other, broadcast.

        Args:
            input, other: tensors or numbers.
            rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

        Raises:
            RuntimeError: another rounding mode; integers divided by 0 with rounding.
            OverflowError: an integer of more than 64 bits.
        """
    def div_(self, other: Operand, *, rounding_mode: str | None = None) -> Self:
        """In-place version of `div`."""
    def divide(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """input / other, broadcast.

        Args:
            input, other: tensors or numbers.
            rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

        Raises:
            RuntimeError: another rounding mode; integers divided by 0 with rounding.
            OverflowError: an integer of more than 64 bits.
        """
    def divide_(self, other: Operand, *, rounding_mode: str | None = None) -> Self:
        """In-place version of `div`."""
    def dot(self, tensor: Tensor) -> Tensor:
        """The inner product of two vectors of one length, 0-dim.

        Raises:
            RuntimeError: not vectors, different lengths or dtypes.
        """
    def double(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as float64; itself if it is."""
    def dsplit(
        self,
        *indices_or_sections: Cuts,
        sections: builtins.int | None = None,
        indices: Sequence[builtins.int] | None = None,
    ) -> tuple[Tensor, ...]:
        """Views of pieces behind one another: of the third dimension; see `hsplit`."""
    def element_size(self) -> builtins.int:
        """Bytes per element."""
    def eq(self, other: Operand) -> Tensor:
        """input == other, as bool."""
    def eq_(self, other: Operand) -> Self:
        """In-place version of `eq`."""
    def equal(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have the same shape and the same elements (NaN equals nothing). Computes both now.

        Raises:
            TypeError: an argument that is not a tensor.
        """
    def erf(self) -> Tensor:
        """the error function of x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def erf_(self) -> Self:
        """In-place version of `erf`."""
    def erfc(self) -> Tensor:
        """1 − erf x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def erfc_(self) -> Self:
        """In-place version of `erfc`."""
    def erfinv(self) -> Tensor:
        """the inverse of erf, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def erfinv_(self) -> Self:
        """In-place version of `erfinv`."""
    def exp(self) -> Tensor:
        """eˣ, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def exp2(self) -> Tensor:
        """2ˣ, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def exp2_(self) -> Self:
        """In-place version of `exp2`."""
    def exp_(self) -> Self:
        """In-place version of `exp`."""
    def expand(self, *given: Sizes, size: Sequence[builtins.int] | None = None) -> Tensor:
        """A view with dimensions of size 1 repeated, and new ones in front; -1 keeps a size.

        Raises:
            RuntimeError: a dimension of another size would change, or fewer dimensions are asked for.
        """
    def expand_as(self, other: Tensor) -> Tensor:
        """`expand` to ``other``'s shape."""
    def expm1(self) -> Tensor:
        """eˣ − 1, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def expm1_(self) -> Self:
        """In-place version of `expm1`."""
    def exponential_(self, lambd: builtins.float = 1, *, generator: Generator | None = None) -> Self:
        """Fill with exponentially distributed numbers of rate ``lambd``.

        Raises:
            RuntimeError: not a floating dtype; a rate that is not positive.
        """
    def fill_(self, value: Operand) -> Self:
        """Set every element to one number or 0-dim tensor, which gradients flow to.

        Raises:
            RuntimeError: ``value`` has dimensions, or does not fit into the dtype.
        """
    def fill_diagonal_(self, fill_value: Operand, wrap: builtins.bool = False) -> Self:
        """Set the main diagonal to one number.

        Args:
            input: a matrix, or a tensor of more dimensions of one size.
            fill_value: the number.
            wrap: continue the diagonal of a tall matrix, one row left out, at its first column.

        Raises:
            RuntimeError: fewer than two dimensions, or more than two of different sizes.
        """
    def fix(self) -> Tensor:
        """x rounded towards zero, elementwise; integers stay as they are."""
    def fix_(self) -> Self:
        """In-place version of `trunc`."""
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """The dimensions from ``start_dim`` to ``end_dim`` as one. The tensor itself where that changes nothing.

        Raises:
            RuntimeError: ``start_dim`` comes after ``end_dim``.
        """
    def flip(self, *given: Sizes, dims: Sequence[builtins.int] | None = None) -> Tensor:
        """A copy with the given dimensions in reverse order.

        Raises:
            RuntimeError: a dim given twice.
        """
    def fliplr(self) -> Tensor:
        """A copy with the second dimension reversed."""
    def flipud(self) -> Tensor:
        """A copy with the first dimension reversed."""
    def float(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as float32; itself if it is."""
    def float_power(self, exponent: Operand) -> Tensor:
        """input^exponent, broadcast, computed in float64, or complex128 where an operand is complex."""
    def float_power_(self, exponent: Operand) -> Self:
        """In-place version of `float_power`.

        Raises:
            RuntimeError: the tensor is not of the double precision that the result has.
        """
    def floor(self) -> Tensor:
        """The largest integer not above x, elementwise; integers stay as they are."""
    def floor_(self) -> Self:
        """In-place version of `floor`."""
    def floor_divide(self, other: Operand) -> Tensor:
        """⌊input / other⌋, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: integers divided by 0; for a 0 inside a tensor when the result is computed.
            OverflowError: an integer of more than 64 bits.
        """
    def floor_divide_(self, other: Operand) -> Self:
        """In-place version of `floor_divide`."""
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two values, broadcast; a number rather than NaN."""
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two values, broadcast; a number rather than NaN."""
    def fmod(self, other: Operand) -> Tensor:
        """input − other·trunc(input / other): the sign of the dividend.

        Raises:
            RuntimeError, OverflowError: see `floor_divide`.
        """
    def fmod_(self, other: Operand) -> Self:
        """In-place version of `fmod`."""
    def frac(self) -> Tensor:
        """x − trunc(x), elementwise.

        Raises:
            NotImplementedError: integers and bools, which have no fractions.
        """
    def frac_(self) -> Self:
        """In-place version of `frac`."""
    def frexp(self) -> return_types.frexp:
        """Mantissa in [½, 1) and int32 exponent, as a named pair, with input = mantissa · 2^exponent.

        Raises:
            RuntimeError: not a floating dtype.
        """
    def gather(self, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False) -> Tensor:
        """result[…, i, …] = input[…, index[…, i, …], …] along dimension ``dim``.

        Args:
            index: int64 or int32, as many dimensions as ``input``, none larger except ``dim``.
            sparse_grad: accepted for PyTorch's signature; gradients are dense.

        Raises:
            RuntimeError: an index of another dtype, rank or size; at run time, one out of range.
        """
    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor, broadcast, not negative; 0 of two zeros.

        Raises:
            NotImplementedError: floats or bools.
        """
    def gcd_(self, other: Tensor) -> Self:
        """In-place version of `gcd`."""
    def ge(self, other: Operand) -> Tensor:
        """input >= other, as bool."""
    def ge_(self, other: Operand) -> Self:
        """In-place version of `ge`."""
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Self:
        """Fill with how many trials of probability ``p`` it takes to succeed, 1 or more.

        Raises:
            NotImplementedError: a bool tensor.
            RuntimeError: ``p`` is outside (0, 1).
        """
    def geqrf(self) -> return_types.geqrf:
        """(a, tau): R on and above the diagonal of ``a``, with the Householder reflections that make Q below it.

        Args:
            input: shape (…, m, n), float or complex; ``tau`` has the shape (…, min(m, n)).

        Raises:
            RuntimeError: fewer than two dimensions.
            NotImplementedError: integers or 16-bit floats; a gradient is asked for.
        """
    def ger(self, vec2: Tensor) -> Tensor:
        """All products of the elements of two vectors, (n,) and (m,): shape (n, m), in the promoted dtype.

        Raises:
            RuntimeError: not vectors.
        """
    def get_device(self) -> builtins.int:
        """The ordinal of the tensor's accelerator; -1 on the CPU and where there are no values."""
    @property
    def grad_fn(self) -> GradientFunction | None:
        """The operation that made this tensor; None for leaves."""
    def greater(self, other: Operand) -> Tensor:
        """input > other, as bool."""
    def greater_(self, other: Operand) -> Self:
        """In-place version of `gt`."""
    def greater_equal(self, other: Operand) -> Tensor:
        """input >= other, as bool."""
    def greater_equal_(self, other: Operand) -> Self:
        """In-place version of `ge`."""
    def gt(self, other: Operand) -> Tensor:
        """input > other, as bool."""
    def gt_(self, other: Operand) -> Self:
        """In-place version of `gt`."""
    def half(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as float16; itself if it is."""
    def hardshrink(self, lambd: builtins.float = 0.5) -> Tensor:
        """x where |x| > lambd, 0 elsewhere.

        Raises:
            NotImplementedError: integers or bools.
            RuntimeError: a lambd that the dtype cannot hold.
        """
    def heaviside(self, values: Tensor) -> Tensor:
        """0 below 0, ``values`` at 0, 1 above, broadcast; 0 at NaN.

        Raises:
            RuntimeError: the tensors' dtypes differ.
        """
    def heaviside_(self, values: Tensor) -> Self:
        """In-place version of `heaviside`."""
    def histc(self, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
        """How many elements lie in each of ``bins`` intervals of equal width between ``min`` and ``max``.

        Args:
            input: a floating dtype, which the result has too.
            bins: how many.
            min, max: the range; that of the elements when both are equal. What lies outside is not counted.

        Raises:
            RuntimeError: a number of bins that is not positive, a range that is reversed or not finite.
            NotImplementedError: a bool tensor.
        """
    def histogram(
        self,
        bins: Any = 100,
        *,
        range: Sequence[builtins.float] | None = None,
        weight: Tensor | None = None,
        density: builtins.bool = False,
    ) -> return_types.histogram:
        """How many elements, or the sum of whose weights, lie in each interval: a named pair (hist, bin_edges).

        Args:
            input: floating values.
            bins: how many intervals of equal width, or the ascending ends of them.
            range: (lowest, highest); of the elements when None. Elements outside are not counted.
            weight: a weight for each element, in the input's dtype.
            density: divide by the sum and the width, so that the integral is 1.

        Raises:
            RuntimeError: bins that are not positive or not a vector, a range that is not finite or reversed, weights of
                another shape or dtype. NotImplementedError: integers or bools.
        """
    def hsplit(
        self,
        *indices_or_sections: Cuts,
        sections: builtins.int | None = None,
        indices: Sequence[builtins.int] | None = None,
    ) -> tuple[Tensor, ...]:
        """Views of pieces side by side: of the second dimension, or the first of a vector.

        Args:
            input: at least one dimension.
            indices_or_sections: the number of pieces, which must divide the size; or where to cut.
            sections, indices: the former and the latter by their names.

        Raises:
            RuntimeError: a 0-dim tensor; a number of pieces that does not divide the size.
            TypeError: neither or several of these three.
        """
    def hypot(self, other: Tensor) -> Tensor:
        """√(input² + other²) without overflow, broadcast. NotImplementedError where both are integers or bools."""
    def hypot_(self, other: Tensor) -> Self:
        """In-place version of `hypot`."""
    def i0(self) -> Tensor:
        """The modified Bessel function I₀(x), elementwise. Integers are converted to the default float dtype."""
    def i0_(self) -> Self:
        """In-place version of `i0`."""
    def igamma(self, other: Tensor) -> Tensor:
        """The regularized lower incomplete gamma function P(input, other), broadcast.

        Gradients flow to ``other`` only, as in PyTorch.

        Raises:
            TypeError: an operand that is not a tensor. NotImplementedError: a gradient asked for ``input``.
        """
    def igamma_(self, other: Tensor) -> Self:
        """In-place version of `igamma`."""
    def igammac(self, other: Tensor) -> Tensor:
        """The regularized upper incomplete gamma function Q(input, other) = 1 − P(input, other); see `igamma`."""
    def igammac_(self, other: Tensor) -> Self:
        """In-place version of `igammac`."""
    @property
    def imag(self) -> Tensor:
        """The imaginary part, a view. RuntimeError for real dtypes."""
    @imag.setter
    def imag(self, value: Tensor) -> None: ...
    def index(self, indices: Sequence[Any]) -> Tensor:
        """input[tuple(indices)]; None takes a dimension as a whole."""
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Tensor:
        """``input`` with alpha·source[i] added to row index[i] of dimension ``dim``; rows named twice get both.

        Raises:
            RuntimeError, IndexError: as `index_select`; a source of another shape or dtype.
        """
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Scalar = 1) -> Self:
        """In-place version of `index_add`."""
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """``input`` with row index[i] of dimension ``dim`` replaced by source[i].

        Raises:
            RuntimeError, IndexError: as `index_select`; a source of another shape or dtype.
        """
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Self:
        """In-place version of `index_copy`."""
    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor | Scalar) -> Tensor:
        """``input`` with the rows of dimension ``dim`` that ``index`` names filled with one number.

        Raises:
            RuntimeError, IndexError: as `index_select`; a ``value`` with dimensions.
        """
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Tensor | Scalar) -> Self:
        """In-place version of `index_fill`."""
    def index_put(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """``input`` with input[indices] set to ``values``, or increased by them.

        Args:
            indices: masks or integer tensors for the leading dimensions.
            values: broadcast to the indexed region, of the same dtype.
            accumulate: add; elements named twice get both values.

        Raises:
            IndexError, RuntimeError: as for ``input[indices] = values``.
        """
    def index_put_(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Self:
        """In-place version of `index_put`."""
    def index_reduce(
        self, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = True
    ) -> Tensor:
        """``input`` with, at each row of ``dim`` that ``index`` names, the reduction of all rows of ``source`` sent there.

        Args:
            input: any shape.
            dim: the dimension that ``index`` addresses.
            index: a vector of int64 or int32.
            source: a row for each index.
            reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
            include_self: whether what ``input`` holds there takes part.

        Raises:
            RuntimeError: another ``reduce``; a source of another dtype or shape. IndexError: an index out of range.
        """
    def index_reduce_(
        self, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = True
    ) -> Self:
        """In-place version of `index_reduce`."""
    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor:
        """The rows of dimension ``dim`` that a vector of indices names.

        Raises:
            RuntimeError: an index that is not int64 or int32. IndexError: not a vector; at run time, out of range.
        """
    def inner(self, other: Tensor) -> Tensor:
        """Sums of products along the last dimensions of both, for all others of ``input`` and then all of ``other``.

        A number multiplies.

        Raises:
            RuntimeError: last dimensions of different sizes; different dtypes.
        """
    def int(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as int32; itself if it is."""
    def inverse(self) -> Tensor:
        """The inverse of square matrices; see `lazygrad.linalg.inv`."""
    def is_complex(self) -> builtins.bool:
        """Whether the dtype is a complex one."""
    def is_conj(self) -> builtins.bool:
        """Whether this is a conjugate view of memory that holds the numbers themselves."""
    def is_contiguous(self, *, memory_format: MemoryFormat = ...) -> builtins.bool:
        """Whether the elements lie in memory without gaps, row-major or in the order of ``memory_format``."""
    @property
    def is_cpu(self) -> builtins.bool:
        """Whether the tensor is on a cpu device."""
    @property
    def is_cuda(self) -> builtins.bool:
        """Whether the tensor is on a cuda device."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the dtype is a floating one."""
    @property
    def is_hpu(self) -> builtins.bool:
        """False: there are no hpu devices."""
    def is_inference(self) -> builtins.bool:
        """Whether this tensor was made inside `inference_mode`."""
    @property
    def is_ipu(self) -> builtins.bool:
        """False: there are no ipu devices."""
    @property
    def is_maia(self) -> builtins.bool:
        """False: there are no maia devices."""
    @property
    def is_meta(self) -> builtins.bool:
        """Whether the tensor is on a meta device."""
    @property
    def is_mkldnn(self) -> builtins.bool:
        """Whether the tensor is a mkldnn one, which those of this class are not."""
    @property
    def is_mps(self) -> builtins.bool:
        """Whether the tensor is on a mps device."""
    @property
    def is_mtia(self) -> builtins.bool:
        """False: there are no mtia devices."""
    def is_neg(self) -> builtins.bool:
        """Whether this is the imaginary part of a conjugate view, whose memory holds the negated numbers."""
    @property
    def is_nested(self) -> builtins.bool:
        """Whether the tensor is a nested one, which those of this class are not."""
    def is_nonzero(self) -> builtins.bool:
        """Whether the one element is not zero. Computes it.

        Raises:
            RuntimeError: the tensor has another number of elements.
        """
    def is_pinned(self, device: DeviceLike | None = None) -> builtins.bool:
        """Whether the memory is page-locked, as `pin_memory` makes it."""
    @property
    def is_quantized(self) -> builtins.bool:
        """Whether the tensor is a quantized one, which those of this class are not."""
    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have the same shape."""
    def is_shared(self) -> builtins.bool:
        """Whether the values lie in memory that `share_memory_` made; as in PyTorch always on a device but the CPU."""
    def is_signed(self) -> builtins.bool:
        """Whether the dtype has negative numbers."""
    @property
    def is_sparse(self) -> builtins.bool:
        """Whether the tensor is a sparse one, which those of this class are not."""
    @property
    def is_sparse_csr(self) -> builtins.bool:
        """Whether the tensor is a sparse_csr one, which those of this class are not."""
    @property
    def is_vulkan(self) -> builtins.bool:
        """False: there are no vulkan devices."""
    @property
    def is_xla(self) -> builtins.bool:
        """False: there are no xla devices."""
    @property
    def is_xpu(self) -> builtins.bool:
        """Whether the tensor is on a xpu device."""
    def isclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> Tensor:
        """Where |input - other| ≤ atol + rtol·|other|, or both are equal, as bool; the tensors broadcast.

        Args:
            input, other: of one dtype; integers are compared as floats.
            rtol, atol: relative and absolute tolerance.
            equal_nan: whether NaN is close to NaN.

        Raises:
            RuntimeError: different dtypes; a negative tolerance; shapes that do not broadcast.
            TypeError: an argument that is not a tensor.
        """
    def isfinite(self) -> Tensor:
        """Where elements are neither infinite nor NaN, as bool."""
    def isinf(self) -> Tensor:
        """Where elements are +∞ or −∞, as bool."""
    def isnan(self) -> Tensor:
        """Where elements are NaN, as bool."""
    def isneginf(self) -> Tensor:
        """Where elements are −∞, as bool. RuntimeError for complex numbers."""
    def isposinf(self) -> Tensor:
        """Where elements are +∞, as bool. RuntimeError for complex numbers."""
    def isreal(self) -> Tensor:
        """Where the imaginary part is 0, as bool; everywhere for a real dtype."""
    def istft(
        self,
        n_fft: builtins.int,
        hop_length: builtins.int | None = None,
        win_length: builtins.int | None = None,
        window: Tensor | None = None,
        center: builtins.bool = True,
        normalized: builtins.bool = False,
        onesided: builtins.bool | None = None,
        length: builtins.int | None = None,
        return_complex: builtins.bool = False,
    ) -> Tensor:
        """The signal whose `stft` is nearest to ``input``: overlapping pieces are added up, and divided by their weights.

        Source: Griffin and Lim, "Signal estimation from modified short-time Fourier transform", 1984.

        Args:
            input: complex, (frequencies, pieces) or (batch, frequencies, pieces).
            n_fft, hop_length, win_length, window, center, normalized, onesided: as they were given to `stft`.
            length: of the signal, which is cut off or filled up with zeros.
            return_complex: whether the signal is complex.

        Returns:
            (length,) or (batch, length).

        Raises:
            RuntimeError: not complex; sizes that do not fit; a sample that no window covers.
        """
    def item(self) -> Any:
        """The value of a tensor of one element, whatever its number of dimensions.

        Raises:
            RuntimeError: the tensor has another number of elements.
        """
    @property
    def itemsize(self) -> builtins.int:
        """Bytes per element."""
    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product: every element of ``input`` times all of ``other``, as blocks.

        Sizes are multiplied dimension by dimension; a tensor with fewer dimensions gets leading ones of size 1.
        """
    def kthvalue(
        self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False
    ) -> return_types.kthvalue:
        """The ``k``-th smallest element along ``dim``, counted from 1, as a named pair (values, indices).

        Raises:
            RuntimeError: ``k`` out of range.
            NotImplementedError: a bool tensor.
            IndexError: ``dim`` out of range or empty.
        """
    @property
    def layout(self) -> Layout:
        """How the elements are stored: `strided`, one by one."""
    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple, broadcast, not negative; 0 beside a zero.

        Raises:
            NotImplementedError: floats or bools.
        """
    def lcm_(self, other: Tensor) -> Self:
        """In-place version of `lcm`."""
    def ldexp(self, other: Tensor) -> Tensor:
        """input · 2^other, broadcast; a float even where both are integers.

        A float and an integer exponent give the float's dtype, and no power of 2 overflows where the result does not.

        Raises:
            NotImplementedError: a float, and an exponent that is a bool or of uint16, uint32 or uint64.
        """
    def ldexp_(self, other: Tensor) -> Self:
        """In-place version of `ldexp`."""
    def le(self, other: Operand) -> Tensor:
        """input <= other, as bool."""
    def le_(self, other: Operand) -> Self:
        """In-place version of `le`."""
    def lerp(self, end: Tensor, weight: Tensor | Scalar) -> Tensor:
        """input + weight·(end − input), evaluated from the nearer end for accuracy (as PyTorch does).

        Raises:
            RuntimeError: ``end``, or a tensor of weights, has another dtype than ``input``.
            NotImplementedError: integers or bools.
        """
    def lerp_(self, end: Tensor, weight: Tensor | Scalar) -> Self:
        """In-place version of `lerp`."""
    def less(self, other: Operand) -> Tensor:
        """input < other, as bool."""
    def less_(self, other: Operand) -> Self:
        """In-place version of `lt`."""
    def less_equal(self, other: Operand) -> Tensor:
        """input <= other, as bool."""
    def less_equal_(self, other: Operand) -> Self:
        """In-place version of `le`."""
    def lgamma(self) -> Tensor:
        """ln |Γ(x)|, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def lgamma_(self) -> Self:
        """In-place version of `lgamma`."""
    def log(self) -> Tensor:
        """ln x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def log10(self) -> Tensor:
        """log₁₀ x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def log10_(self) -> Self:
        """In-place version of `log10`."""
    def log1p(self) -> Tensor:
        """ln(1 + x), elementwise. Integer and bool tensors are converted to the default float dtype."""
    def log1p_(self) -> Self:
        """In-place version of `log1p`."""
    def log2(self) -> Tensor:
        """log₂ x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def log2_(self) -> Self:
        """In-place version of `log2`."""
    def log_(self) -> Self:
        """In-place version of `log`."""
    def log_normal_(
        self, mean: builtins.float = 1, std: builtins.float = 2, *, generator: Generator | None = None
    ) -> Self:
        """Fill with numbers whose logarithms are normally distributed, with this mean and standard deviation.

        Raises:
            NotImplementedError: not a floating dtype.
            RuntimeError: a standard deviation that is not positive.
        """
    def log_softmax(self, dim: builtins.int, dtype: DType | None = None) -> Tensor:
        """ln softmax(x), without overflow; see `softmax`."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """ln(e^input + e^other) without overflow, broadcast. NotImplementedError where both are integers or bools."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """log₂(2^input + 2^other) without overflow, broadcast. NotImplementedError where both are integers or bools."""
    def logcumsumexp(self, dim: builtins.int) -> Tensor:
        """ln of the running sum of eˣ along ``dim``, without overflow.

        Raises:
            NotImplementedError: integers or bools.
            IndexError: ``dim`` out of range.
        """
    def logdet(self) -> Tensor:
        """The logarithm of the determinant of square matrices: NaN where it is negative, -∞ where it is 0.

        Raises:
            RuntimeError: not square, integers or 16-bit floats.
        """
    def logical_and(self, other: Tensor) -> Tensor:
        """True where both are nonzero."""
    def logical_and_(self, other: Tensor) -> Self:
        """In-place version of `logical_and`."""
    def logical_not(self) -> Tensor:
        """True where an element is zero."""
    def logical_not_(self) -> Self:
        """In-place version of `logical_not`."""
    def logical_or(self, other: Tensor) -> Tensor:
        """True where either is nonzero."""
    def logical_or_(self, other: Tensor) -> Self:
        """In-place version of `logical_or`."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """True where exactly one is nonzero."""
    def logical_xor_(self, other: Tensor) -> Self:
        """In-place version of `logical_xor`."""
    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """ln(x / (1 − x)), elementwise. Integers are converted to the default float dtype.

        Args:
            input: any shape.
            eps: limit the input to [eps, 1 − eps] first; without it the result outside [0, 1] is NaN.
        """
    def logit_(self, eps: builtins.float | None = None) -> Self:
        """In-place version of `logit`."""
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor:
        """log Σ exp(x) over ``dim``, without overflow; -∞ of no elements. Integers become the default float dtype.

        Raises:
            TypeError: ``dim`` is None.
            IndexError: a dimension out of range.
        """
    def long(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as int64; itself if it is."""
    def lt(self, other: Operand) -> Tensor:
        """input < other, as bool."""
    def lt_(self, other: Operand) -> Self:
        """In-place version of `lt`."""
    def lu(self, pivot: builtins.bool = True, get_infos: builtins.bool = False) -> tuple[Tensor, ...]:
        """(LU, pivots), or (LU, pivots, infos); see `lazygrad.linalg.lu_factor_ex`."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """X with A·X = input, from A's LU decomposition; see `lazygrad.linalg.lu_solve`."""
    @property
    def mH(self) -> Tensor:
        """The conjugate transposes of a batch of matrices, a view."""
    @property
    def mT(self) -> Tensor:
        """The last two dimensions swapped."""
    def map2_(self, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Self:
        """`map_` with two further tensors."""
    def map_(self, other: Tensor, callable: Callable[[Any, Any], Any]) -> Self:
        """Replace each element by ``callable`` of it and of the element of ``other``, broadcast. Computes both now.

        Raises:
            RuntimeError: tensors that require gradients. TypeError: another dtype.
        """
    def masked_fill(self, mask: Tensor, value: Operand) -> Tensor:
        """``input`` with ``value`` (a number or 0-dim tensor) where the mask holds; the dtype stays.

        Raises:
            RuntimeError: the mask is not bool; ``value`` has dimensions.
        """
    def masked_fill_(self, mask: Tensor, value: Operand) -> Self:
        """In-place version of `masked_fill`."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """``input`` with the elements where the mask is true replaced by those of ``source``, in row-major order.

        Raises:
            RuntimeError: a mask that is not bool, dtypes that differ; at run time, ``source`` is too short.
        """
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Self:
        """In-place version of `masked_scatter`."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where the mask is true, in row-major order; both broadcast. Computes the mask.

        Raises:
            RuntimeError: a mask that is not bool.
        """
    def matmul(self, other: Tensor) -> Tensor:
        """The product of vectors, matrices or batches of matrices.

        A vector counts as one row on the left and one column on the right, and its extra dimension is dropped again;
        dimensions before the last two are batches, which broadcast.

        Args:
            input: shape (…, n, k) or (k,).
            other: shape (…, k, m) or (k,), of the same dtype.

        Raises:
            RuntimeError: a 0-dim tensor, sizes that do not fit, different dtypes, bools.
            TypeError: an argument that is not a tensor.
        """
    def matrix_exp(self) -> Tensor:
        """The exponential of square matrices; see `lazygrad.linalg.matrix_exp`."""
    def matrix_power(self, n: builtins.int) -> Tensor:
        """The ``n``-th power of square matrices; see `lazygrad.linalg.matrix_power`."""
    @overload
    def max(self) -> Tensor:
        """The largest element, in one of three forms.

        ``max(input)`` is the largest of all, 0-dim. ``max(input, dim, keepdim=False)`` gives a named pair
        (values, indices) along one dimension, the first index on ties. ``max(input, other)`` compares two tensors
        elementwise, as `maximum`.

        Raises:
            RuntimeError, IndexError: nothing to choose from; a dimension out of range.
            TypeError: several dimensions (use `amax`), or arguments of two forms.
        """
    @overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = False) -> return_types.max: ...
    @overload
    def max(self, other: Tensor, /) -> Tensor: ...
    @overload
    def max(self, *, other: Tensor) -> Tensor: ...
    def maximum(self, other: Operand) -> Tensor:
        """The larger of two values, elementwise; NaN wins."""
    def mean(self, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The arithmetic mean over ``dim``; NaN of no elements.

        Raises:
            RuntimeError: an integer or bool result; pass a floating ``dtype``, or cast with ``.float()``.
            IndexError: a dimension out of range.
        """
    @overload
    def median(self) -> Tensor:
        """The median; the lower of two middle elements, NaN where there is one.

        Without ``dim`` that of all elements, 0-dim; along a dimension a named pair (values, indices).

        Raises:
            NotImplementedError: a bool tensor.
            IndexError: nothing to choose from; a dimension out of range.
        """
    @overload
    def median(self, dim: builtins.int, keepdim: builtins.bool = False) -> return_types.median: ...
    @overload
    def min(self) -> Tensor:
        """The smallest element, in one of three forms; see `max`.

        Raises:
            RuntimeError, IndexError: nothing to choose from; a dimension out of range.
            TypeError: several dimensions (use `amin`), or arguments of two forms.
        """
    @overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = False) -> return_types.min: ...
    @overload
    def min(self, other: Tensor, /) -> Tensor: ...
    @overload
    def min(self, *, other: Tensor) -> Tensor: ...
    def minimum(self, other: Operand) -> Tensor:
        """The smaller of two values, elementwise; NaN wins."""
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices, (n, k) and (k, m).

        Raises:
            RuntimeError: not matrices, sizes that do not fit, different dtypes.
        """
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False) -> return_types.mode:
        """The most frequent element along ``dim``, the smallest of several, and the last place where it stands.

        Raises:
            IndexError: ``dim`` out of range, or of size 0.
        """
    def moveaxis(
        self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]
    ) -> Tensor:
        """Another name of `movedim`."""
    def movedim(
        self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]
    ) -> Tensor:
        """A view with the dimensions ``source`` at the positions ``destination``, the others in their order.

        Raises:
            RuntimeError: a dim given twice, or different numbers of dims.
        """
    def msort(self) -> Tensor:
        """The elements in ascending order along the first dimension."""
    def mul(self, other: Operand) -> Tensor:
        """input · other, broadcast, in the promoted dtype.

        Raises:
            OverflowError: an integer of more than 64 bits.
        """
    def mul_(self, other: Operand) -> Self:
        """In-place version of `mul`."""
    def multinomial(
        self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None
    ) -> Tensor:
        """Column numbers drawn with the weights in each row; PyTorch's numbers for the same seed.

        Args:
            input: weights, shape (columns,) or (rows, columns), floating; they need not sum to one.
            num_samples: how many of each row.
            replacement: whether a column may be drawn again.
            generator: where the numbers come from; the default generator if None.

        Returns:
            int64, shape (num_samples,) or (rows, num_samples).

        Raises:
            RuntimeError: weights that are negative, not finite, not floating or all zero; another number of dimensions;
                fewer columns than are to be drawn without replacement; no samples.
        """
    def multiply(self, other: Operand) -> Tensor:
        """input · other, broadcast, in the promoted dtype.

        Raises:
            OverflowError: an integer of more than 64 bits.
        """
    def multiply_(self, other: Operand) -> Self:
        """In-place version of `mul`."""
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix (n, k) and a vector (k,).

        Raises:
            RuntimeError: other numbers of dimensions, sizes that do not fit, different dtypes.
        """
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """The logarithm of the p-variate gamma function, elementwise: p(p − 1)/4 · ln π + Σ lgamma(x − j/2), j < p.

        Raises:
            RuntimeError: ``p`` is not positive.
        """
    def mvlgamma_(self, p: builtins.int) -> Self:
        """In-place version of `mvlgamma`."""
    def nan_to_num(
        self,
        nan: builtins.float | None = None,
        posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Tensor:
        """``input`` with NaN and the infinities replaced by numbers; integers stay as they are.

        Args:
            input: any dtype.
            nan: replaces NaN; 0 for None.
            posinf, neginf: replace +∞ and −∞; the dtype's largest and smallest number for None.
        """
    def nan_to_num_(
        self,
        nan: builtins.float | None = None,
        posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Self:
        """In-place version of `nan_to_num`."""
    def nanmean(self, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The mean over ``dim`` of the elements that are not NaN; NaN where there are none.

        Raises:
            RuntimeError: integers or bools, or a dimension given twice. IndexError: a dimension out of range.
        """
    @overload
    def nanmedian(self) -> Tensor:
        """`median` of the elements that are not NaN; NaN where there are none."""
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = False) -> return_types.nanmedian: ...
    def nanquantile(
        self,
        q: builtins.float | Tensor,
        dim: builtins.int | None = None,
        keepdim: builtins.bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        """`quantile` of the elements that are not NaN; NaN where there are none."""
    def nansum(self, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The sum over ``dim``, NaN counting as 0; see `sum`.

        Raises:
            IndexError: a dimension out of range. RuntimeError: a dimension given twice.
        """
    def narrow(self, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int) -> Tensor:
        """A view of ``length`` elements of dimension ``dim``, beginning with ``start``.

        Raises:
            IndexError, RuntimeError: the range does not lie inside the dimension.
        """
    def narrow_copy(self, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int) -> Tensor:
        """A copy of what `narrow` gives a view of."""
    @property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements."""
    def ndimension(self) -> builtins.int:
        """The number of dimensions."""
    def ne(self, other: Operand) -> Tensor:
        """input != other, as bool."""
    def ne_(self, other: Operand) -> Self:
        """In-place version of `ne`."""
    def neg(self) -> Tensor:
        """−x, elementwise.

        Raises:
            RuntimeError: a bool tensor.
        """
    def neg_(self) -> Self:
        """In-place version of `neg`."""
    def negative(self) -> Tensor:
        """−x, elementwise.

        Raises:
            RuntimeError: a bool tensor.
        """
    def negative_(self) -> Self:
        """In-place version of `neg`."""
    def nelement(self) -> builtins.int:
        """The number of elements."""
    def new(self, *data: Any, device: DeviceLike | None = None) -> Tensor:
        """A tensor of ``input``'s type, made as by that type's constructor."""
    def new_empty(
        self,
        *sizes: Sizes,
        size: Sizes | None = None,
        dtype: DTypeLike | None = None,
        layout: Layout | None = None,
        device: DeviceLike | None = None,
        pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """A tensor of another size, with ``input``'s dtype and device, whose values do not matter."""
    def new_empty_strided(
        self,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        *,
        dtype: DTypeLike | None = None,
        layout: Layout | None = None,
        device: DeviceLike | None = None,
        pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """`empty_strided` with ``input``'s dtype and device unless others are given."""
    def new_full(
        self,
        size: Sizes,
        fill_value: Operand,
        *,
        dtype: DTypeLike | None = None,
        layout: Layout | None = None,
        device: DeviceLike | None = None,
        pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """One number in another size with ``input``'s dtype and device unless others are given."""
    def new_ones(
        self,
        *sizes: Sizes,
        size: Sizes | None = None,
        dtype: DTypeLike | None = None,
        layout: Layout | None = None,
        device: DeviceLike | None = None,
        pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """Ones of another size with ``input``'s dtype and device unless others are given."""
    def new_tensor(
        self,
        data: Any,
        *,
        dtype: DTypeLike | None = None,
        layout: Layout | None = None,
        device: DeviceLike | None = None,
        pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """A copy of ``data`` with ``input``'s dtype and device unless others are given."""
    def new_zeros(
        self,
        *sizes: Sizes,
        size: Sizes | None = None,
        dtype: DTypeLike | None = None,
        layout: Layout | None = None,
        device: DeviceLike | None = None,
        pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """Zeros of another size with ``input``'s dtype and device unless others are given."""
    def nextafter(self, other: Tensor) -> Tensor:
        """The next number of the dtype after ``input`` in the direction of ``other``, broadcast.

        Raises:
            NotImplementedError: integers or bools; a gradient asked for.
        """
    def nextafter_(self, other: Tensor) -> Self:
        """In-place version of `nextafter`."""
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor:
        """The positions of nonzero elements, in row-major order. Computes the tensor.

        Args:
            as_tuple: as one int64 vector per dimension, ready for indexing; otherwise as the rows of one matrix.
        """
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
        """The positions of the first ``size`` nonzero elements as rows of an int64 matrix, of known shape.

        Args:
            input: any shape and dtype.
            size: how many rows.
            fill_value: what the rows hold for which there is no element.

        Raises:
            RuntimeError: a negative size.
        """
    def norm(
        self,
        p: builtins.float | str | None = "fro",
        dim: Dim = None,
        keepdim: builtins.bool = False,
        dtype: DType | None = None,
    ) -> Tensor:
        """(Σ |x|^p)^(1/p) over ``dim``, of the elements as one vector.

        Args:
            input: floating or complex dtype; 16-bit floats are computed in float32.
            p: a number; "fro" or None for 2; ±inf for the largest or smallest magnitude; 0 counts the nonzero; "nuc" for
                the sum of a matrix's singular values.
            dim: None for all dimensions, an int or several; two for "nuc".
            keepdim: keep reduced dimensions with size 1.
            dtype: cast to this dtype first.

        Raises:
            RuntimeError: integers or bools; an unknown name; a negative or infinite ``p`` of no elements.
        """
    def normal_(self, mean: builtins.float = 0, std: builtins.float = 1, *, generator: Generator | None = None) -> Self:
        """Fill with normally distributed numbers; of complex ones, both parts with half the variance.

        Raises:
            NotImplementedError: not a floating dtype.
            RuntimeError: a negative standard deviation.
        """
    def not_equal(self, other: Operand) -> Tensor:
        """input != other, as bool."""
    def not_equal_(self, other: Operand) -> Self:
        """In-place version of `ne`."""
    def numel(self) -> builtins.int:
        """The number of elements."""
    def numpy(self, *, force: builtins.bool = False) -> np.ndarray:
        """The value as a numpy array that shares the tensor's memory; bfloat16 comes as ml_dtypes' dtype.

        Args:
            input: a tensor without gradient; any tensor while gradients are not recorded.
            force: take ``input.detach()`` of one with gradient.

        Raises:
            RuntimeError: the tensor requires grad, gradients are recorded and ``force`` is not set; or it has no values
                (the null device).
            TypeError: it is on a device whose memory is not the host's, and ``force`` is not set.
        """
    def orgqr(self, tau: Tensor) -> Tensor:
        """The columns of Q that `geqrf` describes; see `lazygrad.linalg.householder_product`."""
    def ormqr(self, tau: Tensor, other: Tensor, left: builtins.bool = True, transpose: builtins.bool = False) -> Tensor:
        """Q·other, or other·Q if not ``left``, with the square Q that `geqrf` describes, without making it.

        Args:
            input: reflectors, shape (…, m, k); see `lazygrad.linalg.householder_product`.
            tau: shape (…, k).
            other: shape (…, m, n), or (…, n, m) if not ``left``, of the same dtype and batch.
            transpose: Qᴴ takes Q's place.

        Raises:
            RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
        """
    def outer(self, vec2: Tensor) -> Tensor:
        """All products of the elements of two vectors, (n,) and (m,): shape (n, m), in the promoted dtype.

        Raises:
            RuntimeError: not vectors.
        """
    def permute(self, *given: Sizes, dims: Sequence[builtins.int] | None = None) -> Tensor:
        """A view with the dimensions in the order ``dims``.

        Raises:
            RuntimeError: ``dims`` does not name every dimension once.
        """
    def pin_memory(self, device: DeviceLike | None = None) -> Tensor:
        """The tensor in page-locked memory, from which an accelerator copies by itself; itself if it is there.

        Args:
            input: on the CPU.
            device: for whose copies; the current CUDA device by default.

        Raises:
            RuntimeError: there is no accelerator, or the tensor is on one.
        """
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """The Moore-Penrose inverse; see `lazygrad.linalg.pinv`, whose relative tolerance ``rcond`` is."""
    def polygamma(self, n: builtins.int) -> Tensor: ...
    def polygamma_(self, n: builtins.int) -> Self:
        """In-place version of `_polygamma_method`."""
    def positive(self) -> Tensor:
        """``input`` itself.

        Raises:
            RuntimeError: a bool tensor.
        """
    def pow(self, exponent: Operand) -> Tensor:
        """input^exponent, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: integers to a negative integer power; an exponent that the dtype cannot hold.
            OverflowError: an integer of more than 64 bits.
        """
    def pow_(self, exponent: Operand) -> Self:
        """In-place version of `pow`."""
    def prelu(self, weight: Tensor) -> Tensor:
        """x above 0, weight·x below. Source: He et al., 2015.

        Args:
            input: (N, C, …) or, with a single weight, any shape.
            weight: one number, or one per channel, in the input's dtype.

        Raises:
            RuntimeError: the number of weights is neither 1 nor that of the channels, or the dtypes differ.
        """
    def prod(
        self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, dtype: DType | None = None
    ) -> Tensor:
        """The product of all elements, or along one ``dim``; see `sum` for dtypes.

        Raises:
            TypeError: several dimensions.
            IndexError: a dimension out of range.
        """
    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """``input``, seen as flat, with the elements at ``index`` replaced by those of ``source``, or increased by them.

        Args:
            input: any shape.
            index: int64 or int32 of any shape; negative ones count from the end.
            source: as many elements, of the input's dtype.
            accumulate: add instead of replacing.

        Raises:
            RuntimeError: another dtype. IndexError: another number of elements, an index out of range.
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Self:
        """In-place version of `put`."""
    def qr(self, some: builtins.bool = True) -> return_types.qr:
        """(Q, R) with input = Q·R; ``some=False`` for a square Q. See `lazygrad.linalg.qr`."""
    def quantile(
        self,
        q: builtins.float | Tensor,
        dim: builtins.int | None = None,
        keepdim: builtins.bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        """The q-quantiles along ``dim``, or of all elements; NaN where there is a NaN.

        Args:
            input: float32 or float64.
            q: a number in [0, 1], or a vector of them in the input's dtype, which becomes the first dimension.
            dim: the dimension; all elements when None.
            keepdim: keep the dimension with size 1.
            interpolation: between the two neighbours of a quantile: linear, lower, higher, midpoint or nearest.

        Raises:
            RuntimeError: another dtype, an empty input, a ``q`` out of range, an unknown interpolation.
            IndexError: ``dim`` out of range.
        """
    def rad2deg(self) -> Tensor:
        """Radians as degrees; integers are converted to the default float dtype."""
    def rad2deg_(self) -> Self:
        """In-place version of `rad2deg`."""
    def random_(
        self,
        *bounds: builtins.int | None,
        from_: builtins.int | None = None,
        to: builtins.int | None = None,
        generator: Generator | None = None,
    ) -> Self:
        """Fill with integers.

        Called as ``random_()`` for the dtype's whole range from 0 on, of a floating dtype the integers it can count
        exactly; ``random_(to)`` for [0, to); ``random_(low, to)`` for [low, to), with None for the largest value.

        Raises:
            TypeError: bounds that are not integers.
            RuntimeError: an empty range, or one the dtype cannot hold.
        """
    def ravel(self) -> Tensor:
        """All elements in one dimension; a view where they lie in row-major order."""
    @property
    def real(self) -> Tensor:
        """The real part, a view; of a real tensor, the tensor itself."""
    @real.setter
    def real(self, value: Tensor) -> None: ...
    def reciprocal(self) -> Tensor:
        """1/x, elementwise."""
    def reciprocal_(self) -> Self:
        """In-place version of `reciprocal`."""
    def register_hook(self, hook: TensorHook) -> RemovableHandle:
        """Call ``hook(gradient)`` whenever the gradient of ``tensor`` is computed; a returned tensor replaces it.

        Raises:
            RuntimeError: the tensor requires no gradient.
        """
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(tensor)`` after each ``backward`` that added to its ``.grad``.

        Raises:
            RuntimeError: not a leaf that requires gradients.
        """
    def relu(self, inplace: builtins.bool = False) -> Tensor:
        """max(x, 0), elementwise; the dtype stays.

        Raises:
            RuntimeError: a bool tensor.
        """
    def relu_(self, inplace: builtins.bool = False) -> Self:
        """In-place version of `relu`."""
    def remainder(self, other: Operand) -> Tensor:
        """input − other·⌊input / other⌋: the sign of the divisor, but a zero has the sign of the dividend.

        Raises:
            RuntimeError, OverflowError: see `floor_divide`.
        """
    def remainder_(self, other: Operand) -> Self:
        """In-place version of `remainder`."""
    def renorm(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """``input`` with every slice along ``dim`` whose p-norm is larger than ``maxnorm`` scaled down to it.

        Args:
            input: at least two dimensions, floating or complex; norms of 16-bit floats are computed in float32.
            p: positive.
            dim: the dimension whose slices are meant.
            maxnorm: not negative.

        Raises:
            RuntimeError: fewer than two dimensions, ``p`` not positive, ``maxnorm`` negative, integers.
            IndexError: ``dim`` out of range.
        """
    def renorm_(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Self:
        """In-place version of `renorm`."""
    def repeat(self, *given: Sizes, repeats: Sequence[builtins.int] | None = None) -> Tensor:
        """The whole tensor again and again: so many times along each dimension, new dimensions in front.

        Raises:
            RuntimeError: fewer repeats than dimensions, or a negative one.
        """
    def repeat_interleave(
        self,
        repeats: builtins.int | Tensor | None = None,
        dim: builtins.int | None = None,
        *,
        output_size: builtins.int | None = None,
    ) -> Tensor:
        """Each element of a dimension several times in a row.

        Args:
            repeats: how often, one number or one per element. A tensor is computed, as the result's shape depends on it.
                Left out, ``input`` holds the repeats and the result is the index of each repeated element.
            dim: without it, the flattened tensor is taken.
            output_size: accepted for PyTorch's signature.

        Raises:
            RuntimeError: repeats that are negative, not integers, or do not fit the dimension.
        """
    def reshape(self, *given: Sizes, shape: Sequence[builtins.int] | None = None) -> Tensor:
        """The elements in row-major order under another shape; one size may be -1. A view where possible, else a copy.

        Raises:
            RuntimeError: the sizes do not multiply to the number of elements.
        """
    def reshape_as(self, other: Tensor) -> Tensor:
        """`reshape` to ``other``'s shape."""
    def resize_(
        self, *sizes: Sizes, size: Sequence[builtins.int] | None = None, memory_format: MemoryFormat | None = None
    ) -> Self:
        """Give the tensor another shape over the memory it has, row-major from its offset on.

        Where that memory is too small the tensor moves to a larger one, which starts with its elements; the rest is
        uninitialised. Tensors that shared the old memory keep it.

        Raises:
            RuntimeError: the tensor requires grad, or a negative size.
        """
    def resize_as_(self, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Self:
        """`resize_` to another tensor's shape."""
    def resolve_conj(self) -> Tensor:
        """The tensor itself, or a copy of it where it `is_conj`."""
    def resolve_neg(self) -> Tensor:
        """The tensor itself, or a copy of it where it `is_neg`."""
    def retain_grad(self) -> None:
        """Keep ``.grad`` of a tensor that is not a leaf.

        Raises:
            RuntimeError: the tensor requires no gradient.
        """
    @property
    def retains_grad(self) -> builtins.bool:
        """Whether ``.grad`` of this non-leaf is kept."""
    def roll(
        self, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] | None = None
    ) -> Tensor:
        """The elements moved along dimensions, those pushed out at one end coming back at the other.

        Args:
            shifts: how far, one per dim.
            dims: without them, the flattened tensor is rolled.

        Raises:
            RuntimeError: not as many shifts as dims.
        """
    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] = (0, 1)) -> Tensor:
        """A copy turned by k·90° in the plane of two dimensions, from the first towards the second.

        Raises:
            RuntimeError: not two different dims.
        """
    def round(self, *, decimals: builtins.int = 0) -> Tensor:
        """The nearest multiple of 10^−decimals, ties to even; integers stay as they are.

        Raises:
            RuntimeError: a bool tensor.
        """
    def round_(self, *, decimals: builtins.int = 0) -> Self:
        """In-place version of `round`."""
    def rsqrt(self) -> Tensor:
        """1/√x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def rsqrt_(self) -> Self:
        """In-place version of `rsqrt`."""
    def rsub(self, other: Operand, *, alpha: Scalar = 1) -> Tensor:
        """other − alpha·input, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: see `sub`.
        """
    def scatter(
        self,
        dim: builtins.int,
        index: Tensor,
        src: Tensor | Scalar | None = None,
        *,
        value: Scalar | None = None,
        reduce: str | None = None,
    ) -> Tensor:
        """``input`` with src[…, i, …] written to position index[…, i, …] of dimension ``dim``.

        Args:
            index: int64 or int32, no larger than ``src``, nor than ``input`` except along ``dim``.
            src: a tensor, or one number (also as ``value``).
            reduce: None, ``"add"`` or ``"multiply"``, to combine with what is there.

        Raises:
            RuntimeError: dtypes that differ, shapes that do not fit; at run time, an index out of range.
        """
    def scatter_(
        self,
        dim: builtins.int,
        index: Tensor,
        src: Tensor | Scalar | None = None,
        *,
        value: Scalar | None = None,
        reduce: str | None = None,
    ) -> Self:
        """In-place version of `scatter`."""
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """``input`` with src[…, i, …] added at position index[…, i, …] of dimension ``dim``.

        Raises:
            RuntimeError: as `scatter`.
        """
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Self:
        """In-place version of `scatter_add`."""
    def scatter_reduce(
        self, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = True
    ) -> Tensor:
        """``input`` with, at each position that ``index`` names, the reduction of all ``src`` elements sent there.

        Args:
            reduce: ``"sum"``, ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
            include_self: whether what ``input`` holds there takes part.

        Raises:
            RuntimeError: as `scatter`; another ``reduce``.
        """
    def scatter_reduce_(
        self, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = True
    ) -> Self:
        """In-place version of `scatter_reduce`."""
    def searchsorted(
        self,
        input: Operand,
        *,
        out_int32: builtins.bool = False,
        right: builtins.bool = False,
        side: str | None = None,
        sorter: Tensor | None = None,
    ) -> Tensor:
        """Where to insert values into a sorted sequence so that it stays sorted.

        Args:
            sorted_sequence: ascending along its last dimension; 1-dim, or with the leading dimensions of ``input``.
            input: values, a tensor or a number.
            out_int32: give int32 instead of int64.
            right: insert behind equal elements rather than before them.
            side: "left" or "right", the same choice in words.
            sorter: indices that sort ``sorted_sequence``, where it is not sorted itself.

        Raises:
            RuntimeError: leading dimensions that differ; a ``side`` that is neither, or contradicts ``right``.
        """
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """A view of one element of dimension ``dim``, without that dimension.

        Raises:
            IndexError: out of range, or a 0-dim tensor.
        """
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """``input`` with one element of dimension ``dim`` replaced by ``src``.

        Raises:
            RuntimeError: ``src`` has another shape. IndexError: out of range.
        """
    def set_(
        self,
        source: Tensor | UntypedStorage | TypedStorage | None = None,
        storage_offset: builtins.int = 0,
        size: Sequence[builtins.int] | None = None,
        stride: Sequence[builtins.int] | None = None,
    ) -> Self:
        """Share ``source``'s memory from now on; without a source, hold no elements.

        Args:
            source: of the same dtype and device; or a storage.
            storage_offset, size, stride: which elements of its memory; by default those that ``source`` names.

        Raises:
            RuntimeError: another dtype or device; elements outside the memory.
        """
    def sgn(self) -> Tensor:
        """x/|x|, and 0 where x is 0; `sign` for real dtypes."""
    def sgn_(self) -> Self:
        """In-place version of `sgn`."""
    def share_memory_(self) -> Self:
        """Move the values to memory that processes forked later share with this one, for reading and for in-place writes;
        returns the tensor. Memory of a device other than the CPU stays where it is.
        """
    def short(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor as int16; itself if it is."""
    def sigmoid(self) -> Tensor:
        """1/(1 + e⁻ˣ), elementwise. Integer and bool tensors are converted to the default float dtype."""
    def sigmoid_(self) -> Self:
        """In-place version of `sigmoid`."""
    def sign(self) -> Tensor:
        """−1, 0 or 1, elementwise; 0 for NaN."""
    def sign_(self) -> Self:
        """In-place version of `sign`."""
    def signbit(self) -> Tensor:
        """Where the sign bit is set, as bool: below 0, at −0 and at a negative NaN."""
    def sin(self) -> Tensor:
        """sin x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def sin_(self) -> Self:
        """In-place version of `sin`."""
    def sinc(self) -> Tensor:
        """sin(πx) / (πx), 1 at 0, elementwise. Integers are converted to the default float dtype."""
    def sinc_(self) -> Self:
        """In-place version of `sinc`."""
    def sinh(self) -> Tensor:
        """sinh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def sinh_(self) -> Self:
        """In-place version of `sinh`."""
    @overload
    def size(self, dim: None = None) -> Size:
        """The shape, or the size of one dimension, by either name.

        Raises:
            IndexError: ``dim`` is out of range.
        """
    @overload
    def size(self, dim: builtins.int) -> builtins.int: ...
    @overload
    def size(self, *, axis: builtins.int) -> builtins.int: ...
    def slice_scatter(
        self,
        src: Tensor,
        dim: builtins.int = 0,
        start: builtins.int | None = None,
        end: builtins.int | None = None,
        step: builtins.int = 1,
    ) -> Tensor:
        """``input`` with the elements start:end:step of dimension ``dim`` replaced by ``src``.

        Raises:
            RuntimeError: ``src`` has another shape, or the step is not positive. IndexError: ``dim`` out of range.
        """
    def slogdet(self) -> return_types.slogdet:
        """Sign and logarithm of the determinant; see `lazygrad.linalg.slogdet`."""
    def softmax(self, dim: builtins.int, dtype: DType | None = None) -> Tensor:
        """eˣ / Σ eˣ along ``dim``.

        Args:
            input: any shape, floating.
            dim: the dimension that sums to 1.
            dtype: cast the input to this dtype first; the result has it.

        Raises:
            IndexError: ``dim`` out of range.
            NotImplementedError: integers or bools without ``dtype``.
        """
    def sort(
        self, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: builtins.bool | None = None
    ) -> return_types.sort:
        """The elements in order along ``dim``, as a named pair (values, indices).

        Args:
            input: any shape and dtype.
            dim: the dimension to sort along.
            descending: largest first.
            stable: equal elements keep their order; they do in any case.

        Raises:
            IndexError: ``dim`` out of range.
        """
    def sparse_mask(self, mask: SparseTensor) -> SparseTensor:
        """The elements of ``input`` at the places of ``mask``.

        Raises:
            RuntimeError: shapes that differ, or a mask that is not sparse.
        """
    def split(
        self, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0
    ) -> tuple[Tensor, ...]:
        """Views of consecutive pieces of one dimension.

        Args:
            split_size_or_sections: the size of every piece, of which the last may be smaller; or the sizes one by one.

        Raises:
            RuntimeError: a size is negative, or the sizes do not add up to the dimension's.
        """
    def split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """`split` into pieces of the given sizes."""
    def sqrt(self) -> Tensor:
        """√x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def sqrt_(self) -> Self:
        """In-place version of `sqrt`."""
    def square(self) -> Tensor:
        """x², elementwise; bool becomes int64."""
    def square_(self) -> Self:
        """In-place version of `square`."""
    def squeeze(self, dim: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """A view without dimensions of size 1: all of them, or those among ``dim``."""
    def squeeze_(self, dim: builtins.int | Sequence[builtins.int] | None = None) -> Self:
        """In-place version of `squeeze`. RuntimeError for a leaf that requires gradients."""
    def std(
        self,
        dim: Dim = None,
        unbiased: builtins.bool | None = None,
        keepdim: builtins.bool = False,
        *,
        correction: Scalar | None = None,
    ) -> Tensor:
        """The square root of `var`, with gradient 0 where it is 0.

        Raises:
            RuntimeError: integers or bools.
            IndexError: a dimension out of range.
            TypeError: both ``unbiased`` and ``correction``.
        """
    def std_mean(
        self,
        dim: Dim = None,
        unbiased: builtins.bool | None = None,
        keepdim: builtins.bool = False,
        *,
        correction: Scalar | None = None,
    ) -> tuple[Tensor, Tensor]:
        """`std` and `mean` over ``dim``."""
    def stft(
        self,
        n_fft: builtins.int,
        hop_length: builtins.int | None = None,
        win_length: builtins.int | None = None,
        window: Tensor | None = None,
        center: builtins.bool = True,
        pad_mode: str = "reflect",
        normalized: builtins.bool = False,
        onesided: builtins.bool | None = None,
        return_complex: builtins.bool | None = None,
        align_to_window: builtins.bool | None = None,
    ) -> Tensor:
        """The Fourier transform of overlapping windowed pieces.

        Args:
            input: (length,) or (batch, length), floating or complex.
            n_fft: samples per piece.
            hop_length: from one piece to the next; by default ``n_fft // 4``.
            win_length: how many samples the window covers, in the middle of a piece; by default all.
            window: (win_length,); by default ones.
            center: the signal is padded, so that the pieces are centered at the multiples of ``hop_length``.
            pad_mode: how, as in `nn.functional.pad`.
            normalized: divide by √n_fft.
            onesided: leave out the frequencies that are conjugates of others; default unless something is complex.
            return_complex: False, for real inputs only, gives pairs of real numbers along a last dimension.
            align_to_window: not supported.

        Returns:
            (frequencies, pieces) or (batch, frequencies, pieces).

        Raises:
            RuntimeError: sizes that do not fit; a real input without ``return_complex``; ``onesided`` of complex input.
            NotImplementedError: an unknown ``pad_mode``; ``align_to_window``.
        """
    def storage(self) -> TypedStorage:
        """The memory this tensor and its views share, as elements of its dtype."""
    def storage_offset(self) -> builtins.int:
        """Where the first element lies in the storage, counted in elements."""
    def storage_type(self) -> builtins.type[TypedStorage]:
        """The class of storages of this dtype, such as `FloatStorage`; some dtypes have none of their own."""
    @overload
    def stride(self, dim: None = None) -> tuple[builtins.int, ...]:
        """How many elements of memory lie between neighbours, per dimension or along one, by either name.

        Raises:
            IndexError: ``dim`` is out of range.
        """
    @overload
    def stride(self, dim: builtins.int) -> builtins.int: ...
    @overload
    def stride(self, *, axis: builtins.int) -> builtins.int: ...
    def sub(self, other: Operand, *old: Any, alpha: Scalar = 1) -> Tensor:
        """input − alpha·other, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: a bool operand; ``alpha`` does not fit the promoted dtype.
        """
    def sub_(self, other: Operand, *old: Any, alpha: Scalar = 1) -> Self:
        """In-place version of `sub`."""
    def subtract(self, other: Operand, *old: Any, alpha: Scalar = 1) -> Tensor:
        """input − alpha·other, broadcast, in the promoted dtype.

        Raises:
            RuntimeError: a bool operand; ``alpha`` does not fit the promoted dtype.
        """
    def subtract_(self, other: Operand, *old: Any, alpha: Scalar = 1) -> Self:
        """In-place version of `sub`."""
    def sum(self, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The sum over ``dim``.

        Args:
            input: any shape and dtype; integers and bools are summed in int64, 16-bit floats in float32.
            dim: None or an empty tuple for all dimensions.
            keepdim: keep reduced dimensions with size 1.
            dtype: cast to this dtype before summing.

        Raises:
            IndexError: a dimension out of range.
            RuntimeError: a dimension given twice.
        """
    def sum_to_size(self, *given: Sizes, size: Sequence[builtins.int] | None = None) -> Tensor:
        """The sum over the dimensions along which a tensor of another size would have been expanded to this shape.

        Raises:
            RuntimeError: the size does not expand to the input's shape.
            TypeError: the size both by position and by keyword.
        """
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True) -> return_types.svd:
        """(U, S, V) with input = U·diag(S)·Vᴴ; see `lazygrad.linalg.svd`, which returns Vᴴ.

        Args:
            some: False for square U and V.
            compute_uv: False for S alone: U and V, square, are zeros.
        """
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Another name of `transpose`."""
    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Self:
        """In-place version of `swapaxes`. RuntimeError for a leaf that requires gradients."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Another name of `transpose`."""
    def swapdims_(self, dim0: builtins.int, dim1: builtins.int) -> Self:
        """In-place version of `swapdims`. RuntimeError for a leaf that requires gradients."""
    def t(self) -> Tensor:
        """The transpose of a matrix; vectors and numbers stay as they are.

        Raises:
            RuntimeError: more than two dimensions.
        """
    def t_(self) -> Self:
        """In-place version of `t`. RuntimeError for a leaf that requires gradients."""
    def take(self, index: Tensor) -> Tensor:
        """The elements of the flattened tensor at ``index``, in its shape; negative ones count from the end.

        Raises:
            RuntimeError: an index that is not int64 or int32. IndexError: at run time, one out of range.
        """
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
        """`gather`, after broadcasting the other dimensions; without ``dim``, of the flattened tensors.

        Negative indices count from the end.

        Raises:
            RuntimeError: as `gather`; tensors of different rank, or whose other dimensions do not broadcast.
        """
    def tan(self) -> Tensor:
        """tan x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def tan_(self) -> Self:
        """In-place version of `tan`."""
    def tanh(self) -> Tensor:
        """tanh x, elementwise. Integer and bool tensors are converted to the default float dtype."""
    def tanh_(self) -> Self:
        """In-place version of `tanh`."""
    def tensor_split(
        self, indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor, dim: builtins.int = 0
    ) -> tuple[Tensor, ...]:
        """Views of pieces of one dimension.

        Args:
            indices_or_sections: how many pieces, whose sizes then differ by at most 1; or where to cut. A tensor is read.

        Raises:
            RuntimeError: not a positive number of pieces.
        """
    def tile(self, *given: Sizes, dims: Sequence[builtins.int] | None = None) -> Tensor:
        """`repeat`, where missing counts of leading dimensions are 1."""
    @overload
    def to(
        self,
        dtype: DTypeLike,
        non_blocking: builtins.bool = False,
        copy: builtins.bool = False,
        *,
        memory_format: MemoryFormat | None = None,
    ) -> Tensor:
        """The tensor with another dtype or on another device; itself where nothing changes.

        Called as ``to(dtype)``, ``to(device, dtype)`` with either left out, or ``to(other)`` for another tensor's dtype
        and device; each also takes ``non_blocking``, which lets an accelerator copy from pinned memory while the program
        goes on (elsewhere nothing waits for a copy anyway), ``copy``, which makes a copy in any case, and
        ``memory_format``, the order of the result's dimensions in memory.

        Raises:
            TypeError: arguments that fit none of the forms.
            RuntimeError: a device that is not available, or values asked of the null device.
        """
    @overload
    def to(
        self,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
        non_blocking: builtins.bool = False,
        copy: builtins.bool = False,
        *,
        memory_format: MemoryFormat | None = None,
    ) -> Tensor: ...
    @overload
    def to(
        self,
        other: Tensor,
        non_blocking: builtins.bool = False,
        copy: builtins.bool = False,
        *,
        memory_format: MemoryFormat | None = None,
    ) -> Tensor: ...
    def to_dense(self, dtype: Any = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """The tensor itself, which is dense already, or cast to ``dtype``."""
    def to_device(self, device: Any, /, *, stream: Any = None) -> Tensor:
        """The array API's name of ``to(device)``."""
    def to_sparse(self, sparse_dim: builtins.int | None = None, *, layout: Layout | None = None) -> SparseTensor:
        """The elements that are not zero, by coordinates; computes ``input``.

        Args:
            input: a tensor with memory.
            sparse_dim: how many dimensions are named by coordinates, all by default; the others belong to the values.
            layout: `sparse_coo`.

        Raises:
            RuntimeError: a number of dimensions the tensor has not.
            NotImplementedError: another layout.
        """
    def tolist(self) -> Any:
        """The value as nested lists of Python numbers; a number for a 0-dim tensor."""
    def topk(
        self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True
    ) -> return_types.topk:
        """The ``k`` largest elements along ``dim``, largest first, as a named pair (values, indices).

        Args:
            input: any shape, not bool.
            k: how many, at most the size of ``dim``.
            dim: the dimension to choose along.
            largest: False for the smallest, smallest first.
            sorted: accepted; the result is sorted in any case.

        Raises:
            RuntimeError: ``k`` out of range; a bool tensor.
            IndexError: ``dim`` out of range.
        """
    def trace(self) -> Tensor:
        """The sum of a matrix's diagonal, 0-dim.

        Raises:
            RuntimeError: not a matrix.
        """
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dimensions swapped.

        Raises:
            IndexError: a dim is out of range.
        """
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Self:
        """In-place version of `transpose`. RuntimeError for a leaf that requires gradients."""
    def triangular_solve(
        self,
        A: Tensor,
        upper: builtins.bool = True,
        transpose: builtins.bool = False,
        unitriangular: builtins.bool = False,
    ) -> return_types.triangular_solve:
        """(solution, cloned_coefficient): X with A·X = input, or Aᵀ·X = input, and a copy of A.

        `lazygrad.linalg.solve_triangular` takes its place.

        Args:
            input: shape (…, n, k).
            A: triangular, shape (…, n, n), of the same dtype.

        Raises:
            RuntimeError: shapes or dtypes that do not fit. NotImplementedError: integers or 16-bit floats.
        """
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """The lower triangle of the last two dimensions, zeros above ``diagonal``.

        Raises:
            RuntimeError: fewer than two dimensions.
        """
    def tril_(self, diagonal: builtins.int = 0) -> Self:
        """In-place version of `tril`."""
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """The upper triangle of the last two dimensions, zeros below ``diagonal``.

        Raises:
            RuntimeError: fewer than two dimensions.
        """
    def triu_(self, diagonal: builtins.int = 0) -> Self:
        """In-place version of `triu`."""
    def true_divide(self, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
        """input / other, broadcast.

        Args:
            input, other: tensors or numbers.
            rounding_mode: None for true division (integers give floats), ``"trunc"`` or ``"floor"``.

        Raises:
            RuntimeError: another rounding mode; integers divided by 0 with rounding.
            OverflowError: an integer of more than 64 bits.
        """
    def true_divide_(self, other: Operand, *, rounding_mode: str | None = None) -> Self:
        """In-place version of `div`."""
    def trunc(self) -> Tensor:
        """x rounded towards zero, elementwise; integers stay as they are."""
    def trunc_(self) -> Self:
        """In-place version of `trunc`."""
    @overload
    def type(self) -> str:
        """The name of the tensor's type, such as ``'lazygrad.FloatTensor'``; with ``dtype``, the tensor cast to it.

        Args:
            input: any tensor.
            dtype: a dtype, a type such as `FloatTensor`, or its name.
            non_blocking: accepted; there is nothing to wait for.

        Raises:
            ValueError: the name of an unknown type.
        """
    @overload
    def type(self, dtype: DTypeLike | str, non_blocking: builtins.bool = False) -> Tensor: ...
    def type_as(self, other: Tensor) -> Tensor:
        """The tensor with ``other``'s dtype and device."""
    def unbind(self, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Views of all elements of dimension ``dim``, each without that dimension.

        Raises:
            IndexError: ``dim`` is out of range, or a 0-dim tensor.
        """
    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """One dimension as several of the given sizes, of which one may be -1. A view.

        Raises:
            RuntimeError: the sizes do not multiply to the dimension's.
        """
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """A view of all windows of ``size`` neighbours along a dimension, every ``step``-th one, as a new last dimension.

        Raises:
            RuntimeError: the window is larger than the dimension, negative, or the step is not positive.
        """
    def uniform_(
        self, from_: builtins.float = 0, to: builtins.float = 1, *, generator: Generator | None = None
    ) -> Self:
        """Fill with uniform numbers from [from_, to); of complex numbers, both parts.

        Raises:
            NotImplementedError: not a floating dtype.
            RuntimeError: bounds in the wrong order or outside the dtype's range.
        """
    @overload
    def unique(
        self,
        sorted: builtins.bool = True,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: builtins.int | None = None,
    ) -> Tensor:
        """The distinct elements, or the distinct slices along ``dim``, in ascending order. Computes ``input`` now.

        Args:
            input: any shape and dtype; gradients do not flow through.
            sorted: accepted; the result is sorted in any case.
            return_inverse: also return, for every element or slice, its int64 position in the result.
            return_counts: also return how often each occurs, int64.
            dim: None for the distinct elements of the whole tensor.

        Returns:
            The distinct ones, or a tuple of them with the inverse and the counts that were asked for.

        Raises:
            IndexError: ``dim`` out of range.
            RuntimeError: slices along ``dim`` that have no elements.
        """
    @overload
    def unique(
        self,
        sorted: builtins.bool = True,
        return_inverse: builtins.bool = False,
        return_counts: builtins.bool = False,
        dim: builtins.int | None = None,
    ) -> Any: ...
    @overload
    def unique_consecutive(
        self,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: builtins.int | None = None,
    ) -> Tensor:
        """The elements, or the slices along ``dim``, without those that equal the one before. Computes ``input`` now.

        Args and what is returned: see `unique`.
        """
    @overload
    def unique_consecutive(
        self,
        return_inverse: builtins.bool = False,
        return_counts: builtins.bool = False,
        dim: builtins.int | None = None,
    ) -> Any: ...
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Copies of what `chunk` gives."""
    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Copies of what `split` gives."""
    def unsafe_split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Copies of what `split_with_sizes` gives."""
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """A view with a new dimension of size 1 at ``dim``."""
    def unsqueeze_(self, dim: builtins.int) -> Self:
        """In-place version of `unsqueeze`. RuntimeError for a leaf that requires gradients."""
    def untyped_storage(self) -> UntypedStorage:
        """The memory this tensor and its views share, as bytes."""
    def var(
        self,
        dim: Dim = None,
        unbiased: builtins.bool | None = None,
        keepdim: builtins.bool = False,
        *,
        correction: Scalar | None = None,
    ) -> Tensor:
        """Σ (x - mean)² / max(0, count - correction) over ``dim``, all dimensions when None.

        Args:
            input: floating dtype; 16-bit floats are computed in float32.
            dim: dimensions to reduce.
            unbiased: False for ``correction=0``, True for ``correction=1``.
            keepdim: keep reduced dimensions with size 1.
            correction: default 1.

        Raises:
            RuntimeError: integers or bools.
            IndexError: a dimension out of range.
            TypeError: both ``unbiased`` and ``correction``.
        """
    def var_mean(
        self,
        dim: Dim = None,
        unbiased: builtins.bool | None = None,
        keepdim: builtins.bool = False,
        *,
        correction: Scalar | None = None,
    ) -> tuple[Tensor, Tensor]:
        """`var` and `mean` over ``dim``."""
    def vdot(self, other: Tensor) -> Tensor:
        """Σ conj(input)·other of two vectors, 0-dim.

        Raises:
            RuntimeError: not vectors, different lengths or dtypes.
        """
    def view(
        self, *given: Sizes | DType, size: Sequence[builtins.int] | None = None, dtype: DType | None = None
    ) -> Tensor:
        """The same memory under another shape, of which one size may be -1; or, given a dtype, as that dtype.

        As a dtype of another size, the last dimension shrinks or grows accordingly. Such a view carries no gradient.

        Raises:
            RuntimeError: the sizes do not fit, or the elements lie so in memory that no strides can express it.
            TypeError: both sizes and a dtype.
        """
    def view_as(self, other: Tensor) -> Tensor:
        """`view` with ``other``'s shape."""
    def vsplit(
        self,
        *indices_or_sections: Cuts,
        sections: builtins.int | None = None,
        indices: Sequence[builtins.int] | None = None,
    ) -> tuple[Tensor, ...]:
        """Views of pieces below one another: of the first dimension of at least two; see `hsplit`."""
    def where(self, condition: Tensor, other: Operand) -> Tensor:
        """``self`` where the condition holds, ``other`` elsewhere."""
    def xlogy(self, other: Operand) -> Tensor:
        """input · ln(other), broadcast; 0 where ``input`` is 0, unless ``other`` is NaN. Integers are taken as floats."""
    def xlogy_(self, other: Operand) -> Self:
        """In-place version of `xlogy`."""
    def zero_(self) -> Self:
        """Set every element to zero."""
