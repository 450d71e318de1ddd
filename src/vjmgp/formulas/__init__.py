"""Turn trees into formulas that people read."""
