"""Lists and dictionaries in the arguments of nodes, which cannot be changed: a graph would not hear of it."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["immutable_dict", "immutable_list"]


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(
        f"{type(self).__name__!r} object does not support mutation. If you are attempting to modify the kwargs or args "
        f"of a torch.fx.Node object, instead create a new copy of it and assign the copy to the node: "
        f"new_args = [*node.args]; node.args = tuple(new_args)"
    )


class immutable_list(list[Any]):
    """A list that cannot be changed. TypeError for what would."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (list(self),)


class immutable_dict(dict[Any, Any]):
    """A dictionary that cannot be changed. TypeError for what would."""

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = update = setdefault = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (dict(self),)
