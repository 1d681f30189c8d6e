"""The register of networks, and the files of weights that are published for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from fnmatch import filter as matching
from functools import partial
from inspect import Parameter, Signature, signature
from pathlib import Path
from sys import modules
from types import ModuleType
from typing import Any, Self, TypeVar, get_args

from lazygrad.hub import get_dir
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn.core.module import Module
from lazygrad.saving import load
from lazygrad.vision.models._meta import _IMAGENET_CATEGORIES
from lazygrad.vision.transforms._presets import ImageClassification

M = TypeVar("M", bound=Module)
BUILTIN_MODELS: dict[str, Callable[..., Module]] = {}


@dataclass
class Weights:
    """Weights that are published.

    Attributes:
        url: the name of the file, or the path of one.
        transforms: makes what is done to an image before the network.
        meta: what is known of them, ``categories`` above all.
    """

    url: str
    transforms: Callable[..., Any]
    meta: dict[str, Any]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weights):
            return NotImplemented
        return (self.url, self.meta, _parts(self.transforms)) == (other.url, other.meta, _parts(other.transforms))


def _parts(transforms: Callable[..., Any]) -> Any:
    """Partial functions are equal where their parts are."""
    if isinstance(transforms, partial):
        return transforms.func, transforms.args, transforms.keywords
    return transforms


def imagenet(
    file: str,
    num_params: int,
    crop_size: int = 224,
    min_size: int = 1,
    categories: Any = _IMAGENET_CATEGORIES,
    **preparation: Any,
) -> Weights:
    """Weights for ImageNet's 1,000 classes."""
    meta = {"categories": categories, "num_params": num_params, "min_size": (min_size, min_size)}
    return Weights(file, partial(ImageClassification, crop_size=crop_size, **preparation), meta)


class WeightsEnum(Enum):
    """The weights that are published for one network."""

    @classmethod
    def verify(cls, obj: Any) -> Self | None:
        """A member, which may be given by its name.

        Raises:
            TypeError: neither a member nor a name.
            KeyError: there is no such member.
        """
        if obj is None or isinstance(obj, cls):
            return obj
        if isinstance(obj, str):
            return cls[obj.replace(f"{cls.__name__}.", "")]
        raise TypeError(f"Invalid Weight class provided; expected {cls.__name__} but received {type(obj).__name__}.")

    def get_state_dict(self, *args: Any, **kwargs: Any) -> Mapping[str, Any]:
        """The state dict of the file, which has to be there: `folder_of_weights`, or ``model_dir``, holds it.

        Raises:
            FileNotFoundError: it is not.
        """
        folder = Path(kwargs.get("model_dir") or folder_of_weights())
        path = folder / self.url
        if not path.is_file():
            raise FileNotFoundError(
                f"{self} is not at {path}: lazygrad downloads nothing. Put the file that is published under this name "
                "there, or make the model without weights and give load_state_dict what lazygrad.load makes of a file"
            )
        state: Mapping[str, Any] = load(path, map_location=kwargs.get("map_location"))
        return state

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self._name_}"

    @property
    def url(self) -> str:
        return self.value.url

    @property
    def transforms(self) -> Callable[..., Any]:
        return self.value.transforms

    @property
    def meta(self) -> dict[str, Any]:
        return self.value.meta


def folder_of_weights() -> Path:
    """Where PyTorch keeps files that it has downloaded."""
    return Path(get_dir(), "checkpoints")


def register_model(name: str | None = None) -> Callable[[Callable[..., M]], Callable[..., M]]:
    """A decorator that enters a function under its name, or under another, so that `get_model` finds it.

    Raises:
        ValueError: the name is taken.
    """

    def register(function: Callable[..., M]) -> Callable[..., M]:
        key = name or function.__name__
        known = BUILTIN_MODELS.get(key)
        if known is not None and not _is_left_behind(known):
            raise ValueError(f"An entry is already registered under the name '{key}'.")
        BUILTIN_MODELS[key] = function
        return function

    return register


def _is_left_behind(function: Callable[..., Any]) -> bool:
    """Whether a function is of a module whose loading was interrupted; Python has forgotten it, and loads it again."""
    module = modules.get(function.__module__)
    return module is None or vars(module) is not function.__globals__


def builder(
    name: str,
    weights_class: type[WeightsEnum],
    make: Callable[..., M],
    *arguments: Any,
    defaults: Mapping[str, Any] | None = None,
    demands: Callable[[WeightsEnum], Mapping[str, Any]] | None = None,
    rename: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
    **fixed: Any,
) -> Callable[..., M]:
    """The function that makes one network of a family.

    Args:
        name: of the function.
        weights_class: of the weights that are published for the network.
        make: called with ``arguments``, ``fixed``, and what the function is called with.
        defaults: options that may be given otherwise.
        demands: options that weights want, besides the number of classes.
        rename: makes the keys of a published state dict those of the network.
        fixed: options that may not be given otherwise.
    """

    def construct(weights: WeightsEnum | None, progress: bool, options: dict[str, Any]) -> M:
        for option, value in fixed.items():
            require(options, option, value)
        if weights is not None:
            for option, value in classes_of(weights).items():
                require(options, option, value)
            for option, value in (demands(weights) if demands else {}).items():
                require(options, option, value)
        model = make(*arguments, **{**(defaults or {}), **options})
        if weights is not None:
            model.load_state_dict(rename(weights.get_state_dict(progress=progress)))
        return model

    return published(name, weights_class, construct)


def published(
    name: str,
    weights_class: type[WeightsEnum],
    construct: Callable[[Any, bool, dict[str, Any]], M],
) -> Callable[..., M]:
    """Registers the function ``name(*, weights=None, progress=True, **options)``, which calls ``construct``.

    It takes ``pretrained=True`` too, with a warning, as torchvision's functions do.
    """

    def build(*positional: Any, **options: Any) -> M:
        if positional:
            given = dict(zip(("weights", "progress"), positional, strict=False))
            words = " and ".join(f"'{word}'" for word in given)
            warn_user(
                f"Using {words} as positional parameter(s) is deprecated since 0.13 and may be removed in the future. "
                "Please use keyword parameter(s) instead.",
            )
            options.update(given)
        weights = _chosen(name, weights_class, options)
        return construct(weights, options.pop("progress", True), options)

    keyword = Parameter.KEYWORD_ONLY
    build.__name__ = build.__qualname__ = name
    build.__module__ = weights_class.__module__
    build.__doc__ = f"The network {name}; its weights are drawn, or those of a file of `{weights_class.__name__}`."
    build.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter("weights", keyword, default=None, annotation=weights_class | None),
            Parameter("progress", keyword, default=True, annotation=bool),
            Parameter("kwargs", Parameter.VAR_KEYWORD, annotation=Any),
        ]
    )
    return register_model()(build)


def _chosen(name: str, weights_class: type[WeightsEnum], options: dict[str, Any]) -> WeightsEnum | None:
    """The weights that are asked for, in today's words or by ``pretrained``, which are taken from the options."""
    asked = options.pop("weights", None)
    is_today = asked is None or isinstance(asked, WeightsEnum) or (isinstance(asked, str) and asked != "legacy")
    if "pretrained" not in options and is_today:
        return weights_class.verify(asked)
    if "pretrained" in options:
        asked = options.pop("pretrained")
        warn_user(
            "The parameter 'pretrained' is deprecated since 0.13 and may be removed in the future, please use "
            "'weights' instead.",
        )
    first = weights_class.__members__.get("IMAGENET1K_V1")
    if asked and first is None:
        raise ValueError(f"No weights available for model {name}")
    weights = first if asked else None
    warn_user(
        "Arguments other than a weight enum or `None` for 'weights' are deprecated since 0.13 and may be removed in "
        f"the future. The current behavior is equivalent to passing `weights={weights}`.",
    )
    return weights


def classes_of(weights: WeightsEnum) -> dict[str, Any]:
    """The option that says how many classes there are, where it is known."""
    categories = weights.meta["categories"]
    return {} if categories is None else {"num_classes": len(categories)}


def require(options: dict[str, Any], name: str, value: Any) -> None:
    """Sets an option.

    Raises:
        ValueError: it has another value.
    """
    if options.setdefault(name, value) != value:
        raise ValueError(f"The parameter '{name}' expected value {value} but got {options[name]} instead.")


def list_models(
    module: ModuleType | None = None,
    include: Iterable[str] | str | None = None,
    exclude: Iterable[str] | str | None = None,
) -> list[str]:
    """The names of networks.

    Args:
        module: only those of one package.
        include, exclude: patterns with wildcards.
    """
    every = [
        name
        for name, function in BUILTIN_MODELS.items()
        if module is None or function.__module__.rpartition(".")[0] == module.__name__
    ]
    names = _matching(every, include) if include else set(every)
    return sorted(names - _matching(every, exclude) if exclude else names)


def _matching(names: list[str], patterns: Iterable[str] | str) -> set[str]:
    return {
        name for pattern in ([patterns] if isinstance(patterns, str) else patterns) for name in matching(names, pattern)
    }


def get_model_builder(name: str) -> Callable[..., Module]:
    """The function that makes a network.

    Raises:
        ValueError: there is no such network.
    """
    try:
        return BUILTIN_MODELS[name.lower()]
    except KeyError:
        raise ValueError(f"Unknown model {name.lower()}") from None


def get_model(name: str, **config: Any) -> Module:
    """The network of that name; ``config`` is what its function is called with."""
    return get_model_builder(name)(**config)


def get_model_weights(name: Callable[..., Any] | str) -> type[WeightsEnum]:
    """The weights that are published for a network, which is given by its name or its function.

    Raises:
        ValueError: the function takes no weights, or does not say which.
    """
    function = get_model_builder(name) if isinstance(name, str) else name
    parameter = signature(function).parameters.get("weights")
    if parameter is None:
        raise ValueError("The method is missing the 'weights' argument.")
    for annotation in (parameter.annotation, *get_args(parameter.annotation)):
        if isinstance(annotation, type) and issubclass(annotation, WeightsEnum):
            return annotation
    raise ValueError(
        "The WeightsEnum class for the specific method couldn't be retrieved. Make sure the typing info is correct."
    )


def get_weight(name: str) -> WeightsEnum:
    """Weights by their full name, such as ``ResNet50_Weights.IMAGENET1K_V2``.

    Raises:
        ValueError: there is no such class of weights, or the name has no two parts.
    """
    if name.count(".") != 1:
        raise ValueError(f"Invalid weight name provided: '{name}'.")
    class_name, member = name.split(".")
    found = getattr(modules["lazygrad.vision.models"], class_name, None)
    if not (isinstance(found, type) and issubclass(found, WeightsEnum)):
        raise ValueError(f"The weight enum '{class_name}' for the specific method couldn't be retrieved.")
    return found[member]
