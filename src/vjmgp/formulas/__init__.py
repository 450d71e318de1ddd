"""Formulas: from trees to short expressions, and their text in every language."""
