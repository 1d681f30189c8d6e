"""``torch.futures``: values that somebody sets later, on Python's own futures."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

Value = TypeVar("Value")
Result = TypeVar("Result")


class Future(Generic[Value]):
    """A value to come.

    Args:
        devices: accepted; operations of one device are in order here.
    """

    def __init__(self, *, devices: Sequence[Any] | None = None) -> None:
        self._inner: concurrent.futures.Future[Value] = concurrent.futures.Future()

    def done(self) -> bool:
        """Whether there is a value, or an error."""
        return self._inner.done()

    def wait(self) -> Value:
        """The value, once there is one. Raises the error that was set instead."""
        return self._inner.result()

    def value(self) -> Value:
        """The value.

        Raises:
            RuntimeError: there is none yet; or the error that was set instead.
        """
        if not self._inner.done():
            raise RuntimeError("Future.value(): there is no value yet; wait() waits for it")
        return self._inner.result()

    def then(self, callback: Callable[[Future[Value]], Result]) -> Future[Result]:
        """A future of ``callback(self)``, which is called once this one is done."""
        made: Future[Result] = Future()

        def call(_: object) -> None:
            try:
                made.set_result(callback(self))
            except Exception as error:
                made._inner.set_exception(
                    RuntimeError(f"Got the following error when running the callback: {type(error).__name__}: {error}")
                )

        self._inner.add_done_callback(call)
        return made

    def add_done_callback(self, callback: Callable[[Future[Value]], None]) -> None:
        """Have ``callback(self)`` called once this is done; what it raises is lost, and logged."""
        self._inner.add_done_callback(lambda _: callback(self))

    def set_result(self, result: Value) -> None:
        """Set the value. RuntimeError: this is done already."""
        self._refuse_second()
        self._inner.set_result(result)

    def set_exception(self, result: Exception) -> None:
        """Set an error in place of the value.

        Raises:
            AssertionError: it is no exception.
            RuntimeError: this is done already.
        """
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._refuse_second()
        self._inner.set_exception(result)

    def _refuse_second(self) -> None:
        if self._inner.done():
            raise RuntimeError(
                "Attempting to mark a completed Future as complete again. Note that a Future can only be marked "
                "completed once."
            )


def collect_all(futures: Sequence[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future of the list of futures, done when all of them are."""
    made: Future[list[Future[Any]]] = Future()
    waiting = {id(future) for future in futures}

    def note(future: Future[Any]) -> None:
        waiting.discard(id(future))
        if not waiting and not made.done():
            made.set_result(list(futures))

    for future in futures:
        future.add_done_callback(note)
    if not futures:
        made.set_result([])
    return made


def wait_all(futures: Sequence[Future[Any]]) -> list[Any]:
    """The values of all futures, once they are there; the first error among them is raised."""
    return [future.wait() for future in collect_all(futures).wait()]
