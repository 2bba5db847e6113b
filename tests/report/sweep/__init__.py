"""Tests of the report of a sweep."""
