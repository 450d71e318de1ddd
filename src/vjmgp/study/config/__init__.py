"""Read and check the config of a study."""
