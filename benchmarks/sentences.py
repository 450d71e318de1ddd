"""Print the sentences of README and docs that state figures of the published runs.

    python -m benchmarks.sentences

A test requires each of them on its page.
"""

# ruff: noqa: E501

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest, wilcoxon

from benchmarks import ROOT
from benchmarks.accuracy import CLEAR, accuracy_table
from benchmarks.reproduction import (
    COMPLEXITY,
    LEARNERS,
    MEASURES,
    STUDY,
    beside_its_medians,
    beside_the_paper,
    beyond_chance,
    counts,
    digits,
    gap_to_the_paper,
    leads,
    other_parts,
    readable,
    verdicts,
)
from benchmarks.reproduction import once as verdicts_once
from vjmgp import load_results
from vjmgp.study.names import METRICS
from vjmgp.study.scoreboard.claims import TWINS
from vjmgp.study.scoreboard.score import scoreboard
from vjmgp.study.statistics.paired_tests import OUTCOMES
from vjmgp.study.statistics.summaries import by_dataset, paper_medians

TREES, UP = ["XGB", "RandomForest", "ExtraTrees", "AdaBoost"], "beyond 0.05, up"
CLIPPED = ["201_pol", "218_house_8L", "574_house_16H"]
"""Where clipping matters to VJM, by `benchmarks.clipping`."""
REPRODUCTION, BENCHMARKS = "docs/reproduction.md", "docs/benchmarks.md"
SENTENCES: dict[str, list[str]] = {
    REPRODUCTION: [
        "of the 28 claims in the paper's table of test R², {verdicts[complexity measures][same]} are confirmed, "
        "none is reversed, and {verdicts[complexity measures][inconclusive]} are undecided",
        "Of the 25 on training R², {verdicts[complexity measures training][same]} are confirmed",
        "With twin datasets counted once, {once_verdicts[complexity measures][same]} and "
        "{once_verdicts[complexity measures training][same]} are confirmed.",
        "(VJM against PP {label_noise} in both)",
        "VJM's mean of medians is {mean[VJM]:.3f} here and {paper[VJM]:.3f} in the paper",
        "similar counts: VJM against PP {test[VJM against PP]} ({test_paper[VJM against PP]}), against Standard GP "
        "{test[VJM against Standard GP]} ({test_paper[VJM against Standard GP]}), against TK "
        "{test[VJM against TK]} ({test_paper[VJM against TK]}).",
        "closer to VJM here: {test[VJM against P-VRM]} ({test_paper[VJM against P-VRM]}).",
        "we differ in {beyond[test R²]} of 36 cells on test data, both of RC, and in {beyond[training R²]} of 36 on "
        "training data",
        "**PP against GC**: {test[PP against GC]} here is inconclusive (p = {p_pp_gc}); in the paper, with "
        "{test_paper[PP against GC]}, PP is ahead.",
        "VJM does not differ from kernel ridge regression (p = {over[VJM against KernelRidge][p]}, adjusted "
        "{over[VJM against KernelRidge][adjusted p]}; on single datasets {vjm[KernelRidge]})",
        "nor, after adjustment, from ExtraTrees (p = {over[VJM against ExtraTrees][p]}, adjusted "
        "{over[VJM against ExtraTrees][adjusted p]})",
        "by {over[VJM against XGB][mean]} in the mean and {over[VJM against XGB][median]} in the median of "
        "differences (p = {over[VJM against XGB][p]}, adjusted {over[VJM against XGB][adjusted p]})",
        "by a factor of 49 in the ratio of medians ({smaller[low]:.0f} to {smaller[high]:.0f})",
        "by {lead_mean} ({lead[low]:.3f} to {lead[high]:.3f}) on the seeds that all have",
        "its mean is level ({mean[GaussianProcess]:.3f} and {mean[VJM]:.3f}; with twins once "
        "{once[GaussianProcess]:.4f} and {once[VJM]:.4f}), over datasets they do not differ "
        "(p = {over[VJM against GaussianProcess][p]}), and on single datasets VJM is better / similar / worse on "
        "{vjm[GaussianProcess]}",
        "VJM distilled leads it over datasets (p = {over[VJM distilled against GaussianProcess][p]}), but on single "
        "datasets {distilled[GaussianProcess]} is inconclusive",
        "VJM is {gap:.3f} above the paper (higher on {ours[VJM][ours is higher]} datasets, p = {ours[VJM][p]}), and "
        "**we cannot explain it**",
        "{small:.3f} on the 17 tables with fewer than 200 rows and {large:.3f} on the others",
        "228_elusage ({at[228_elusage]}), 192_vineyard ({at[192_vineyard]}) and 485_analcatdata_vehicle ({at[485_analcatdata_vehicle]})",
        "The estimate is better / similar / worse than none on {test[VJM against VJM no estimate]}",
        "With σ = 0.5, VJM is better on 45 and worse on 2 of 55 datasets here ({test[VJM against FDM]})",
        "Early stopping** costs little here ({test[VJM_EarlyStop against VJM]})",
        "Changing τ alone, we get {test[VJM against VJM tau=1]} of 55 datasets",
        "with σ = 0.1 it is {sigma[0]} and {sigma[2]}, compared with the paper's 15 and 5",
        "about even ({test_paper[FDM sigma=0.05 against FDM sigma=0.1]}); here 0.1 is better on {sigmas[2]} datasets and worse on {sigmas[0]}.",
        "Without these three, the gap is {gap_of_others:.3f}",
        "it has a training R² of {operon[train_r2][Operon]:.3f} and a test R² of {operon[test_r2][Operon]:.3f} (VJM {operon[train_r2][VJM]:.3f} and {operon[test_r2][VJM]:.3f})",
        "whose predictions hardly leave that range ({trees[0]:.3f} to {trees[1]:.3f}; XGB {mean[XGB]:.3f} in both)",
        "VJM takes {times:.2f} times the time of PP (4.16 in the paper), and on 547_no2 its training R² is {example[VJM]:.2f} (0.74 in the paper, {example[VJM no estimate]:.2f} here without an estimate",
        "about three of VJM's own runs ({seconds[VJM]:.2f} s)",
        "but {beyond_margin[0]} of 440 differ by more than 0.05, {beyond_margin[1]} of them upwards",
        "their twins: {svr[0]:.2f} to {svr[1]:.2f} here",
    ],
    BENCHMARKS: [
        "In the paper VJM has {paper[VJM]:.3f} on these datasets and ElasticNet {paper[ElasticNet]:.3f}.",
        "VJM does not differ from kernel ridge regression (p = {over[VJM against KernelRidge][p]}, adjusted "
        "{over[VJM against KernelRidge][adjusted p]}) or a Gaussian process "
        "(p = {over[VJM against GaussianProcess][p]})",
        "VJM distilled is better on {wins[VJM distilled]} and worse on {losses[VJM distilled]} "
        "(p = {p[VJM distilled]}), and ×4 (`restarts=4`) on {wins[VJM distilled ×4]} and "
        "{losses[VJM distilled ×4]} (p = {p[VJM distilled ×4]})",
        "takes {seconds[VJM]:.2f} CPU seconds with VJM, including the noise estimate, "
        "{seconds[Standard GP]:.2f} with Standard GP and {seconds[WCRV]:.1f} with WCRV",
    ],
    "README.md": [
        "On the same {fewest} splits for both, VJM distilled is better / similar / worse than XGB on "
        "{distilled_few[XGB]} datasets.",
        "(no significant difference on {linear[1]} of these 55 datasets, better on {linear[2]})",
        "(no significant difference on {gaussian[1]}, better on {gaussian[2]})",
        "ahead of kernel ridge regression (p = {over[VJM distilled against KernelRidge][p]}, adjusted "
        "{over[VJM distilled against KernelRidge][adjusted p]}), and VJM is not "
        "(p = {over[VJM against KernelRidge][p]}, adjusted {over[VJM against KernelRidge][adjusted p]})",
    ],
}  # fmt: skip


def facts(every: pd.DataFrame) -> dict[str, Any]:
    """Return the figures that the sentences state, by the names that they use."""
    runs = every[every["status"] == "ok"]
    own = runs[runs["protocol"] == "paper"]
    datasets = sorted(own["dataset"].unique())
    extra = ["VJM", "VJM distilled", "VJM distilled ×4"]
    medians = by_dataset(own, [*extra, *MEASURES, *LEARNERS], datasets).dropna(axis=1)
    complexity, parts = beside_the_paper(runs, COMPLEXITY), other_parts(runs)
    noise = parts[parts["part"] == "label noise"].set_index("")["ours"]
    cells = pd.concat([complexity, parts[parts["part"] != "label noise"]])
    test = cells[cells["of"] == METRICS["test_r2"]].drop_duplicates("").set_index("")
    estimate = counts(own, ["VJM", "VJM no estimate"], "test_r2").iloc[0]
    estimate = "/".join(str(estimate[kind]) for kind in OUTCOMES)
    board = scoreboard(runs, STUDY)
    claims = board[board["part"] == "competitors"].set_index(["versus", "metric"])
    gaps = gap_to_the_paper(runs)
    names = ["VJM", "VJM distilled", *LEARNERS]
    accuracy = accuracy_table(own, names), accuracy_table(own, [names[1], names[0], *LEARNERS])
    (vjm, *_), (distilled, *few) = (
        [table[column] for column in table if "similar" in column] for table in accuracy
    )
    differences = medians.sub(medians["VJM"], axis=0)[extra[1:]]
    reference = test.loc["PP against GC", "ours"].split("/")
    level = own.groupby("dataset")["noise_r2"].median()
    of_operon = sorted(own["dataset"][own["method"] == "Operon"].unique())
    noisy = [name for name in of_operon if level[name] < CLEAR]
    means = beside_its_medians(runs).set_index("method")
    trees = [medians[name].mean() - paper_medians().loc[datasets, name].mean() for name in TREES]
    on_cpu = medians["SVR"].loc[
        [name for name in datasets if "_cpu_" in name and "machine" not in name]
    ]
    return {
        "mean": medians.mean(),
        "once": medians.drop(index=list(TWINS)).mean(),
        "paper": paper_medians().loc[datasets].mean(),
        "test": dict(test["ours"]) | {"VJM against VJM no estimate": estimate},
        "test_paper": test["paper"],
        "label_noise": noise["VJM against PP"],
        "beyond": beyond_chance(complexity)["of"].value_counts(),
        "p_pp_gc": digits(
            binomtest(int(reference[0]), int(reference[0]) + int(reference[2])).pvalue
        ),
        "over": {
            f"{name} against {row['against']}": row
            for name in extra[:2]
            for row in readable(leads(runs, name)).to_dict("records")
        },
        "verdicts": verdicts(board).set_index("part").to_dict("index"),
        "once_verdicts": verdicts_once(runs).set_index("part").to_dict("index"),
        "lead_mean": claims.loc[("all", "test_r2"), "ours"].split(" = ")[1][:5],
        "lead": claims.loc[("all", "test_r2")],
        "smaller": claims.loc[("VJM", "size")],
        "vjm": vjm,
        "distilled": distilled,
        "distilled_few": few[0] if few else distilled,
        "fewest": accuracy[0]["seeds"].min(),
        "linear": distilled["LinearRegression"].split(" / "),
        "gaussian": distilled["GaussianProcess"].split(" / "),
        "sigma": counts(own, ["VJM", "FDM sigma=0.1"], "test_r2").iloc[0][list(OUTCOMES)].tolist(),
        "sigmas": test.loc["FDM sigma=0.05 against FDM sigma=0.1", "ours"].split("/"),
        "operon": {
            metric: by_dataset(own, ["Operon", "VJM"], noisy, metric).mean() for metric in METRICS
        },
        "trees": (abs(min(trees)), max(trees)),
        "times": np.divide(*own.groupby("method")["cpu_seconds"].mean()[["VJM", "PP"]]),
        "example": own[own["dataset"] == "547_no2"].groupby("method")["train_r2"].median(),
        "beyond_margin": [means[[UP, "down"]].to_numpy().sum(), means[UP].sum()],
        "svr": (on_cpu.min(), on_cpu.max()),
        "gap": gaps["gap"].mean(),
        "gap_of_others": gaps["gap"].drop(CLIPPED).mean(),
        "small": gaps["gap"][gaps["small"]].mean(),
        "large": gaps["gap"][~gaps["small"]].mean(),
        "at": {n: "{ours:.3f} and {paper:.3f}".format(**row) for n, row in gaps.iterrows()},
        "ours": beside_its_medians(runs).set_index("method").to_dict("index"),
        "wins": (differences > 0).sum(),
        "losses": (differences < 0).sum(),
        "p": {name: digits(wilcoxon(differences[name]).pvalue) for name in differences},
        "seconds": own.groupby("method")["cpu_seconds"].mean(),
    }


@functools.cache
def sentences() -> list[tuple[str, str]]:
    """Return pages and sentences with the figures of the published runs."""
    known = facts(load_results())
    return [(page, text.format_map(known)) for page, texts in SENTENCES.items() for text in texts]


def missing() -> list[tuple[str, str]]:
    """Return the sentences that are not on their page."""
    words = {page: " ".join((ROOT / page).read_text("utf-8").split()) for page in SENTENCES}
    return [(page, sentence) for page, sentence in sentences() if sentence not in words[page]]


FIGURE = re.compile(r"(?<![\w/-])(?:\d+\.\d+|\d+(?: ?/ ?[\d–]+){2})(?!\w)")
OTHERS = {
    "versions and settings": "1.0 3.11 0.68.1 1.9.1 0.68 1.9 0.01 0.05 0.1 0.25 0.5",
    "figures of the paper": "0.817 0.752 0.96 0.36 0.37",
    "printed by benchmarks.clipping": "1.10 0.93 0.09 0.008 0.011 0.39 0.52",
    "printed by benchmarks.tau, and p-values of its counts": "0.04 0.01",
    "hours, compared by a test": "21.7 0.5 1.3",
    "printed by benchmarks.scaling --cost": "1.00 1.13 12.4 0.51",
    "the paper's number": "2602.01510",
    "printed by benchmarks.speed and benchmarks.scale": "1.3 0.02 18.5",
}
"""Where the figures come from that no sentence states."""


def unstated() -> list[tuple[str, str]]:
    """Return the decimals and counts in prose that are in no sentence and not in `OTHERS`."""
    known, found = set(" ".join(OTHERS.values()).split()), []
    stated = sentences()
    for page in SENTENCES:
        text = (ROOT / page).read_text("utf-8")
        text = re.sub(r"^```.*?^```|^\|.*?\n", "", text, flags=re.MULTILINE | re.DOTALL)
        text = " ".join(text.split())
        for sentence in (sentence for its_page, sentence in stated if its_page == page):
            text = text.replace(sentence, "")
        found += [(page, figure) for figure in FIGURE.findall(text) if figure not in known]
    return found


def main() -> None:
    """Print all sentences."""
    for page, sentence in sentences():
        print(f"{page}: {sentence}")


if __name__ == "__main__":
    main()
