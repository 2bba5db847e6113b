"""Scores of texts that are there already: of a run's predictions, or of anybody's."""
