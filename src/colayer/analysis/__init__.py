"""What a model has learned, and what is proved of it."""
