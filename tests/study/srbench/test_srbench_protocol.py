"""SRBench's protocol and its config."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from tests.support.configs import study_of, study_of_config

from vjmgp.study.config.schema import ConfigError
from vjmgp.study.names import ONE_FORMULA
from vjmgp.study.protocols import PAPER, SRBENCH, SRBENCH_SEEDS, Protocol
from vjmgp.tables.paper_datasets import paper_datasets


@pytest.mark.parametrize("rows", [11, 52, 53, 54, 55, 8192])
def test_srbench_splits_equal_those_of_scikit_learn(rows):
    assert len(SRBENCH_SEEDS) == 10
    for run, seed in enumerate(SRBENCH_SEEDS):
        theirs = train_test_split(
            np.arange(rows), train_size=0.75, test_size=0.25, random_state=seed
        )
        for ours, expected in zip(SRBENCH.split("any", rows, run), theirs, strict=True):
            np.testing.assert_array_equal(ours, expected)


def test_srbench_has_ten_splits():
    with pytest.raises(ValueError, match="SRBench has 10 splits; there is none for run 10"):
        SRBENCH.split("any", 100, 10)
    experiments = {"one": {"methods": ["VJM"], "protocol": "srbench"}}
    assert study_of(experiments=experiments, seeds=10).experiments["one"].follows_srbench
    message = (
        "seeds is 11, but the protocol 'srbench' of experiments.one has 10 splits; use at most 10"
    )
    with pytest.raises(ConfigError, match=message):
        study_of(experiments=experiments, seeds=11)


def test_identities_of_other_protocols_are_unchanged():
    study = study_of_config("paper.yaml", unavailable="skip")
    assert study.ids.run("paper", "547_no2", "VJM") == "4a00e09d"
    assert study.ids.split("srbench", "547_no2") != study.ids.split("paper", "547_no2")
    same_share = study_of(protocols={"mine": {"train_share": 0.75}})
    assert same_share.ids.split("mine", "547_no2") != same_share.ids.split("srbench", "547_no2")
    assert Protocol(train_rows=None, train_share=0.75) != SRBENCH
    assert PAPER.most_seeds is None


def test_config_has_the_datasets_of_the_paper_and_samples_rows():
    study = study_of_config("srbench.yaml")
    assert study.config["datasets"] == list(paper_datasets())
    assert study.seeds == len(SRBENCH_SEEDS)
    assert study.experiments_of("compare_srbench") == list(study.experiments)
    for method in study.methods.values():
        assert method.kind == ONE_FORMULA
        assert method.definition["gp"]["max_rows"] <= 3000
