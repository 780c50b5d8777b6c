"""Features in which a linear model is not a line."""
