"""Specification of the corpora."""
