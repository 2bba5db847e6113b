"""The summariser, against loops over documents, outputs and words."""
