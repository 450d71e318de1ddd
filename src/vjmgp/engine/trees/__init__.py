"""Represent, store and evaluate expression trees."""
