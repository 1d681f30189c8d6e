"""lazygrad.data against torch.utils.data: the same program runs on both, and its outcomes are compared."""
