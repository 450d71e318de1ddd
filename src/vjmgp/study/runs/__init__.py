"""Run the steps from a dataset to records of runs."""
