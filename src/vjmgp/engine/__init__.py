"""The engine: everything that decides a run's results."""
