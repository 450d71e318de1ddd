"""Laws: short formulas in the inputs' own units, found by search instead of evolution."""
