"""What optimizers compute of each parameter, one node for each value that is kept, in PyTorch's order of operations.

Learning rates and all other options are 0-dim inputs, not attributes: other numbers are the same program.
"""

from lazygrad.ir.composites.update_rules import (
    adadelta,
    adafactor,
    adagrad,
    adamax,
    asgd,
    gradient,
    nadam,
    radam,
    rmsprop,
    rprop,
)

__all__ = [
    "adadelta",
    "adafactor",
    "adagrad",
    "adamax",
    "asgd",
    "gradient",
    "nadam",
    "radam",
    "rmsprop",
    "rprop",
]
