"""The scoreboard of made-up studies."""

import numpy as np
import pandas as pd
import pytest

from vjmgp.study.scoreboard.claims import TWINS, competitors
from vjmgp.study.scoreboard.score import COLUMNS, score_claims, scoreboard, tally
from vjmgp.study.scoreboard.verdicts import NO_CLAIM, VERDICTS
from vjmgp.tables.paper_datasets import paper_datasets

STUDY = {
    "protocols": {"paper": ["paper"], "label_noise": ["label_noise"]},
    "significance": 0.01,
    "own_methods": [],
    "timed": {},
}
NAMES = list(paper_datasets())
SAME, OPPOSITE, INCONCLUSIVE, NOT_RUN = VERDICTS


def made_up(methods, datasets=NAMES, seeds=30, protocol="paper", seed=0, noise=0.01):
    """Return runs with the same score of a method on every dataset, and some noise."""
    rng = np.random.default_rng(seed)
    rows = [
        {"dataset": d, "protocol": protocol, "method": m, "seed": s,
         "train_r2": 0.9 - score + noise * rng.normal(),
         "test_r2": score + noise * rng.normal(), "size": 50 - 40 * score,
         "cpu_seconds": 1.0 + score}
        for m, score in methods.items() for d in datasets for s in range(seeds)
    ]  # fmt: skip
    return pd.DataFrame(rows).sample(frac=1, random_state=seed)


def board_of(runs, **study):
    return scoreboard(runs, STUDY | study).set_index(["part", "claim"])


def outcome(board, part, claim):
    return tuple(board.loc[(part, claim), ["ours", "verdict", "note"]])


def test_only_runs_of_the_paper_count():
    methods = {"VJM": 0.6, "PP": 0.4, "Standard GP": 0.3}
    runs = made_up(methods)
    board = board_of(runs)
    assert [*board.index.names, *board.columns] == COLUMNS
    assert set(board["verdict"]) <= {*VERDICTS, NO_CLAIM}
    part = "complexity_measures"
    assert outcome(board, part, "VJM better than PP") == ("58/0/0", SAME, "")
    assert outcome(board, part, "VJM better than RC") == ("", NOT_RUN, "no runs of RC")
    # On training data, this VJM and the paper's are the worst.
    worse = board.loc[(f"{part}_training", "VJM worse than Standard GP on training data")]
    assert (worse["paper"], worse["ours"], worse["verdict"]) == ("0/2/56", "0/0/58", SAME)
    none = board.loc[(f"{part}_training", "VJM against PP on training data")]
    assert (none["paper"], none["verdict"]) == ("21/7/30", NO_CLAIM)
    assert board.loc[("label_noise", "VJM better than PP"), "verdict"] == NOT_RUN
    far = board.loc[("medians", "Median test R² of VJM on 542_pollution")]
    assert (far["paper"], far["verdict"]) == ("0.474", OPPOSITE)
    # The same runs by another protocol, on other data, or of redefined methods do not count.
    for other in (
        board_of(runs.assign(protocol="mine")),
        board_of(runs.assign(dataset="my_" + runs["dataset"])),
        board_of(runs, own_methods=list(methods)),
    ):
        assert set(other["verdict"]) == {NOT_RUN, NO_CLAIM}
    own = board_of(runs, own_methods=["PP"])
    assert outcome(own, part, "VJM better than PP")[2].startswith("PP: defined by this study")


def test_small_and_unfinished_studies_are_inconclusive():
    pair, claim = {"VJM": 0.6, "PP": 0.4}, ("complexity_measures", "VJM better than PP")
    note = "too few datasets to tell; 28 of 58 datasets have 8 seeds or more"
    assert outcome(board_of(made_up(pair, NAMES[:28])), *claim) == ("", INCONCLUSIVE, note)
    note = "too few seeds to tell; 0 of 58 datasets have 8 seeds or more"
    assert outcome(board_of(made_up(pair, seeds=7)), *claim) == ("", INCONCLUSIVE, note)
    part = made_up(pair, NAMES[:40], seeds=10)
    note = "runs on 40 of 58 datasets; from 10 seeds of 30"
    assert outcome(board_of(part), *claim) == ("40/0/0", SAME, note)
    apart = pd.concat([made_up({"VJM": 0.6}, NAMES[:9]), made_up({"PP": 0.4}, NAMES[9:])])
    assert outcome(board_of(apart), *claim) == ("", NOT_RUN, "no dataset with runs of all")
    few = board_of(made_up({"VJM": 0.474}, NAMES, seeds=4))
    cell = outcome(few, "medians", "Median test R² of VJM on 542_pollution")
    assert cell[1:] == (INCONCLUSIVE, "too few seeds to tell: 4 of 30")


def test_even_needs_as_many_seeds_as_the_paper():
    """With few noisy runs, any two methods are similar."""
    methods, claim = {"VJM": 0.6, "VJM alpha=100": 0.6}, ("alpha", "VJM like VJM alpha=100")
    counts, verdict, _ = outcome(board_of(made_up(methods)), *claim)
    assert (verdict, counts.split("/")[1] >= "50") == (SAME, True)
    note = "too few seeds to tell; 0 of 58 datasets have 30 seeds or more"
    assert outcome(board_of(made_up(methods, seeds=29)), *claim) == ("", INCONCLUSIVE, note)


def test_figures_are_judged_by_paired_intervals():
    # Two datasets make VJM's mean larger; the interval says that this may be chance.
    pair = {"VJM": 0.5, "PP": 0.5}
    runs = made_up(pair).assign(cpu_seconds=1.0)
    runs.loc[(runs["method"] == "VJM") & runs["dataset"].isin(NAMES[:2]), "cpu_seconds"] = 1.5
    claim = ("figures_in_the_text", "VJM trains longer than PP")
    row = board_of(runs).loc[claim]
    assert row["ours"] == "1.017 / 1 = 1.02"
    assert (row["low"], row["verdict"]) == (1.0, INCONCLUSIVE)
    # Hard datasets take long for both: the spread is large, but the pairs agree.
    hard = runs["dataset"].map({name: 10.0**k for k, name in enumerate(NAMES)})
    longer = runs.assign(cpu_seconds=hard ** (1 / 9) * (1 + 0.1 * (runs["method"] == "VJM")))
    row = board_of(longer).loc[claim]
    assert (row["low"], row["high"]) == (pytest.approx(1.1), pytest.approx(1.1))
    assert row["verdict"] == SAME
    shorter = longer.assign(method=longer["method"].map({"VJM": "PP", "PP": "VJM"}))
    assert board_of(shorter).loc[claim, "verdict"] == OPPOSITE
    example = "VJM has the larger test R² on 547_no2 of VJM and Standard GP"
    one = board_of(made_up({"VJM": 0.5, "Standard GP": 0.45}, ["547_no2"]))
    assert one.loc[("figures_in_the_text", example), "verdict"] == SAME


def test_verdicts_on_the_competitors():
    part, best = "competitors", "VJM has the best mean R² of all"
    beats = "VJM beats XGB after Benjamini–Hochberg"
    smaller = "Models of VJM are 10 times smaller than those of XGB"
    scores = {"VJM": 0.6, "XGB": 0.58} | {m: 0.5 for m in competitors() if m != "XGB"}
    runs = made_up(scores, seeds=8)
    runs.loc[runs["method"] == "XGB", "size"] *= 12
    board = board_of(runs)
    assert set(board.loc[part, "verdict"]) == {SAME}
    assert "XGB is the best other" in board.loc[(part, best), "note"]
    assert "one of 120 pairs of learners" in board.loc[(part, beats), "note"]
    # Nine times smaller is less than the paper's claim.
    runs.loc[runs["method"] == "XGB", "size"] *= 9 / 12
    assert board_of(runs).loc[(part, smaller), "verdict"] == OPPOSITE
    # Without one learner, a best of all can only be contradicted.
    some = runs[(runs["method"] != "FFX") | runs["dataset"].isin(NAMES[:12])]
    row = board_of(some).loc[(part, best)]
    assert (row["verdict"], "too few runs of FFX" in row["note"]) == (INCONCLUSIVE, True)
    worse = some.assign(test_r2=some["test_r2"] - 0.05 * (some["method"] == "VJM"))
    board = board_of(worse)
    assert list(board.loc[(part, [best, beats]), "verdict"]) == [OPPOSITE, OPPOSITE]


def test_notes_name_twins_that_decide_a_verdict():
    ahead = [*TWINS, *TWINS.values()]
    rest = [name for name in NAMES if name not in ahead]
    even = made_up({"VJM": 0.5, "PP": 0.5}, rest, noise=0)
    runs = pd.concat([made_up({"VJM": 0.6, "PP": 0.4}, ahead), even])
    row = outcome(board_of(runs), "complexity_measures", "VJM better than PP")
    assert row == ("6/52/0", SAME, "inconclusive if twins count once")


def test_timed_variants_are_separate_methods():
    runs = made_up({"VJM": 0.3, "VJM 2 s": 0.6, "PP": 0.5, "PP 2 s": 0.5}, seeds=10)
    board = board_of(runs, timed={"VJM": "VJM 2 s", "PP": "PP 2 s"})
    row = board.loc[("same_runtime_budget", "VJM 2 s better than PP 2 s")]
    assert (row["paper"], row["ours"], row["verdict"]) == ("34/20/4", "58/0/0", SAME)
    assert board.loc[("complexity_measures", "VJM better than PP"), "verdict"] == OPPOSITE
    assert set(board_of(runs).loc["same_runtime_budget", "verdict"]) == {NOT_RUN}


def test_label_noise_has_a_separate_protocol_and_datasets(tmp_path):
    names = [n for n, about in paper_datasets().items() if about.rows and about.rows < 2000]
    assert len(names) == 36
    runs = made_up({"VJM": 0.6, "PP": 0.4}, names, protocol="label_noise").assign(status="ok")
    runs.to_csv(tmp_path / "runs.csv", index=False)
    table, latex = tmp_path / "scoreboard.csv", tmp_path / "scoreboard.tex"
    score_claims(str(tmp_path / "runs.csv"), STUDY, str(table), str(latex))
    board = pd.read_csv(table)
    row = board[board["part"] == "label_noise"].set_index("claim").loc["VJM better than PP"]
    assert (row["paper"], row["ours"], row["verdict"]) == ("24/9/3", "36/0/0", SAME)
    assert "VJM better than PP & 24/9/3 & 36/0/0 & same" in latex.read_text()
    counts = tally(board)
    assert list(counts.columns) == ["claims", *VERDICTS]
    assert list(counts.loc["label_noise"]) == [3, 1, 0, 0, 2]
    assert list(counts.loc["mixup_kernel"]) == [0, 0, 0, 0, 0]  # 8/–/5 decides nothing
    assert counts["claims"].sum() == (board["verdict"] != NO_CLAIM).sum()
    assert not board["claim"].str.contains("significance|The study").any()  # settings
