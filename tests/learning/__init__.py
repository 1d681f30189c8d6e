"""Proof that models learn: whole training runs whose losses follow PyTorch's step by step."""
