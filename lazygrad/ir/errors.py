"""Errors that only a computed value can show, with the classes PyTorch gives them."""

from __future__ import annotations


class LinAlgError(RuntimeError):
    """A matrix that a function of `lazygrad.linalg` cannot handle: singular, not positive definite, not finite.

    Whether it is one shows when the result is computed, so the error is raised where a value is first needed.
    """


# What a `require` node may raise, by name.
DATA_ERRORS: dict[str, type[Exception]] = {
    error.__name__: error for error in (IndexError, LinAlgError, RuntimeError, ValueError)
}
