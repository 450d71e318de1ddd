"""The paper's claims, the rules by which they are judged, and the scoreboard of made-up studies."""

import numpy as np
import pandas as pd
import pytest
import yaml
from benchmarks.report import paper_study
from tests.support.workflow_runs import ROOT

from vjmgp.study.scoreboard import claims, verdicts
from vjmgp.study.scoreboard.claims import OutcomeCounts
from vjmgp.study.scoreboard.score import COLUMNS, score_claims, scoreboard, tally
from vjmgp.study.statistics.summaries import paper_medians
from vjmgp.tables.paper_datasets import paper_datasets

SAME, OPPOSITE, INCONCLUSIVE, NOT_RUN = verdicts.VERDICTS


def test_claims_name_methods_of_the_catalogue(tmp_path):
    methods = set(yaml.safe_load((ROOT / "config/methods.yaml").read_text()))
    study = paper_study(tmp_path)
    about = study.for_scoreboard()
    assert about["timed"]["PP"] == "PP 96 %"
    for claim in claims.count_claims(about["timed"]):
        assert {claim.method, claim.versus} <= set(study.experiments[claim.part].methods), claim
    assert {method for _, method, _ in claims.median_claims()} <= methods
    for claim in claims.value_claims():
        assert {claim.method, *claim.versus} <= methods
    ours = {"VJM", "GaussianProcess"}  # the latter is not in the paper
    assert ours | set(claims.competitors()) == set(study.experiments["competitors"].methods)


def test_claims_cover_every_row_and_cell_of_the_paper():
    rows = (ROOT / "src/vjmgp/data/paper/win_tie_loss.csv").read_text().strip().splitlines()
    found = claims.count_claims()
    assert len(rows) - 1 == 98
    assert len(found) == 97  # VJM against PP is in two tables
    pairs = {(claim.protocol, claim.metric, claim.method, claim.versus) for claim in found}
    assert len(pairs) == len(found)
    for claim in found:
        if claim.counts.similar is not None:
            total = claim.counts.better + claim.counts.similar + claim.counts.worse
            assert total == claim.counts.datasets
    assert len(claims.median_claims()) == 58 * 8
    stated = {value for claim in claims.value_claims() for value in claim.paper or ()}
    figures = claims.headline_figures()
    for part in (*(figures[k] for k in list(figures)[:3]), *figures["example_547_no2"].values()):
        assert set(part.values()) <= stated
    for claim in claims.value_claims():  # the paper's figures confirm its text
        if claim.paper:
            assert verdicts.amount(claim, np.array(claim.paper)) > claim.bound
    assert figures["runs_per_dataset"] == claims.PAPER_RUNS
    assert claims.our_name("selection_operators", "Lexicase") == "VJM"
    assert claims.our_name("alpha", "100") == "VJM alpha=100"
    assert claims.our_name("complexity_measures", "PP") == "PP"


def test_twins_have_equal_rows_and_medians():
    medians = paper_medians()
    for one, other in claims.TWINS.items():
        assert paper_datasets()[one].rows == paper_datasets()[other].rows
        if "cpu" in one:  # equal even in the paper
            assert medians.loc[one].equals(medians.loc[other])


@pytest.mark.parametrize(
    ("paper", "claim"),
    [
        (OutcomeCounts(29, 27, 2, 58), 1),
        (OutcomeCounts(4, 16, 38, 58), -1),
        (OutcomeCounts(15, None, 5, 58), 1),  # p = 0.041
        (OutcomeCounts(3, 54, 1, 58), 0),
        (OutcomeCounts(0, 58, 0, 58), 0),
        (OutcomeCounts(4, 43, 11, 58), None),  # p = 0.118, and more than a quarter decided
        (OutcomeCounts(20, 15, 23, 58), None),  # undecided, not even
        (OutcomeCounts(6, None, 2, 58), None),  # similar ones are not stated
    ],
)
def test_claimed_needs_a_significant_or_even_count(paper, claim):
    assert verdicts.claimed(paper) == claim
    if claim is None:
        assert verdicts.verdict_on_counts(paper, OutcomeCounts(58, 0, 0, 58)) == verdicts.NO_CLAIM


@pytest.mark.parametrize(
    ("paper", "ours", "verdict"),
    [
        ("49/6/3", "31/25/2", SAME),
        ("49/6/3", "10/41/7", INCONCLUSIVE),  # more wins than losses, but by chance
        ("49/6/3", "5/53/0", INCONCLUSIVE),  # p = 0.0625
        ("49/6/3", "6/52/0", SAME),
        ("49/6/3", "7/41/20", OPPOSITE),
        ("4/16/38", "2/30/26", SAME),
        ("0/58/0", "2/54/2", SAME),
        ("0/58/0", "10/39/9", SAME),  # 19 of 58 are decided
        ("0/58/0", "10/38/10", INCONCLUSIVE),  # 20 of 58 are more than a third
        ("0/58/0", "20/18/20", INCONCLUSIVE),
        ("0/58/0", "6/52/0", OPPOSITE),
    ],
)
def test_verdicts_on_counts(paper, ours, verdict):
    both = ([*map(int, text.split("/"))] for text in (paper, ours))
    counts = (OutcomeCounts(*each, sum(each)) for each in both)
    assert verdicts.verdict_on_counts(*counts) == verdict


def test_direction_of_equal_methods_is_as_rare_as_the_level():
    rng = np.random.default_rng(0)
    wins = rng.binomial(30, 0.5, size=2000)
    found = [verdicts.direction(OutcomeCounts(int(k), 28, 30 - int(k), 58)) != 0 for k in wins]
    assert np.mean(found) < 0.06


def drawn(shift, deviation, runs, cells=800):
    """Return p-values for samples of two normal laws that differ by a shift."""
    rng = np.random.default_rng(1)
    papers = np.median(rng.normal(0, deviation, (cells, claims.PAPER_RUNS)), axis=1)
    ours = rng.normal(shift, deviation, (cells, runs))
    return [verdicts.median_p(float(a), b) for a, b in zip(papers, ours, strict=True)]


def share(verdict, *law):
    """Return how often a verdict is given."""
    return np.mean([row["verdict"] == verdict for row in verdicts.verdicts_on_medians(drawn(*law))])


def test_same_is_rarer_with_noise_and_with_few_runs():
    same = [share(SAME, 0.0, deviation, 30) for deviation in (0.02, 0.05, 0.06, 0.3)]
    assert same == sorted(same, reverse=True)
    assert (same[0], same[-1]) == (1.0, 0.0)
    assert share(SAME, 0.0, 0.05, 8) < share(SAME, 0.0, 0.05, 30)


@pytest.mark.parametrize("deviation", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("runs", [8, 30, 200])
def test_median_p_holds_its_level_at_the_margin(deviation, runs):
    """The stretch accounts for the paper's variation; without it, 200 runs err once in four."""
    within, beyond = np.mean(np.array(drawn(verdicts.MARGIN, deviation, runs)) < 0.05, axis=0)
    assert max(within, beyond) < 0.07


def test_distant_medians_are_opposite():
    assert share(OPPOSITE, 0.2, 0.05, 30) == 1.0
    assert share(OPPOSITE, 0.0, 0.3, 200) < 0.01


def test_verdicts_on_medians_are_adjusted_together():
    near, far = np.full(9, 0.01), np.full(9, 0.2)
    assert verdicts.median_p(0.0, near) == (0.5**9, 1.0)
    assert verdicts.median_p(0.0, far) == (1.0, 0.5**8)
    five = verdicts.median_p(0.0, near[:5])  # p = 0.031: enough alone, not in a family of two
    assert verdicts.verdicts_on_medians([five])[0]["verdict"] == SAME
    assert verdicts.verdicts_on_medians([five, (0.9, 0.9)])[0]["verdict"] == INCONCLUSIVE
    assert verdicts.verdicts_on_medians([]) == []


STUDY = {
    "protocols": {"paper": ["paper"], "label_noise": ["label_noise"]},
    "significance": 0.01,
    "own_methods": [],
    "timed": {},
}
NAMES = list(paper_datasets())


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
    assert set(board["verdict"]) <= {*verdicts.VERDICTS, verdicts.NO_CLAIM}
    part = "complexity_measures"
    assert outcome(board, part, "VJM better than PP") == ("58/0/0", SAME, "")
    assert outcome(board, part, "VJM better than RC") == ("", NOT_RUN, "no runs of RC")
    # On training data, this VJM and the paper's are the worst.
    worse = board.loc[(f"{part}_training", "VJM worse than Standard GP on training data")]
    assert (worse["paper"], worse["ours"], worse["verdict"]) == ("0/2/56", "0/0/58", SAME)
    none = board.loc[(f"{part}_training", "VJM against PP on training data")]
    assert (none["paper"], none["verdict"]) == ("21/7/30", verdicts.NO_CLAIM)
    assert board.loc[("label_noise", "VJM better than PP"), "verdict"] == NOT_RUN
    far = board.loc[("medians", "Median test R² of VJM on 542_pollution")]
    assert (far["paper"], far["verdict"]) == ("0.474", OPPOSITE)
    # The same runs by another protocol, on other data, or of redefined methods do not count.
    for other in (
        board_of(runs.assign(protocol="mine")),
        board_of(runs.assign(dataset="my_" + runs["dataset"])),
        board_of(runs, own_methods=list(methods)),
    ):
        assert set(other["verdict"]) == {NOT_RUN, verdicts.NO_CLAIM}
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
    scores = {"VJM": 0.6, "XGB": 0.58} | {m: 0.5 for m in claims.competitors() if m != "XGB"}
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
    ahead = [*claims.TWINS, *claims.TWINS.values()]
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
    names = [n for n, about in paper_datasets().items() if about.rows < 2000]
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
    assert list(counts.columns) == ["claims", *verdicts.VERDICTS]
    assert list(counts.loc["label_noise"]) == [3, 1, 0, 0, 2]
    assert list(counts.loc["mixup_kernel"]) == [0, 0, 0, 0, 0]  # 8/–/5 decides nothing
    assert counts["claims"].sum() == (board["verdict"] != verdicts.NO_CLAIM).sum()
    assert not board["claim"].str.contains("significance|The study").any()  # settings
