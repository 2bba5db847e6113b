"""Sound to text with a trained recogniser, while it is being said."""
