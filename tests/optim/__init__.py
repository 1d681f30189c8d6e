"""Tests of lazygrad.optim; PyTorch's optimizers are the oracle."""
