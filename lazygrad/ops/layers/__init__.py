"""What neural networks are made of: activations, convolutions, normalization, attention, dropout."""
