"""``lazygrad.multiprocessing``: Python's `multiprocessing`, by which tensors travel as copies.

PyTorch's hands tensors over as handles of shared memory. Here what a queue or a pipe brings is another tensor.
"""

from multiprocessing import *

from lazygrad.left_out import stand_in

spawn = stand_in(
    "multiprocessing.spawn",
    "lazygrad computes in one process, on all cores of its CPU; multiprocessing.Process starts others for other work",
)
