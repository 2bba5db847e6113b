"""Search for the output sequence."""
