"""Kernels taken out of plans, to be saved, edited and put back."""
