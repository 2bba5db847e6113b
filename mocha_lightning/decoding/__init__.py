"""Searching for the output sequence; shared by all tasks."""

from mocha_lightning.decoding.greedy import Decoded, greedy

__all__ = ["Decoded", "greedy"]
