"""Measure individuals: ridge with leave-one-out errors, noise, vicinal points, MIC."""
