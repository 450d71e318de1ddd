"""Copy figures of the published study's report into docs/figures.

    snakemake --cores all --configfile config/paper.yaml --config published=only
    python -m benchmarks.pictures results/full

The same runs and versions of libraries give the same files. `srbench.svg` comes from the report of
`config/srbench.yaml`; figures that a report does not have are left as they are.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from benchmarks import ROOT

PICTURES = {
    "complexity_measures": "complexity_measures/overview",
    "pairwise": "complexity_measures/pairwise",
    "size_and_time": "complexity_measures/size_and_time",
    "evolution": "complexity_measures/curves",
    "learners": "competitors/overview",
    "learners_pairwise": "competitors/pairwise",
    "learners_size_and_time": "competitors/size_and_time",
    "flow_chart": "illustrations/flow_chart",
    "gap_and_difference": "illustrations/gap_and_difference",
    "manifold_intrusion": "illustrations/manifold_intrusion",
    "noise_estimates": "illustrations/noise_estimates",
    "rugged_and_smooth": "illustrations/rugged_and_smooth",
    "srbench": "black_box-srbench/srbench",
}
"""Names in docs/figures, and in the folder `figures` of a study's results."""


def main() -> None:
    """Copy each figure that the results have."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="folder of the study's results")
    for name, place in PICTURES.items():
        source = (parser.parse_args().results / "figures" / place).with_suffix(".svg")
        if source.is_file():
            shutil.copyfile(source, ROOT / f"docs/figures/{name}.svg")


if __name__ == "__main__":
    main()
