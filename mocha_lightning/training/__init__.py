"""How models are trained: losses, schedules, determinism."""
