"""Functions of all elements along dimensions: sums, extrema, scans, orders, statistics."""
