"""The recogniser and its parts."""
