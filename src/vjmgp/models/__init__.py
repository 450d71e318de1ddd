"""Fitted models: they predict, and are saved as JSON."""
