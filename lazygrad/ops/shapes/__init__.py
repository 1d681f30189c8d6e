"""Functions that move elements without changing them: views, joins, repetitions, borders."""
