"""Transforms from images to tensors and back, and of their numbers."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import DType
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor
from lazygrad.vision.transforms import functional as F

__all__ = ["ConvertImageDtype", "LinearTransformation", "Normalize", "PILToTensor", "ToPILImage", "ToTensor"]


class ToTensor:
    """A Pillow image or an array as a tensor [channels, height, width] of floats; see `functional.to_tensor`."""

    def __call__(self, pic: Any) -> Tensor:
        return F.to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class PILToTensor:
    """A Pillow image as a tensor [channels, height, width] of the same numbers."""

    def __call__(self, pic: Any) -> Tensor:
        return F.pil_to_tensor(pic)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ToPILImage:
    """A tensor or an array as a Pillow image; see `functional.to_pil_image`."""

    def __init__(self, mode: str | None = None) -> None:
        self.mode = mode

    def __call__(self, pic: Any) -> Any:
        return F.to_pil_image(pic, self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.mode is None else f'mode={self.mode}'})"


class ConvertImageDtype(Module):
    """A tensor image in numbers of another dtype, white staying white."""

    def __init__(self, dtype: DType) -> None:
        super().__init__()
        self.dtype = dtype

    def forward(self, image: Tensor) -> Tensor:
        return F.convert_image_dtype(image, self.dtype)


class Normalize(Module):
    """``(tensor - mean) / std``, channel by channel."""

    def __init__(self, mean: Any, std: Any, inplace: bool = False) -> None:
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor: Tensor) -> Tensor:
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mean={self.mean}, std={self.std})"


class LinearTransformation(Module):
    """``(flattened tensor - mean_vector) @ transformation_matrix``, in the tensor's shape: whitening, for example.

    Raises:
        ValueError: a matrix that is not square, or a vector of another length or dtype; later an image of another size.
    """

    def __init__(self, transformation_matrix: Tensor, mean_vector: Tensor) -> None:
        super().__init__()
        rows, columns = transformation_matrix.shape
        if rows != columns:
            raise ValueError(f"transformation_matrix should be square. Got {(rows, columns)} rectangular matrix.")
        if mean_vector.shape[0] != rows:
            raise ValueError(f"mean_vector should have the length {rows} of the matrix, not {mean_vector.shape[0]}")
        if transformation_matrix.dtype is not mean_vector.dtype:
            raise ValueError(
                f"Input tensors should have the same dtype. Got {transformation_matrix.dtype} and {mean_vector.dtype}"
            )
        self.transformation_matrix = transformation_matrix
        self.mean_vector = mean_vector

    def forward(self, tensor: Tensor) -> Tensor:
        elements = tensor.shape[-3] * tensor.shape[-2] * tensor.shape[-1]
        if elements != self.transformation_matrix.shape[0]:
            raise ValueError(
                "Input tensor and transformation matrix have incompatible shape."
                f"{list(tensor.shape[-3:])} != {self.transformation_matrix.shape[0]}"
            )
        flat = tensor.reshape(-1, elements) - self.mean_vector
        return (flat @ self.transformation_matrix.to(flat.dtype)).reshape(tensor.shape)

    def __repr__(self) -> str:
        matrix, mean = self.transformation_matrix.tolist(), self.mean_vector.tolist()
        return f"{type(self).__name__}(transformation_matrix={matrix}, mean_vector={mean})"
