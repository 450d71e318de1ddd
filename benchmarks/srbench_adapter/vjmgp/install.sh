#!/bin/bash
# VJMGP_SOURCE: what pip installs vjmgp from, the address of its repository for example.
set -e
pip install "${VJMGP_SOURCE:-vjmgp}"
python -c "import vjmgp; vjmgp.compile_kernels()" # so that no fit waits for the compiler
