"""Recordings, plans and their cache, realization, random streams."""
