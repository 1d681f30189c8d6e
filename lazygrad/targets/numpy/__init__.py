"""Plans as numpy modules: the renderer and the code that runs them."""
