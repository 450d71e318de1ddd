"""Printers of expressions."""
