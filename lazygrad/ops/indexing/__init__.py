"""Reading and writing elements by position: square brackets, gathers, scatters, masks."""
