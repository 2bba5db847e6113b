"""Tests of scoring what is there already."""
