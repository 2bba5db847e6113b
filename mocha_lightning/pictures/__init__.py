"""Pictures of what models attend to; needs neither the models nor what they are made of."""
