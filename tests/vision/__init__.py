"""Transforms, datasets and grids of images."""
