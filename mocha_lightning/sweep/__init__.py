"""Sweeps: a search for the numbers of one variant, judged by the validation split alone."""
