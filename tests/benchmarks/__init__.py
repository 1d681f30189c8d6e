"""Speed beside PyTorch and numpy, measured in one run: ``python -m tests.benchmarks``. Nothing here is asserted."""
