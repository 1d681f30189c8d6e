"""Functions of each element by itself: arithmetic, comparisons, elementary and special functions."""
