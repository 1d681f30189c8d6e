"""PyTorch-named functions, one file per family. Each records a node or composes other functions."""
