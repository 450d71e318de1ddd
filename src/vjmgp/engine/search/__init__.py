"""Evolve a population of models."""
