"""The steps from a dataset to records and tables of runs."""
