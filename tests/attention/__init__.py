"""Attention mechanisms: held against loops, and to the interface that they share."""
