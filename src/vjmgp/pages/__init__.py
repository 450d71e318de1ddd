"""Render HTML pages: the Jinja environment, number formats and shared style."""
