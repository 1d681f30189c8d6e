"""Tests of lazygrad.nn; PyTorch's modules are the oracle."""
