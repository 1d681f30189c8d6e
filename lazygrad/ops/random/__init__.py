"""Random numbers: generators, tensors of random numbers, draws on the host and inside graphs."""
