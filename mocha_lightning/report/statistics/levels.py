"""The levels that every test and interval shares."""

SIGNIFICANCE = 0.05
CONFIDENCE = 0.95
POWER = 0.8
FEW_RUNS = 5
"""With fewer runs a side a test is itself unsure."""
