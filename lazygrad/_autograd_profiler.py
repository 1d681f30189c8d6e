"""``torch.autograd.profiler``: the context of before `torch.profiler`, over the same measurements."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from lazygrad import profiler
from lazygrad.profiler import EventList, emit_nvtx, kineto_available, record_function

__all__ = ["EventList", "emit_nvtx", "kineto_available", "profile", "record_function"]


class profile(profiler.profile):
    """Profiles what this thread does within the context.

    Args:
        enabled: whether anything is measured.
        use_cuda, use_device, use_cpu, use_kineto: accepted; what is measured is the processor's time.
        record_shapes, with_flops, profile_memory, with_stack, with_modules, experimental_config, acc_events: see
            `lazygrad.profiler.profile`.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
    ) -> None:
        super().__init__()
        self.enabled = enabled

    def __enter__(self) -> profile:
        if self.enabled:
            self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.enabled:
            self.stop()

    def table(self, **options: Any) -> str:
        """The averages as text; ``options`` are those of the averages' own ``table``."""
        return self.key_averages().table(**options)

    def __str__(self) -> str:
        return self.table() if self.profiler is not None else f"<{type(self).__name__} that has measured nothing>"
