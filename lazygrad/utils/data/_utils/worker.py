"""What workers know about themselves, under the path PyTorch keeps it at."""

from lazygrad.data.worker_info import WorkerInfo, get_worker_info

__all__ = ["WorkerInfo", "get_worker_info"]
