"""Comparisons of attention mechanisms for online sequence transduction, with statistics."""

__version__ = "0.1.0"
