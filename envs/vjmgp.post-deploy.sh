#!/usr/bin/env bash
# Snakemake runs this in a new conda environment, from the folder it was started in: the project's.
set -euo pipefail
pip install --no-deps --editable .
