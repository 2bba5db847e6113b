"""Tests of the command that summarises."""
