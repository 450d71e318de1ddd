"""Other readings of GC, WCRV, RC and VJM, against slow versions of their definitions."""

import numpy as np
import pytest
from tests.support.engine_runs import evolved, features_of, inputs_of, model_of, vicinity_of
from tests.support.twins import front_numbers, loo_errors_by_refitting, ridge, worst_gap

from vjmgp import mic
from vjmgp.engine.regularizers.second_readings import RademacherAndSize
from vjmgp.engine.search.archive import BORN, O1, O2, front_of

PATH = "vjmgp.engine.regularizers.second_readings."


def run_of(problem, reading, generations=3, **changes):
    return evolved(problem, 3, generations, regularizer=PATH + reading, **changes)


def test_grand_complexity_of_the_population_enters_its_members_only(problem):
    run = run_of(problem, "GrandComplexityOfPopulation", 6)
    individuals, rows = run.individuals, run.population
    entries = run.archive.scores[front_of(run.archive)]
    members = np.column_stack([individuals.o1[rows], individuals.o2[rows]])
    assert len(entries)
    for o1, o2 in entries[:, [O1, O2]]:
        assert ((members == (o1, o2)).all(axis=1)).any()
    assert (run.archive.facts[front_of(run.archive), BORN] == 6).all()


def test_wcrv_of_residuals(problem):
    x, y = problem
    run = run_of(problem, "WcrvOfResiduals")
    for row in run.population[:10]:
        residuals = y - run.individuals.fitted[row]
        found = np.array([mic(x[:, k], residuals) for k in inputs_of(run, row)])
        relevant = found >= np.median(found) if len(found) else found
        slow = np.where(relevant, found**2, 1.0 - found).sum()
        assert run.individuals.o2[row] == pytest.approx(slow, abs=1e-9)


def test_refits_of_rademacher_choose_their_ridge_strength(problem):
    run = run_of(problem, "RefittedRademacher")
    signs, chosen = run.regularizer._signs.signs, set()
    for row in run.population[:4]:
        z, parts = features_of(run, row, problem[0]), []
        for sign in signs:
            target = -sign * run.y
            errors = [loo_errors_by_refitting(z, target, a).mean() for a in run.alphas]
            weights, intercept = ridge(z, target, run.alphas[np.argmin(errors)])
            loss = (z @ weights + intercept - run.y) ** 2 / np.var(run.y)
            parts.append(max(0.0, np.mean(sign * loss)))
            chosen.add(np.argmin(errors))
        assert run.individuals.o2[row] == pytest.approx(np.mean(parts), rel=1e-6)
    assert len(chosen) > 1


def test_size_is_the_third_objective_of_rademacher(problem, monkeypatch):
    seen = []
    survivors = RademacherAndSize.survivors

    def watched(self, run, pool):
        kept = survivors(self, run, pool)
        individuals = run.individuals
        fronts = front_numbers(individuals.o1[pool], individuals.o2[pool], individuals.size[pool])
        lost = fronts[~np.isin(pool, kept)]
        seen.append(fronts[np.isin(pool, kept)].max() <= lost.min(initial=len(pool)))
        return kept

    monkeypatch.setattr(RademacherAndSize, "survivors", watched)
    run = run_of(problem, "RademacherAndSize")
    individuals, rows = run.individuals, run.population
    assert seen == [True] * 3
    objectives = [part[rows].astype(float) for part in (individuals.o1, individuals.o2)]
    objectives.append(individuals.size[rows].astype(float))
    first = front_numbers(*objectives) == 0
    scaled = sum((v[first] - v[first].min()) / np.ptp(v[first]) for v in objectives)
    (entry,) = front_of(run.archive)
    assert run.archive.scores[entry, O1] == objectives[0][first][np.argmin(scaled)]


def test_bounded_gap_clips_every_prediction(problem):
    x, y = problem[0], np.sign(problem[1])  # predictions of two labels often leave their range
    y = (y - y.mean()) / y.std()
    run = run_of((x, y), "BoundedJensenGap")
    points, partner, share = vicinity_of(run, x)
    clipped = 0
    for row in run.population[:20]:
        model, z = model_of(run, row), features_of(run, row, x)
        alpha, loo = run.individuals.alpha[row], np.empty(len(y))
        for i in range(len(y)):
            weights, intercept = ridge(np.delete(z, i, 0), np.delete(y, i), alpha)
            prediction = intercept + z[i] @ weights
            loo[i] = (y[i] - np.clip(prediction, y.min(), y.max())) ** 2
            clipped += not y.min() <= prediction <= y.max()
        np.testing.assert_allclose(run.individuals.loo[row], loo, rtol=1e-6, atol=1e-10)
        assert run.individuals.o1[row] == pytest.approx(loo.mean(), rel=1e-6)

        def bounded(values, model=model):
            return np.clip(model(values), y.min(), y.max())

        slow = worst_gap(bounded, bounded(x), points, partner, share, len(y))
        assert run.individuals.o2[row] == pytest.approx(slow, rel=1e-8)
    assert clipped > 0
