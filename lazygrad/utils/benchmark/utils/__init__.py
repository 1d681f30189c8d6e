"""What `lazygrad.utils.benchmark` is made of, by PyTorch's paths."""
