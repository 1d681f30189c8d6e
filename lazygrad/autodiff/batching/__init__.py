"""Batching rules: what each op becomes when inputs are stacks of examples."""
