"""Messages of errors about layers, state dicts, optimizers and loaders; see `quoted`."""

from __future__ import annotations

from typing import Any

from .quoted import Quoted


def _load(t: Any, state: dict[str, Any]) -> None:
    t.nn.Linear(2, 3).load_state_dict(state)


def _train_one_value(t: Any) -> None:
    t.nn.BatchNorm1d(4)(t.ones(1, 4))


def _no_forward(t: Any) -> None:
    class Empty(t.nn.Module):
        pass

    Empty()(1)


def _module_without_init(t: Any) -> None:
    class Eager(t.nn.Module):
        def __init__(self) -> None:
            self.layer = t.nn.Linear(1, 1)

    Eager()


def _parameter_from_number(t: Any) -> None:
    layer = t.nn.Linear(1, 1)
    layer.weight = 3.0


def _parameter_without_init(t: Any) -> None:
    class Eager(t.nn.Module):
        def __init__(self) -> None:
            self.weight = t.nn.Parameter(t.ones(1))

    Eager()


def _module_attribute(t: Any) -> None:
    t.nn.Linear(1, 1).nothing  # noqa: B018


def _loader_of_ragged_samples(t: Any) -> None:
    next(iter(t.utils.data.DataLoader([t.ones(2), t.ones(3)], batch_size=2)))


def _loader_of_none(t: Any) -> None:
    next(iter(t.utils.data.DataLoader([None, None], batch_size=2)))


def _scheduler_before_parameters(t: Any) -> None:
    t.optim.SGD([], lr=0.1)


def _clip_infinite(t: Any) -> None:
    x = t.ones(1, requires_grad=True)
    x.grad = t.tensor([float("inf")])
    t.nn.utils.clip_grad_norm_([x], 1.0, error_if_nonfinite=True)


LAYERS = [
    Quoted(
        "one value per channel",
        _train_one_value,
        "Expected more than 1 value per channel when training, got input size torch.Size([1, 4])",
    ),
    Quoted(
        "channels",
        lambda t: t.nn.Conv2d(3, 8, 3)(t.ones(1, 1, 8, 8)),
        "Given groups=1, weight of size [8, 3, 3, 3], expected input[1, 1, 8, 8] to have 3 channels, but got 1 "
        "channels instead",
    ),
    Quoted(
        "dims of a convolution",
        lambda t: t.nn.Conv2d(3, 8, 3)(t.ones(8, 8)),
        "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [8, 8]",
    ),
    Quoted(
        "kernel too large",
        lambda t: t.nn.Conv2d(1, 1, 5)(t.ones(1, 1, 3, 3)),
        "Calculated padded input size per channel: (3 x 3). Kernel size: (5 x 5). Kernel size can't be greater than "
        "actual input size",
    ),
    Quoted("pool too large", lambda t: t.nn.MaxPool2d(2)(t.ones(1, 1, 1, 1)), "Output size is too small"),
    Quoted(
        "pool padding",
        lambda t: t.nn.MaxPool2d(2, padding=2)(t.ones(1, 1, 4, 4)),
        "pad should be at most half of effective kernel size",
    ),
    Quoted("batch norm dims", lambda t: t.nn.BatchNorm2d(3)(t.ones(2, 3)), "expected 4D input (got 2D input)"),
    Quoted(
        "batch norm channels",
        lambda t: t.nn.BatchNorm2d(3)(t.ones(2, 4, 2, 2)),
        "running_mean should contain 4 elements not 3",
    ),
    Quoted(
        "layer norm",
        lambda t: t.nn.LayerNorm(3)(t.ones(2, 4)),
        "Given normalized_shape=[3], expected input with shape [*, 3], but got input of size[2, 4]",
    ),
    Quoted("group norm", lambda t: t.nn.GroupNorm(2, 3), "num_channels (3) must be divisible by num_groups (2)"),
    Quoted("in_channels", lambda t: t.nn.Conv2d(3, 4, 1, groups=2), "in_channels must be divisible by groups"),
    Quoted("out_channels", lambda t: t.nn.Conv2d(4, 3, 1, groups=2), "out_channels must be divisible by groups"),
    Quoted(
        "cross entropy batch",
        lambda t: t.nn.functional.cross_entropy(t.ones(2, 3), t.zeros(4, dtype=t.int64)),
        "Expected input batch_size (2) to match target batch_size (4).",
    ),
    Quoted(
        "cross entropy class",
        lambda t: t.nn.functional.cross_entropy(t.ones(1, 3), t.tensor([3])).item(),
        "Target 3 is out of bounds.",
    ),
    Quoted(
        "bce shape",
        lambda t: t.nn.functional.binary_cross_entropy(t.ones(2), t.ones(2, 1)),
        "Using a target size (torch.Size([2, 1])) that is different to the input size (torch.Size([2])) is deprecated. "
        "Please ensure they have the same size.",
    ),
    Quoted(
        "bce logits shape",
        lambda t: t.nn.functional.binary_cross_entropy_with_logits(t.ones(2), t.ones(2, 1)),
        "Target size (torch.Size([2, 1])) must be the same as input size (torch.Size([2]))",
    ),
    Quoted(
        "reduction",
        lambda t: t.nn.functional.mse_loss(t.ones(2), t.ones(2), reduction="none_"),
        "none_ is not a valid value for reduction",
    ),
    Quoted("dropout", lambda t: t.nn.Dropout(2.0), "dropout probability has to be between 0 and 1, but got 2.0"),
    Quoted("one hot", lambda t: t.nn.functional.one_hot(t.ones(2)), "one_hot is only applicable to index tensor"),
    Quoted(
        "one hot class",
        lambda t: t.nn.functional.one_hot(t.tensor([3]), 2).sum().item(),
        "Class values must be smaller than num_classes.",
    ),
    Quoted(
        "pad by reflection with a value",
        lambda t: t.nn.functional.pad(t.ones(1, 1, 2), (1, 1), "reflect", 0.5),
        'Padding mode "reflect" doesn\'t take in value argument',
    ),
    Quoted(
        "pad",
        lambda t: t.nn.functional.pad(t.ones(1, 1, 2, 2), (3, 3, 3, 3), mode="reflect"),
        "Padding size should be less than the corresponding input dimension",
    ),
    Quoted("unknown activation", lambda t: t.nn.init.calculate_gain("nothing"), "Unsupported nonlinearity nothing"),
    Quoted(
        "fan in",
        lambda t: t.nn.init.xavier_uniform_(t.ones(2)),
        "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
    ),
    Quoted("no forward", _no_forward, 'is missing the required "forward" function'),
    Quoted("no init", _module_without_init, "cannot assign module before Module.__init__() call"),
    Quoted(
        "no init before a parameter", _parameter_without_init, "cannot assign parameters before Module.__init__() call"
    ),
    Quoted(
        "number for a parameter",
        _parameter_from_number,
        "cannot assign 'float' as parameter 'weight' (torch.nn.Parameter or None expected)",
    ),
    Quoted("module attribute", _module_attribute, "'Linear' object has no attribute 'nothing'"),
    Quoted("state dict", lambda t: _load(t, {}), 'Missing key(s) in state_dict: "weight", "bias".'),
    Quoted("state dict's title", lambda t: _load(t, {}), "Error(s) in loading state_dict for Linear:"),
    Quoted(
        "state dict's shape",
        lambda t: _load(t, {"weight": t.ones(3, 4), "bias": t.ones(3)}),
        "size mismatch for weight: copying a param with shape torch.Size([3, 4]) from checkpoint, the shape in current "
        "model is torch.Size([3, 2]).",
    ),
    Quoted(
        "state dict's extra",
        lambda t: _load(t, {"weight": t.ones(3, 2), "bias": t.ones(3), "more": t.ones(1)}),
        'Unexpected key(s) in state_dict: "more".',
    ),
    Quoted("state dict's kind", lambda t: _load(t, 3), "Expected state_dict to be dict-like, got <class 'int'>."),
    Quoted("sequential of a number", lambda t: t.nn.Sequential(3), "int is not a Module subclass"),
    Quoted("sequential index", lambda t: t.nn.Sequential(t.nn.ReLU())[3], "index 3 is out of range"),
    Quoted(
        "repeated name", lambda t: t.nn.Linear(1, 1).add_module("weight", None), "attribute 'weight' already exists"
    ),
    Quoted("dotted name", lambda t: t.nn.Linear(1, 1).register_buffer("a.b", None), "buffer name can"),
    Quoted("no parameters", _scheduler_before_parameters, "optimizer got an empty parameter list"),
    Quoted(
        "not a list of parameters",
        lambda t: t.optim.SGD(t.ones(1, requires_grad=True), lr=0.1),
        "params argument given to the optimizer should be an iterable of Tensors or dicts, but got ",
    ),
    Quoted(
        "result as a parameter",
        lambda t: t.optim.SGD([t.ones(1, requires_grad=True) * 2], lr=0.1),
        "can't optimize a non-leaf Tensor",
    ),
    Quoted(
        "learning rate", lambda t: t.optim.SGD([t.ones(1, requires_grad=True)], lr=-1.0), "Invalid learning rate: -1.0"
    ),
    Quoted(
        "momentum",
        lambda t: t.optim.SGD([t.ones(1, requires_grad=True)], lr=0.1, momentum=-1.0),
        "Invalid momentum value: -1.0",
    ),
    Quoted(
        "betas",
        lambda t: t.optim.Adam([t.ones(1, requires_grad=True)], betas=(1.0, 0.9)),
        "Invalid beta parameter at index 0: 1.0",
    ),
    Quoted(
        "parameter twice",
        lambda t: (lambda p: t.optim.SGD([{"params": [p]}, {"params": [p]}], lr=0.1))(t.ones(1, requires_grad=True)),
        "some parameters appear in more than one parameter group",
    ),
    Quoted(
        "optimizer's state",
        lambda t: t.optim.SGD([t.ones(1, requires_grad=True)], lr=0.1).load_state_dict(
            {"state": {}, "param_groups": []}
        ),
        "loaded state dict has a different number of parameter groups",
    ),
    Quoted(
        "gradient norm",
        lambda t: _clip_infinite(t),
        "The total norm of order 2.0 for gradients from `parameters` is non-finite",
    ),
    Quoted(
        "ragged samples",
        _loader_of_ragged_samples,
        "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
    ),
    Quoted(
        "samples of None",
        _loader_of_none,
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found <class 'NoneType'>",
    ),
    Quoted(
        "batch size",
        lambda t: t.utils.data.DataLoader([1], batch_size=0),
        "batch_size should be a positive integer value, but got batch_size=0",
    ),
    Quoted(
        "sampler and shuffle",
        lambda t: t.utils.data.DataLoader([1], shuffle=True, sampler=[0]),
        "sampler option is mutually exclusive with shuffle",
    ),
    Quoted(
        "sizes of datasets", lambda t: t.utils.data.TensorDataset(t.ones(2), t.ones(3)), "Size mismatch between tensors"
    ),
    Quoted(
        "split lengths",
        lambda t: t.utils.data.random_split([1, 2, 3], [1, 1]),
        "Sum of input lengths does not equal the length of the input dataset!",
    ),
]
