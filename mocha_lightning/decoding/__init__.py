"""Searching for the output sequence; shared by all tasks."""

from mocha_lightning.decoding.beam import Hypotheses, Searched, beam
from mocha_lightning.decoding.greedy import Decoded, greedy

__all__ = ["Decoded", "Hypotheses", "Searched", "beam", "greedy"]
