"""Tests of the loops that Numba compiles."""
