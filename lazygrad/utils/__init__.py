"""Utilities beside layers and optimizers: `checkpoint`."""
