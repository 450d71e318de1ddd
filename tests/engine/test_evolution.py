"""Runs: determinism, archive, elitism, invalid individuals, history."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.support.engine_runs import advanced, evolved, fingerprint, new_run, printed_by
from tests.support.twins import dominates

from vjmgp.engine.objectives.row_weights import row_weights
from vjmgp.engine.preparation import prepare
from vjmgp.engine.regularizers import REGULARIZERS
from vjmgp.engine.search import archive as archives
from vjmgp.engine.search.archive import O1, O2, front_of, make_archive, reserve, update_archive
from vjmgp.engine.search.evolution import Evolution
from vjmgp.engine.search.front_rules import RULES
from vjmgp.engine.search.population import make_individuals
from vjmgp.engine.settings import Settings
from vjmgp.engine.trees.pool import make_pool

pytestmark = pytest.mark.usefixtures("all_kernels")


@pytest.mark.parametrize("regularizer", REGULARIZERS)
def test_runs_depend_only_on_the_seed(problem, regularizer):
    first = fingerprint(evolved(problem, 1, regularizer=regularizer))
    assert fingerprint(evolved(problem, 1, regularizer=regularizer)) == first
    assert fingerprint(evolved(problem, 2, regularizer=regularizer)) != first


@pytest.mark.parametrize("limit", [0.0, 0.03, 0.3])
@pytest.mark.parametrize("early", [False, True])
def test_memory_limit_does_not_change_results(problem, limit, early):
    roomy = evolved(problem, early_stopping=early)
    tight = evolved(problem, early_stopping=early, memory_limit=limit)
    assert len(tight.pool.features) < 200 < len(roomy.pool.features)
    assert fingerprint(tight) == fingerprint(roomy)


def test_two_threads_give_the_results_of_one(problem):
    alone = [fingerprint(evolved(problem, seed)) for seed in range(4)]
    with ThreadPoolExecutor(2) as threads:
        together = list(threads.map(lambda s: fingerprint(evolved(problem, s)), range(4)))
    assert alone == together


SCRIPT = """
import hashlib, sys
sys.path.insert(0, {tests!r})
from tests.support.engine_runs import evolved, fingerprint, small_problem
print(hashlib.sha256(fingerprint(evolved(small_problem(), 1))).hexdigest())
"""


def test_new_process_gives_the_same_results(problem):
    here = hashlib.sha256(fingerprint(evolved(problem, 1))).hexdigest()
    script = SCRIPT.format(tests=str(Path(__file__).parents[2]))
    for threads in ("1", "2"):
        found = printed_by(script, NUMBA_NUM_THREADS=threads, OMP_NUM_THREADS=threads)
        assert found.strip() == here


def test_front_has_every_non_dominated_individual(problem):
    run = new_run(problem, 4)
    everyone = []
    evaluate = run._evaluate

    def record(rows):
        valid = evaluate(rows)
        everyone.extend(zip(run.individuals.o1[valid], run.individuals.o2[valid], strict=True))
        scores = run.archive.scores[front_of(run.archive)][:, [O1, O2]]
        front = {tuple(point) for point in scores}
        best = {p for p in everyone if not any(dominates(q, p) for q in everyone)}
        assert front == best
        return valid

    run._evaluate = record
    advanced(run, 6)
    points = np.array(everyone)
    for tau in (0.1, 1.0, 10.0):
        front = front_of(run.archive)
        chosen = RULES["tau"](run.archive.scores[front, O1], run.archive.scores[front, O2], tau)
        best = run.archive.scores[front[chosen]]
        assert best[O1] + tau * best[O2] == (points[:, 0] + tau * points[:, 1]).min()


def test_front_of_an_earlier_generation(problem):
    run = evolved(problem, 4, 0)
    fronts = [front_of(run.archive)]
    for _ in range(6):
        run.step()
        fronts.append(front_of(run.archive))
    for generation, front in enumerate(fronts):
        np.testing.assert_array_equal(front_of(run.archive, generation), front)
    facts = run.archive.facts[: run.archive.counts[archives.ENTRIES]]
    dead = facts[:, archives.DIED] != archives.ALIVE
    assert (facts[dead, archives.DIED] >= facts[dead, archives.BORN]).all()


def test_archive_of_random_points_is_their_front():
    rng = np.random.default_rng(0)
    for _ in range(30):
        o1, o2 = rng.integers(0, 9, (2, 40)) / 4
        individuals = make_individuals(40, 2, 3)
        individuals.o1[:], individuals.o2[:] = o1, o2
        archive = reserve(make_archive(2, 4, 4), 40, 40)
        pool = make_pool(4, 1, 3, 8)
        update_archive(archive, pool, individuals, np.arange(3.0), row_weights(3), np.arange(40), 0)
        found = [tuple(p) for p in archive.scores[front_of(archive)][:, [O1, O2]]]
        points = list(zip(o1, o2, strict=True))
        best = {p for p in points if not any(dominates(q, p) for q in points)}
        assert found == sorted(best)


def test_standard_gp_keeps_the_best_individual(problem):
    run = evolved(problem, 0, 0, population_size=30, regularizer="none")
    best = run.individuals.o1[run.population].min()
    for _ in range(15):
        run.step()
        now = run.individuals.o1[run.population].min()
        assert now <= best
        best = now
        assert len(run.population) == 30
        assert run.archive.scores[front_of(run.archive), O1].min() == best


def test_invalid_individuals_are_neither_parents_nor_models(problem):
    x, y = problem
    run = evolved((x * 1e160, y), 0, 0, functions=("square", "mul", "add"))
    for _ in range(5):
        run.step()
        assert np.isfinite(run.individuals.o1[run.population]).all()
        assert np.isfinite(run.individuals.o2[run.population]).all()
    assert np.isfinite(run.archive.scores[front_of(run.archive)]).all()


def test_population_without_valid_individuals_is_replaced(problem):
    x, y = problem
    settings = Settings(population_size=3, functions=("neg",))
    empty = 0
    for seed in range(12):
        run = Evolution(prepare(x * 1e200, y, settings, seed, noise_r2=0.0))
        run.start()
        empty += len(run.population) == 0
        for _ in range(4):
            run.step()
            assert np.isfinite(run.individuals.o1[run.population]).all()
    assert empty > 0


def test_history_has_a_row_per_generation(problem):
    run = evolved(problem)
    assert [record["generation"] for record in run.history] == list(range(9))
    assert run.history[-1]["evaluations"] == run.evaluations == 360
    sums = [record["o1"] + run.tau * record["o2"] for record in run.history]
    assert (np.diff(sums) <= 0).all()


def test_intrusion_detection_has_its_own_stream(problem):
    a = evolved(problem, 0, 0, population_size=20, intrusion_detection=True)
    b = evolved(problem, 0, 0, population_size=20, intrusion_detection=False)
    np.testing.assert_array_equal(a.individuals.o1, b.individuals.o1)
    assert a.noise_r2 == b.noise_r2


def test_rules_of_the_final_choice():
    o1, o2 = np.array([0.0, 0.2, 1.0]), np.array([5.0, 1.0, 0.0])
    assert RULES["knee"](o1, o2, 1.0) == 1
    assert RULES["o1"](o1, o2, 1.0) == 0
    assert RULES["o2"](o1, o2, 1.0) == 2
    assert RULES["tau"](o1, o2, 10.0) == 2
    assert RULES["tau"](o1, o2, 0.0) == 0
