"""Inspect a fitted model: errors, importance, stability, responses, shorter versions, plots."""
