"""Read, check and preprocess tables."""
