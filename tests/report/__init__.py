"""Reports: what is read, what is computed, what is written."""
