"""Small modules that networks of images are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad import nn
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.public import ones, permute, zeros
from lazygrad.tensor import Tensor

Layer = Callable[..., nn.Module]
Sizes = int | Sequence[int]


class FrozenBatchNorm2d(nn.Module):
    """A batch norm whose statistics and parameters are constants.

    Args:
        num_features: channels of the input [batch, channels, height, width].
        eps: added to the variance.
    """

    weight: Tensor
    bias: Tensor
    running_mean: Tensor
    running_var: Tensor

    def __init__(self, num_features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", ones(num_features))
        self.register_buffer("bias", zeros(num_features))
        self.register_buffer("running_mean", zeros(num_features))
        self.register_buffer("running_var", ones(num_features))

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        state_dict.pop(f"{prefix}num_batches_tracked", None)  # that of a batch norm which was trained
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def forward(self, x: Tensor) -> Tensor:
        scale = self.weight * (self.running_var + self.eps).rsqrt()
        shift = self.bias - self.running_mean * scale
        return x * scale.reshape(1, -1, 1, 1) + shift.reshape(1, -1, 1, 1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.weight.shape[0]}, eps={self.eps})"


class ConvNormActivation(nn.Sequential):
    """A convolution, then a normalization, then an activation.

    Args:
        in_channels, out_channels, kernel_size, stride, groups, dilation: of the convolution.
        padding: of the convolution; None keeps the size where the stride is one.
        norm_layer: called with the channels; None for no normalization.
        activation_layer: called with ``inplace``; None for no activation.
        inplace: whether the activation overwrites its input; None does not pass it on.
        bias: of the convolution; None for one where there is no normalization.
        conv_layer: which convolution.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes = 3,
        stride: Sizes = 1,
        padding: Sizes | str | None = None,
        groups: int = 1,
        norm_layer: Layer | None = nn.BatchNorm2d,
        activation_layer: Layer | None = nn.ReLU,
        dilation: Sizes = 1,
        inplace: bool | None = True,
        bias: bool | None = None,
        conv_layer: Layer = nn.Conv2d,
    ) -> None:
        layers = [
            conv_layer(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                _same_padding(kernel_size, dilation) if padding is None else padding,
                dilation=dilation,
                groups=groups,
                bias=norm_layer is None if bias is None else bias,
            )
        ]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer(**_inplace(inplace)))
        super().__init__(*layers)
        self.out_channels = out_channels
        if type(self) is ConvNormActivation:
            warn_user(
                "Don't use ConvNormActivation directly, please use Conv2dNormActivation and Conv3dNormActivation "
                "instead.",
            )


def _same_padding(kernel_size: Sizes, dilation: Sizes) -> int | tuple[int, ...]:
    """What keeps the size of a convolution of stride one."""
    if isinstance(kernel_size, int) and isinstance(dilation, int):
        return (kernel_size - 1) // 2 * dilation
    rank = len(kernel_size) if not isinstance(kernel_size, int) else len(dilation)  # type: ignore[arg-type]
    kernels = [kernel_size] * rank if isinstance(kernel_size, int) else kernel_size
    dilations = [dilation] * rank if isinstance(dilation, int) else dilation
    return tuple((size - 1) // 2 * step for size, step in zip(kernels, dilations, strict=True))


def _inplace(inplace: bool | None) -> dict[str, bool]:
    return {} if inplace is None else {"inplace": inplace}


class Conv2dNormActivation(ConvNormActivation):
    """`ConvNormActivation` of images [batch, channels, height, width]."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes = 3,
        stride: Sizes = 1,
        padding: Sizes | str | None = None,
        groups: int = 1,
        norm_layer: Layer | None = nn.BatchNorm2d,
        activation_layer: Layer | None = nn.ReLU,
        dilation: Sizes = 1,
        inplace: bool | None = True,
        bias: bool | None = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, groups, norm_layer, activation_layer, dilation,
            inplace, bias, nn.Conv2d,
        )  # fmt: skip


class Conv3dNormActivation(ConvNormActivation):
    """`ConvNormActivation` of videos [batch, channels, frames, height, width]."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes = 3,
        stride: Sizes = 1,
        padding: Sizes | str | None = None,
        groups: int = 1,
        norm_layer: Layer | None = nn.BatchNorm3d,
        activation_layer: Layer | None = nn.ReLU,
        dilation: Sizes = 1,
        inplace: bool | None = True,
        bias: bool | None = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, groups, norm_layer, activation_layer, dilation,
            inplace, bias, nn.Conv3d,
        )  # fmt: skip


class SqueezeExcitation(nn.Module):
    """Scales channels by what two layers make of their means: Hu et al., arXiv:1709.01507, figure 1."""

    def __init__(
        self,
        input_channels: int,
        squeeze_channels: int,
        activation: Layer = nn.ReLU,
        scale_activation: Layer = nn.Sigmoid,
    ) -> None:
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2d(squeeze_channels, input_channels, 1)
        self.activation = activation()
        self.scale_activation = scale_activation()

    def forward(self, input: Tensor) -> Tensor:
        squeezed: Tensor = self.activation(self.fc1(self.avgpool(input)))
        scale: Tensor = self.scale_activation(self.fc2(squeezed))
        return scale * input


class MLP(nn.Sequential):
    """Linear layers, each but the last followed by normalization and activation, and all by dropout.

    Args:
        in_channels: size of the last dimension of the input.
        hidden_channels: that of each layer's result.
        norm_layer: called with the channels; None for no normalization.
        activation_layer: called with ``inplace``.
        inplace: whether activations and dropouts overwrite their input; None does not pass it on.
        bias: of the linear layers.
        dropout: its probability.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: Sequence[int],
        norm_layer: Layer | None = None,
        activation_layer: Layer = nn.ReLU,
        inplace: bool | None = None,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        options: dict[str, Any] = _inplace(inplace)
        layers: list[nn.Module] = []
        for position, channels in enumerate(hidden_channels):
            layers.append(nn.Linear(in_channels, channels, bias=bias))
            if position < len(hidden_channels) - 1:
                layers += [] if norm_layer is None else [norm_layer(channels)]
                layers.append(activation_layer(**options))
            layers.append(nn.Dropout(dropout, **options))
            in_channels = channels
        super().__init__(*layers)


class Permute(nn.Module):
    """``permute`` as a module."""

    def __init__(self, dims: Sequence[int]) -> None:
        super().__init__()
        self.dims = dims

    def forward(self, x: Tensor) -> Tensor:
        return permute(x, self.dims)
