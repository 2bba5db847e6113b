"""Pictures of what models attend to."""
