"""Lists that must agree: the schema, the rules, the configs, and the package."""

import re
import tomllib
from types import SimpleNamespace

import pytest
import yaml
from snakemake.exceptions import WorkflowError
from tests.support.configs import ROOT, SCHEMA, load, study_of_config

from vjmgp import FUNCTION_NAMES, MORE_FUNCTION_NAMES, REGULARIZERS, SELECTIONS, embedded_datasets
from vjmgp.engine.paper_names import REGULARIZER_OF
from vjmgp.engine.parameters import PREDICTORS
from vjmgp.engine.search.front_rules import FINAL_RULES
from vjmgp.engine.settings import Settings
from vjmgp.operations import snakemake_internals
from vjmgp.study import steps
from vjmgp.study.config.schema import check
from vjmgp.study.statistics.fewest_pairs import fewest_pairs
from vjmgp.study.statistics.summaries import paper_medians
from vjmgp.study.steps import RULES, STEPS
from vjmgp.tables.paper_datasets import paper_datasets, pmlb_number

RULES_OF_SCHEMA = yaml.safe_load(SCHEMA.read_text())


def gp_rules():
    return RULES_OF_SCHEMA["$defs"]["method"]["properties"]["gp"]["properties"]


def test_schema_has_every_setting():
    beyond = {"max_time", "max_rows", "restarts", "node_price", "predict_with", "encoding"}
    assert set(gp_rules()) == set(Settings.__dataclass_fields__) | beyond
    assert gp_rules()["regularizer"]["then"]["enum"] == [*REGULARIZERS, *REGULARIZER_OF]
    assert gp_rules()["selection"]["enum"] == list(SELECTIONS)
    assert gp_rules()["functions"]["items"]["enum"] == [*FUNCTION_NAMES, *MORE_FUNCTION_NAMES]
    assert gp_rules()["final_rule"]["enum"] == list(FINAL_RULES)
    assert gp_rules()["predict_with"]["enum"] == list(PREDICTORS)


def test_every_key_of_the_schema_is_described():
    def walk(rules, where):
        for key, rule in rules.get("properties", {}).items():
            if where != "config.method.gp":  # VJMRegressor describes these
                assert rule.get("description"), f"{where}.{key}"
            walk(rule, f"{where}.{key}")
        if isinstance(rules.get("additionalProperties"), dict):
            walk(rules["additionalProperties"], f"{where}.*")

    walk(RULES_OF_SCHEMA, "config")
    walk(RULES_OF_SCHEMA["$defs"]["method"], "config.method")
    for key, rule in RULES_OF_SCHEMA["properties"].items():
        assert "default" in rule or key in RULES_OF_SCHEMA["required"], key
    documented = (ROOT / "config/README.md").read_text()
    for key in RULES_OF_SCHEMA["properties"]:
        assert f"`{key}`" in documented, key


def test_rules_of_the_workflow_are_those_of_the_table():
    text = "".join(path.read_text() for path in [*ROOT.glob("workflow/rules/*.smk")])
    text += (ROOT / "Snakefile").read_text() + (ROOT / "workflow/Snakefile").read_text()
    rules = re.findall(r"^(?:use rule run_gp as|rule) (\w+)", text, re.MULTILINE)
    assert sorted(rules) == sorted(RULES)


def test_every_rule_runs_its_step():
    for path in ROOT.glob("workflow/rules/*.smk"):
        for rule in re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", path.read_text(), re.M | re.S):
            is_run = "../scripts/run_step.py" in rule[1]
            assert is_run == (f'        step="{rule[0]}",\n' in rule[1]), rule[0]
            assert is_run == bool(rule[0] in STEPS and STEPS[rule[0]].function), rule[0]
    for step in STEPS.values():
        assert set(step.after) <= set(list(STEPS)[: list(STEPS).index(step.name)]), step.name
        if step.function:
            assert callable(steps.load(step.function))
    assert STEPS["run_baseline"].function == STEPS["run_gp"].function  # the rules share a script


@pytest.mark.parametrize(
    ("version", "is_known"),
    [("9.19.3", False), ("9.20.0", True), ("9.27.1", True), ("10.0.0", False)],
)
def test_internals_of_other_versions_of_snakemake_are_left_alone(monkeypatch, version, is_known):
    monkeypatch.setattr("snakemake.__version__", version)
    workflow = SimpleNamespace(
        dag=SimpleNamespace(forcefiles=set()), scheduler=SimpleNamespace(job_rate_limiter=1)
    )
    snakemake_internals.lift_job_rate_limit(workflow)
    assert workflow.scheduler.job_rate_limiter == (None if is_known else 1)
    if is_known:
        snakemake_internals.force(workflow, "a.json")
        snakemake_internals.set_default_target(workflow, "all")
        assert (workflow.dag.forcefiles, workflow.default_target) == ({"a.json"}, "all")
    else:
        with pytest.raises(WorkflowError, match=f"before 10; {version} is installed"):
            snakemake_internals.force(workflow, "a.json")


def test_grids_are_those_of_the_paper():
    paper = yaml.safe_load((ROOT / "src/vjmgp/data/paper/baseline_grids.yaml").read_text())
    catalogue = load("methods.yaml")
    methods = {"additionalProperties": {"$ref": "#/$defs/method"}}
    check(catalogue, methods | {"$defs": RULES_OF_SCHEMA["$defs"]})
    assert set(paper) <= set(catalogue)
    for name, grid in paper.items():
        assert catalogue[name].get("grid", {}) == grid, name
    assert len(paper) == 15
    assert catalogue["Operon"]["settings"] == {
        "local_iterations": 5,
        "offspring_generator": "basic",
        "reinserter": "keep-best",
        "max_evaluations": 500000,
    }


def test_default_study_needs_no_network():
    study = study_of_config("config.yaml")
    assert set(study.datasets) <= set(embedded_datasets())
    assert study.datasets == list(embedded_datasets())  # all, so that none is chosen
    assert study.seeds >= fewest_pairs(study.significance)
    first, *others = study.experiments["competitors"].methods
    assert first == "VJM distilled"
    assert {"LinearRegression", "ElasticNet", "KernelRidge", "GaussianProcess"} <= {*others}


def test_study_of_the_paper_is_complete():
    config = load("paper.yaml")
    names = config["datasets"]
    assert names == list(paper_datasets())
    assert set(names) == set(paper_medians().index)
    small = [name for name, about in paper_datasets().items() if about.rows < 2000]
    assert config["experiments"]["label_noise"]["datasets"] == small
    assert len(small) == 36
    text = (ROOT / "src/vjmgp/data/paper/win_tie_loss.csv").read_text().splitlines()[1:]
    assert {line.split(",")[0] for line in text} <= set(config["experiments"])
    assert config["seeds"] == 30
    assert len(study_of_config("paper.yaml").experiments["competitors"].methods) == 17


def test_datasets_of_slow_learners_follow_the_rule():
    study = study_of_config("slow.yaml")
    names = list(paper_datasets())
    assert names == sorted(names, key=pmlb_number)
    at_hand = {name for name, about in paper_datasets().items() if about.rows < 1_000_000}
    every_fifth = [names[start:] for start in range(0, len(names), 5)]
    assert study.datasets == [next(n for n in rest if n in at_hand) for rest in every_fifth]
    assert len(study.datasets) == 12
    assert study.seeds == fewest_pairs(study.significance)
    paper = study_of_config("paper.yaml")
    assert set(study.methods) <= set(paper.methods)


def test_conda_environment_has_the_dependencies_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["plots"], *extras["workflow"]]
    wanted = [entry.replace("snakemake[reports]", "snakemake-minimal") for entry in wanted]
    wanted.remove("vjmgp[plots]")
    conda = yaml.safe_load((ROOT / "envs/vjmgp.yaml").read_text())["dependencies"]
    assert f"python{project['requires-python']}" in conda
    beyond = {"pip", "pygments>=2.0", f"python{project['requires-python']}"}
    assert sorted(wanted) == sorted(set(conda) - beyond)
