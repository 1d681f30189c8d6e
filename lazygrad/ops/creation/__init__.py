"""Tensors made of numbers, of Python data and of memory that others own."""
