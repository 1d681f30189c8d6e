"""Plans as C: the renderer, the toolchain, and the code that runs them."""
