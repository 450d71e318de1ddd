"""Read and write published runs."""
