"""What W&B is told, and what becomes of a run where it cannot be."""
