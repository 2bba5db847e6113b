"""Tests of the inner loops."""
