"""Text to summary with a trained summariser, while it is being read where that can be."""
