#!/usr/bin/env bash
# Snakemake runs this in a new conda environment, in the folder from which it was started: the project's.
set -euo pipefail
pip install --no-deps --editable .
