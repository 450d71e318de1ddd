"""The paper's claims."""

import numpy as np
import yaml
from benchmarks.report import paper_study
from tests.support.workflow_runs import ROOT

from vjmgp.study.scoreboard import verdicts
from vjmgp.study.scoreboard.claims import (
    PAPER_RUNS,
    TWINS,
    competitors,
    count_claims,
    headline_figures,
    median_claims,
    our_name,
    value_claims,
)
from vjmgp.study.statistics.summaries import paper_medians
from vjmgp.tables.paper_datasets import paper_datasets


def test_claims_name_methods_of_the_catalogue(tmp_path):
    methods = set(yaml.safe_load((ROOT / "config/methods.yaml").read_text()))
    study = paper_study(tmp_path)
    about = study.for_scoreboard()
    assert about["timed"]["PP"] == "PP 1 s"
    for claim in count_claims(about["timed"]):
        assert {claim.method, claim.versus} <= set(study.experiments[claim.part].methods), claim
    assert {claim.method for claim in median_claims()} <= methods
    for claim in value_claims():
        assert {claim.method, *claim.versus} <= methods
    ours = {"VJM", "GaussianProcess"}  # the latter is not in the paper
    assert ours | set(competitors()) == set(study.experiments["competitors"].methods)


def test_claims_cover_every_row_and_cell_of_the_paper():
    rows = (ROOT / "src/vjmgp/data/paper/win_tie_loss.csv").read_text().strip().splitlines()
    claims = count_claims()
    assert len(rows) - 1 == 98
    assert len(claims) == 97  # VJM against PP is in two tables
    pairs = {(claim.protocol, claim.metric, claim.method, claim.versus) for claim in claims}
    assert len(pairs) == len(claims)
    for claim in claims:
        if claim.counts.similar is not None:
            total = claim.counts.better + claim.counts.similar + claim.counts.worse
            assert total == claim.counts.datasets
    assert len(median_claims()) == 58 * 8
    stated = {value for claim in value_claims() for value in claim.paper or ()}
    figures = headline_figures()
    for part in (*(figures[k] for k in list(figures)[:3]), *figures["example_547_no2"].values()):
        assert set(part.values()) <= stated
    for claim in value_claims():  # the paper's figures confirm its text
        if claim.paper:
            assert verdicts.amount(claim, np.array(claim.paper)) > claim.bound
    assert figures["runs_per_dataset"] == PAPER_RUNS
    assert our_name("selection_operators", "Lexicase") == "VJM"
    assert our_name("alpha", "100") == "VJM alpha=100"
    assert our_name("complexity_measures", "PP") == "PP"


def test_twins_have_equal_rows_and_medians():
    medians = paper_medians()
    for one, other in TWINS.items():
        assert paper_datasets()[one].rows == paper_datasets()[other].rows
        if "cpu" in one:  # equal even in the paper
            assert medians.loc[one].equals(medians.loc[other])
