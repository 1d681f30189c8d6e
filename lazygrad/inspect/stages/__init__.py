"""The forms of a program, from recorded graph to source."""
