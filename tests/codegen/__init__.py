"""Code generation: op tables, rendered source, blocks."""
