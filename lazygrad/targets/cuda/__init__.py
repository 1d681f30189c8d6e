"""CUDA as a target: plans as generated CUDA source."""
