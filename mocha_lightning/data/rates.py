"""Sample rates that recordings of speech have."""

LEAST_RATE, GREATEST_RATE = 4000, 384_000
"""In Hz."""
