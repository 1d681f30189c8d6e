"""What a program is: dtypes, shapes, views, ops, nodes, graphs, their text and their checks."""
