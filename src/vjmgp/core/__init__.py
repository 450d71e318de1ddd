"""Array types, safe files, optional imports and atomic methods, used by every other package."""
