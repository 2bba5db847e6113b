"""Experiments, from the file to the result."""
