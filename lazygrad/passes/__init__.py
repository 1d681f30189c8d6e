"""Graph to graph, one file per pass; `pipeline` holds the one ordered list."""
