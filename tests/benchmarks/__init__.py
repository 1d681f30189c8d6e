"""Speed beside PyTorch and JAX, measured in one run: ``python -m tests.benchmarks``. Nothing here is asserted.

Read in this order: `case` says what a case is, `cases/` holds them, `worker` is the process one contender lives in,
`steady`, `busy` and `fresh` measure, `report` writes the tables.
"""
