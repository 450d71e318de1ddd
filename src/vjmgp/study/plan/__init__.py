"""Plan a study: its methods, datasets, experiments, and the files that they need."""
