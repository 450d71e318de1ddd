"""The paper's claims and the rules by which they are judged."""

import numpy as np
import pandas as pd
import pytest
import yaml
from benchmarks.report import paper_study
from workflow_runs import ROOT

from vjmgp.paper_study import paper_datasets
from vjmgp.study.scoreboard.claims import (
    Counts,
    count_claims,
    headline_figures,
    median_claims,
    our_name,
    value_claims,
)
from vjmgp.study.scoreboard.score import COLUMNS, score_claims, scoreboard
from vjmgp.study.scoreboard.verdicts import (
    CONFIRMED,
    NOT_CONFIRMED,
    NOT_RUN,
    STATUSES,
    TOO_FEW_RUNS,
    datasets_needed,
    direction,
    tolerance_of_median,
    verdict_on_counts,
    verdict_on_median,
    verdict_on_values,
)

STUDY = {
    "protocols": {"paper": ["paper"], "label_noise": ["label_noise"]},
    "significance": 0.01,
    "own_methods": [],
    "timed": {},
    "budget": None,
}


# -- claims --------------------------------------------------------------------------------------


def test_every_claim_is_about_a_method_of_the_catalogue(tmp_path):
    methods = set(yaml.safe_load((ROOT / "config/methods.yaml").read_text()))
    study = paper_study(tmp_path)
    about = study.for_scoreboard()
    assert about["budget"] == 1
    assert about["timed"]["PP"] == "PP 1 s"
    for claim in count_claims(about["timed"]):
        assert {claim.method, claim.versus} <= set(study.experiments[claim.part].methods), claim
    assert {claim.method for claim in median_claims()} <= methods
    for claim in value_claims():
        assert {claim.method, claim.versus} <= methods


def test_every_row_and_cell_of_the_papers_files_is_a_claim():
    rows = (ROOT / "src/vjmgp/paper/win_tie_loss.csv").read_text().strip().splitlines()
    claims = count_claims()
    assert len(claims) == len(rows) - 1 == 98
    assert sum(claim.counts.similar is None for claim in claims) == 5
    for claim in claims:
        if claim.counts.similar is not None:
            total = claim.counts.better + claim.counts.similar + claim.counts.worse
            assert total == claim.counts.datasets
    assert len(median_claims()) == 58 * 8
    stated = {value for claim in value_claims() for value in claim.values}
    figures = headline_figures()
    for part in (
        *(figures[k] for k in list(figures)[:3]),
        *figures["example_547_no2"].values(),
    ):
        assert set(part.values()) <= stated
    assert our_name("selection_operators", "Lexicase") == "VJM"
    assert our_name("alpha", "100") == "VJM alpha=100"
    assert our_name("complexity_measures", "PP") == "PP"


# -- verdicts ------------------------------------------------------------------------------------


def test_directions():
    assert direction(Counts(29, 27, 2, 58)) == 1
    assert direction(Counts(6, None, 2, 58)) == 1
    assert direction(Counts(3, 54, 1, 58)) == 0
    assert direction(Counts(0, 58, 0, 58)) == 0
    assert direction(Counts(4, 43, 11, 58)) == -1
    assert direction(Counts(3, 54, 0, 58)) == 1  # 3 of 58 are 5.2 %
    assert direction(Counts(0, 0, 0, 0)) == 0


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        (Counts(31, 25, 2, 58), CONFIRMED),
        (Counts(20, 0, 9, 29), CONFIRMED),  # half of the datasets are enough
        (Counts(28, 0, 0, 28), TOO_FEW_RUNS),
        (Counts(2, 54, 2, 58), NOT_CONFIRMED),
        (Counts(2, 27, 29, 58), NOT_CONFIRMED),
    ],
)
def test_counts_are_confirmed_where_they_point_the_same_way(ours, verdict):
    assert verdict_on_counts(Counts(29, 27, 2, 58), ours) == verdict


def test_even_counts_are_confirmed_by_even_counts():
    assert verdict_on_counts(Counts(0, 58, 0, 58), Counts(2, 56, 0, 58)) == CONFIRMED
    assert verdict_on_counts(Counts(0, 58, 0, 58), Counts(5, 53, 0, 58)) == NOT_CONFIRMED


def test_values_are_confirmed_where_the_same_one_is_larger():
    assert verdict_on_values((20, 55.25), (33, 57), True) == CONFIRMED
    assert verdict_on_values((20, 55.25), (60, 57), True) == NOT_CONFIRMED
    assert verdict_on_values((20, 55.25), (33, 57), False) == TOO_FEW_RUNS
    assert [datasets_needed(n) for n in (58, 36, 1)] == [29, 18, 1]


def test_medians_are_confirmed_within_what_chance_allows():
    values = np.linspace(0.4, 0.6, 31)
    spread = 2.5758 * 1.2533 * 0.1 / 1.349 * np.sqrt(1 / 31 + 1 / 30)
    assert tolerance_of_median(values) == pytest.approx(spread)
    assert verdict_on_median(0.5 + 0.99 * spread, values, 8) == CONFIRMED
    assert verdict_on_median(0.5 - 1.01 * spread, values, 8) == NOT_CONFIRMED
    assert verdict_on_median(0.5, values[:7], 8) == TOO_FEW_RUNS
    same = np.full(10, 0.9)
    assert verdict_on_median(0.9099, same, 8) == CONFIRMED
    assert verdict_on_median(0.9101, same, 8) == NOT_CONFIRMED


def test_the_tolerance_holds_as_often_as_it_says():
    """Two medians of one method on different splits agree about 99 % of the time."""
    rng = np.random.default_rng(0)
    agree = [
        verdict_on_median(float(np.median(rng.normal(0, 0.2, 30))), rng.normal(0, 0.2, 30), 8)
        for _ in range(1000)
    ]
    assert 0.97 < agree.count(CONFIRMED) / 1000 < 1.0


# -- the scoreboard ------------------------------------------------------------------------------


def made_up(methods, datasets, seeds=10, protocol="paper", seed=0):
    """Runs in which each method has a score of its own on every dataset, and some noise."""
    rng = np.random.default_rng(seed)
    rows = [
        {"dataset": d, "protocol": protocol, "method": m, "seed": s,
         "train_r2": 0.9 - score + 0.01 * rng.normal(), "test_r2": score + 0.01 * rng.normal(),
         "size": 50 - 40 * score, "seconds": 1.0 + score}
        for m, score in methods.items() for d in datasets for s in range(seeds)
    ]  # fmt: skip
    return pd.DataFrame(rows).sample(frac=1, random_state=seed)


def test_nothing_but_the_papers_runs_counts():
    names = list(paper_datasets())
    methods = {"VJM": 0.6, "PP": 0.4, "Standard GP": 0.3}
    runs = made_up(methods, names)
    board = scoreboard(runs, STUDY).set_index("claim")
    assert list(scoreboard(runs, STUDY).columns) == COLUMNS
    assert set(board["status"]) <= set(STATUSES)
    row = board[board["part"] == "complexity_measures"].loc["VJM better than PP"]
    assert (row["paper"], row["ours"], row["status"]) == ("29/27/2", "58/0/0", CONFIRMED)
    assert row["difference"] == pytest.approx(1 - 27 / 58)
    # On training data the made-up VJM is the worst of three: the paper says worse, too.
    assert board.loc["VJM worse than PP on training data", "status"] == CONFIRMED
    assert board.loc["VJM better than RC", "status"] == NOT_RUN
    assert board.loc["VJM better than RC", "note"] == "no runs of RC"
    assert board[board["part"] == "label_noise"].loc["VJM better than PP", "status"] == NOT_RUN
    size = board.loc["VJM smaller than Standard GP: median model size, nodes"]
    assert (size["ours"], size["status"]) == ("26 and 38", CONFIRMED)
    assert size["our_amount"] == pytest.approx(26 / 38)
    time = board.loc["VJM larger than PP: mean training time, s"]
    assert (time["status"], time["paper"]) == (CONFIRMED, "1041 and 250")
    assert board.loc["The study: datasets", "status"] == CONFIRMED
    assert board.loc["The study: runs per dataset", "status"] == TOO_FEW_RUNS
    median = board.loc["Median test R² of VJM on 542_pollution"]
    assert median["status"] == NOT_CONFIRMED
    assert median["difference"] == pytest.approx(0.6 - 0.474, abs=0.02)
    # The same runs by another protocol, of other data, or of a VJM of the study's own: nothing.
    for other in (
        scoreboard(runs.assign(protocol="mine"), STUDY),
        scoreboard(runs.assign(dataset="my_" + runs["dataset"]), STUDY),
        scoreboard(runs, STUDY | {"own_methods": list(methods)}),
    ):
        counted = other[other["metric"].notna()]
        assert set(counted["status"]) == {NOT_RUN}
    own = scoreboard(runs, STUDY | {"own_methods": ["PP"]}).set_index("claim")
    assert own.loc["VJM better than PP", "note"].tolist()[0].startswith("PP: defined by this study")


def test_small_and_unfinished_studies_are_told_so():
    names = list(paper_datasets())
    few = scoreboard(made_up({"VJM": 0.6, "PP": 0.4}, names[:6]), STUDY).set_index("claim")
    row = few[few["part"] == "complexity_measures"].loc["VJM better than PP"]
    assert (row["ours"], row["status"]) == ("6/0/0", TOO_FEW_RUNS)
    assert row["note"] == "6 of the 29 datasets needed have enough paired runs"
    short = scoreboard(made_up({"VJM": 0.6, "PP": 0.4}, names, seeds=7), STUDY).set_index("claim")
    row = short[short["part"] == "complexity_measures"].loc["VJM better than PP"]
    assert (row["ours"], row["status"]) == ("0/58/0", TOO_FEW_RUNS)
    part = made_up({"VJM": 0.6, "PP": 0.4}, names[:40])
    row = scoreboard(part, STUDY).set_index("claim").loc["VJM better than PP"].iloc[0]
    assert (row["status"], row["note"]) == (CONFIRMED, "on 40 of 58 datasets")
    apart = pd.concat([made_up({"VJM": 0.6}, names[:9]), made_up({"PP": 0.4}, names[9:])])
    row = scoreboard(apart, STUDY).set_index("claim").loc["VJM better than PP"].iloc[0]
    assert (row["status"], row["note"]) == (NOT_RUN, "no dataset with runs of both")


def test_the_same_time_is_a_variant_of_its_own():
    names = list(paper_datasets())
    runs = made_up({"VJM": 0.3, "VJM 2 s": 0.6, "PP": 0.5, "PP 2 s": 0.5}, names)
    study = STUDY | {"timed": {"VJM": "VJM 2 s", "PP": "PP 2 s"}, "budget": 2}
    board = scoreboard(runs, study).set_index(["part", "claim"])
    row = board.loc[("same_runtime_budget", "VJM 2 s better than PP 2 s")]
    assert (row["paper"], row["ours"], row["status"]) == ("34/20/4", "58/0/0", CONFIRMED)
    assert board.loc[("complexity_measures", "VJM better than PP"), "status"] == NOT_CONFIRMED
    assert board.loc[("headline", "The study: same runtime budget seconds"), "ours"] == "2"
    without = scoreboard(runs, STUDY)
    assert set(without[without["part"] == "same_runtime_budget"]["status"]) == {NOT_RUN}


def test_label_noise_has_its_own_protocol_and_datasets(tmp_path):
    names = [n for n, about in paper_datasets().items() if about.rows and about.rows < 2000]
    assert len(names) == 36
    runs = made_up({"VJM": 0.6, "PP": 0.4}, names, protocol="label_noise").assign(status="ok")
    runs.to_csv(tmp_path / "runs.csv", index=False)
    table, latex = str(tmp_path / "scoreboard.csv"), str(tmp_path / "scoreboard.tex")
    score_claims(str(tmp_path / "runs.csv"), STUDY, table, latex)
    board = pd.read_csv(table).set_index("part")
    row = board.loc["label_noise"].set_index("claim").loc["VJM better than PP"]
    assert (row["paper"], row["ours"], row["status"]) == ("24/9/3", "36/0/0", CONFIRMED)
    assert (
        "VJM better than PP & 24/9/3 & 36/0/0 & confirmed"
        in (tmp_path / "scoreboard.tex").read_text()
    )
