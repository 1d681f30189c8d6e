"""From groups to kernels: the kernel form, lowering, and what all targets share of rendering."""
