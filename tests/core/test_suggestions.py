"""Tests of names that are suggested in place of an unknown one."""

import pandas as pd
import pytest
from tests.support.configs import mine, one, study_of

from vjmgp import VJMRegressor, load_file
from vjmgp.core.suggestions import alternatives, did_you_mean
from vjmgp.fit_reports.fit_settings import FitSettings
from vjmgp.fit_reports.training_table import read_training_table
from vjmgp.study.config.schema import ConfigError


def test_similar_names_are_suggested_whatever_their_capitals():
    assert did_you_mean("Y", ["x", " y ", "z"]) == "; did you mean ' y '?"
    assert did_you_mean("yeild", ["Yield", "YIELD", "year", "heat"]) == (
        "; did you mean 'Yield' or 'YIELD'?"
    )
    assert did_you_mean("q", ["heat"]) == ""
    assert alternatives("q", ["a", "b"]) == "; known are 'a', 'b'."
    assert alternatives("q", []) == "."


def test_no_message_lists_thousands_of_columns(tmp_path):
    names = [f"gene_{k}" for k in range(3000)]
    wide = pd.DataFrame([range(3001)] * 12, columns=[*names, "yield"])
    wide.to_csv(tmp_path / "w.csv", index=False)
    for target, hint in (("yeild", "did you mean 'yield'?"), ("zzz", "… (3,001 in all).")):
        with pytest.raises(ValueError, match="no column") as error:
            load_file(tmp_path / "w.csv", target)
        assert str(error.value).endswith(hint)
        assert len(str(error.value)) < 500
    settings = FitSettings(target="yield", ignore="gene_7x", nominal="Gene_8", weights="Yield")
    with pytest.raises(ValueError, match="things are wrong") as error:
        read_training_table(wide, settings)
    lines = str(error.value).splitlines()
    assert lines[1].startswith("- there is no column 'gene_7x'; did you mean 'gene_7")
    assert lines[2] == "- there is no column 'Yield'; did you mean 'yield'?"
    assert lines[3].startswith("- no column 'Gene_8' to take as nominal; did you mean 'gene_8'")
    assert max(map(len, lines)) < 500
    model = VJMRegressor(categorical_features=["gene_x"])
    with pytest.raises(ValueError, match="names 'gene_x', which is not a column; did you") as error:
        model.fit(wide[names], wide["yield"])
    assert len(str(error.value)) < 500


def test_names_of_methods_keys_and_datasets_are_suggested():
    with pytest.raises(ValueError, match="'method' is 'VMJ'; did you mean 'VJM'"):
        FitSettings(target="y", method="VMJ").find_regularizer()
    for changes, hint in (
        (one("vjm"), "'vjm' is not a method; did you mean 'VJM'"),
        (mine(gp={"Tau": 1}), "there is no key 'Tau'; did you mean 'tau'"),
        ({"datasets": ["547_NO"]}, "did you mean '547_no2'"),
    ):
        with pytest.raises(ConfigError, match=hint):
            study_of(**changes)
