"""What renderers of C-like languages share: words, statements and passes over a row. Loop nests are a target's own."""
