"""Inspect a fitted model: errors, importance, stability, responses, plots."""
