"""Teacher and student, compared with slow reference implementations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.engine_runs import advanced
from tests.support.regressors import trees_of
from tests.support.twins import evaluate_tree, worst_gap

from vjmgp.engine.distillation import distil as distillation
from vjmgp.engine.distillation import teacher as teachers
from vjmgp.engine.distillation.candidates import collect, values_of
from vjmgp.engine.distillation.distil import distil, teaching_points
from vjmgp.engine.distillation.student import DEPENDENT, RIDGE, ROUNDS, select
from vjmgp.engine.distillation.teacher import Members, mean_of_models, teacher_of, teacher_tau
from vjmgp.engine.preparation import prepare
from vjmgp.engine.search import archive as archives
from vjmgp.engine.search.archive import O1, O2, RESTART, SIZE, front_of, merged, part_of
from vjmgp.engine.search.evolution import Evolution
from vjmgp.engine.settings import Settings


def evolved(prepared, restart=0):
    return advanced(Evolution(prepared, restart), 8)


@pytest.fixture(scope="module")
def prepared(problem):
    return prepare(*problem, Settings(population_size=40), seed=3)


@pytest.fixture(scope="module")
def archive(prepared):
    return merged([evolved(prepared, restart).archive for restart in range(2)])


def values(archive, entry, x, y):
    """Return an entry's unclipped predictions."""
    total = np.full(len(x), y.mean())
    for t, (codes, constants) in enumerate(trees_of(archive, entry)):
        weight, centre, factor = archive.linear[
            entry, [archives.WEIGHT, archives.CENTRE, archives.FACTOR], t
        ]
        total += weight * (evaluate_tree(codes, constants, x.T) - centre) * factor
    return total


def test_merged_archives_keep_all_entries_and_have_one_front(prepared, archive):
    runs = [evolved(prepared, restart) for restart in range(2)]
    counts = [int(run.archive.counts[archives.ENTRIES]) for run in runs]
    assert archive.counts[archives.ENTRIES] == sum(counts)
    for restart, run in enumerate(runs):
        own = np.flatnonzero(archive.facts[:, RESTART] == restart)
        np.testing.assert_array_equal(archive.scores[own], run.archive.scores[: counts[restart]])
        np.testing.assert_array_equal(front_of(part_of(archive, own)), front_of(run.archive))
        for entry in (own[0], own[-1]):
            ours, theirs = (
                [(*map(tuple, part),) for part in trees_of(*place)]
                for place in ((archive, entry), (run.archive, entry - own[0]))
            )
            assert ours == theirs
    front = archive.scores[front_of(archive)][:, [O1, O2]]
    everything = archive.scores[: archive.counts[archives.ENTRIES]][:, [O1, O2]]
    for point in front:
        better = (everything <= point).all(1) & (everything < point).any(1)
        assert not better.any()
    dominated = [any((q <= p).all() and (q < p).any() for q in everything) for p in everything]
    assert {tuple(p) for p in front} == {
        tuple(p) for p, bad in zip(everything, dominated, strict=True) if not bad
    }


def test_restarts_differ_and_the_first_equals_a_single_run(prepared):
    plain, first, second = evolved(prepared), evolved(prepared, 0), evolved(prepared, 1)
    np.testing.assert_array_equal(plain.archive.scores, first.archive.scores)
    assert not np.array_equal(first.archive.scores[:50], second.archive.scores[:50])


def test_teacher_weights_follow_their_definition(archive):
    tau = 1.7
    teacher = teacher_of(archive, tau)
    expected = {}
    for restart in range(2):
        own = [e for e in range(len(archive.facts)) if archive.facts[e, RESTART] == restart]
        sums = {e: archive.scores[e, O1] + tau * archive.scores[e, O2] for e in own}
        least = min(sums.values())
        weights = {
            e: np.exp(-(s - least) / (teachers.TEMPERATURE * least)) for e, s in sums.items()
        }
        kept = {e: w for e, w in weights.items() if w > teachers.LEAST_WEIGHT}
        expected |= {e: w / sum(kept.values()) / 2 for e, w in kept.items()}
    assert teacher.entries.tolist() == list(expected)
    np.testing.assert_allclose(teacher.weights, list(expected.values()), rtol=1e-12)
    assert teacher.weights.sum() == pytest.approx(1.0)


def test_perfect_model_is_the_only_teacher_of_its_restart(archive):
    scores = archive.scores.copy()
    scores[4, [O1, O2]] = 0.0
    teacher = teacher_of(archive._replace(scores=scores), 1.0)
    restart = archive.facts[4, RESTART]
    alone = [e for e in teacher.entries if archive.facts[e, RESTART] == restart]
    assert alone == [4]


def test_teacher_tau_falls_with_less_noise():
    taus = [teacher_tau(noise) for noise in (-2.0, 0.0, 0.3, 0.6, 0.9, 1.0)]
    assert taus == sorted(taus, reverse=True)
    assert taus[0] == taus[1] == teachers.MOST_TAU
    assert 0.0 < taus[-1] < 0.2
    assert teacher_tau(float("nan")) == pytest.approx(teachers.MOST_TAU / 2)


def test_candidates_are_distinct_and_add_up_to_the_teacher(prepared, archive):
    x, y = prepared.x, prepared.y
    teacher = teacher_of(archive, 1.0)
    found = collect(archive, teacher, x.shape[1], float(y.mean()))
    nodes = [
        (tuple(found.codes[a : a + n]), tuple(found.constants[a : a + n]))
        for a, n in zip(found.start, found.length, strict=True)
    ]
    assert len(set(nodes)) == len(nodes)
    matrix = values_of(found, x)
    for (codes, constants), row in zip(nodes[:80], matrix, strict=False):
        np.testing.assert_allclose(row, evaluate_tree(codes, constants, x.T), rtol=1e-9, atol=1e-12)
    expected = sum(w * values(archive, e, x, y) for e, w in zip(*teacher, strict=True))
    mean = found.intercept + found.coefficient @ matrix
    np.testing.assert_allclose(mean, expected, rtol=1e-9, atol=1e-9)
    whole = {
        (tuple(codes), tuple(constants))
        for entry in teacher.entries
        for codes, constants in trees_of(archive, entry)
    }
    assert whole <= set(nodes)


def test_mean_of_models_clips_each_model():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(3, 20))
    matrix[2, 5] = np.nan
    members = Members(
        np.array([0.7, 0.3]),
        np.array([0.1, -0.2]),
        np.array([0, 2, 3]),
        np.array([0, 2, 1]),
        np.array([1.5, -1.0, 2.0]),
    )
    first = np.clip(0.1 + 1.5 * matrix[0] - matrix[2], -1, 1)
    first[5] = 0.0
    expected = 0.7 * first + 0.3 * np.clip(-0.2 + 2 * matrix[1], -1, 1)
    np.testing.assert_allclose(mean_of_models(members, matrix, -1.0, 1.0), expected, atol=1e-14)


def slow_select(z, teacher, price, most):
    """Select by refitting everything at every step."""
    n = len(teacher)
    gram = z @ z.T / n + RIDGE * np.eye(len(z))
    moments = z @ teacher / n

    def distance(chosen):
        part = moments[chosen]
        return -part @ np.linalg.solve(gram[np.ix_(chosen, chosen)], part) if chosen else 0.0

    def independent(chosen, c):
        if not chosen:
            return True
        across = gram[chosen, c]
        left = gram[c, c] - across @ np.linalg.solve(gram[np.ix_(chosen, chosen)], across)
        return left > DEPENDENT * gram[c, c]

    def forward(chosen):
        while len(chosen) < most:
            now = distance(chosen)
            gains = {
                c: now - distance([*chosen, c]) - price[c]
                for c in range(len(z))
                if c not in chosen and independent(chosen, c)
            }
            best = max(gains, key=gains.get, default=None)
            if best is None or gains[best] <= 0:
                break
            chosen = [*chosen, best]
        return chosen

    def backward(chosen):
        while len(chosen) > 1:
            now = distance(chosen)
            rest = {c: [k for k in chosen if k != c] for c in chosen}
            saved = {c: price[c] - (distance(rest[c]) - now) for c in chosen}
            worst = max(saved, key=saved.get)
            if saved[worst] <= 0:
                break
            chosen = rest[worst]
        return chosen

    chosen = []
    for _ in range(ROUNDS):
        chosen = backward(forward(chosen))
    chosen = forward(chosen)
    weights = np.linalg.solve(gram[np.ix_(chosen, chosen)], moments[chosen]) if chosen else []
    return chosen, weights


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 30), st.sampled_from([0.0, 0.001, 0.01, 0.1]))
def test_selection_equals_refitting_at_every_step(seed, count, price):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(count, 50)) @ np.eye(50)
    z += 0.5 * rng.normal(size=(count, 3)) @ rng.normal(size=(3, 50))
    z[-1] = z[0]  # a copy
    z = (z - z.mean(1, keepdims=True)) / z.std(1, keepdims=True)
    teacher = rng.normal(size=count) @ z + rng.normal(size=50)
    cost = price * rng.integers(1, 9, count) * np.mean(teacher**2)
    chosen, weights = select(np.ascontiguousarray(z), teacher, cost, 6)
    expected, wanted = slow_select(z, teacher, cost, 6)
    assert [min(c, count - 1) % (count - 1 or 1) for c in chosen] == [
        min(c, count - 1) % (count - 1 or 1) for c in expected
    ]
    np.testing.assert_allclose(weights, wanted, rtol=1e-6, atol=1e-9)


def test_student_scores_follow_their_definition(prepared, archive):
    x, y = prepared.x, prepared.y
    student = distil(prepared, archive)
    assert student.counts[archives.ENTRIES] == 1
    features = [evaluate_tree(codes, constants, x.T) for codes, constants in trees_of(student, 0)]
    z = np.column_stack([(f - f.mean()) / f.std() for f in features])
    fitted = values(student, 0, x, y)
    np.testing.assert_allclose(fitted.mean(), y.mean(), atol=1e-12)
    errors = {}
    for alpha in (0.1, 1.0, 10.0):
        inverse = np.linalg.inv(z.T @ z + alpha * np.eye(z.shape[1]))
        leverage = 1 / len(y) + np.einsum("ij,jk,ik->i", z, inverse, z)
        ridge = y.mean() + z @ (inverse @ (z.T @ y))
        own = np.mean(((y - ridge) / (1 - leverage)) ** 2)
        errors[own] = np.mean(((y - fitted) / (1 - leverage)) ** 2)
    assert student.scores[0, O1] == pytest.approx(errors[min(errors)], rel=1e-9)
    vicinity = prepared.regularizer.vicinity
    points = prepared.extra, vicinity.partner, vicinity.share
    gap = worst_gap(lambda at: values(student, 0, at, y), fitted, *points, len(y))
    assert student.scores[0, O2] == pytest.approx(gap, rel=1e-9)
    clipped = np.clip(fitted, y.min(), y.max())
    assert student.scores[0, archives.TRAIN_R2] == pytest.approx(
        1 - np.mean((y - clipped) ** 2) / y.var()
    )
    assert student.facts[0, SIZE] == sum(len(codes) for codes, _ in trees_of(student, 0))
    assert student.facts[0, archives.BORN] == 8


def test_student_follows_its_teacher(prepared, archive):
    teacher = teacher_of(archive, teacher_tau(prepared.noise_r2))
    mean = sum(
        w * values(archive, e, prepared.x, prepared.y) for e, w in zip(*teacher, strict=True)
    )
    student = values(distil(prepared, archive), 0, prepared.x, prepared.y)
    assert np.mean((mean - student) ** 2) < 0.1 * np.mean(mean**2)


def test_higher_price_gives_a_shorter_student(prepared, archive):
    sizes = [int(distil(prepared, archive, price).facts[0, SIZE]) for price in (1e-5, 0.002, 0.02)]
    assert sizes[0] > sizes[1] > sizes[2]


def test_student_far_from_its_teacher_is_rejected(prepared, archive, monkeypatch):
    monkeypatch.setattr(distillation, "FARTHEST", 1e-9)
    assert distil(prepared, archive) is None


def test_teaching_points_are_limited_and_start_with_training_rows(problem, prepared, monkeypatch):
    points, n, _ = teaching_points(prepared)
    np.testing.assert_array_equal(points[:n], problem[0])
    assert len(points) == 60 + 600 + 1000
    assert np.ptp(points[660:]) > 0
    monkeypatch.setattr(distillation, "MOST_ROWS", 40)
    points, n, _ = teaching_points(prepared)
    assert (n, len(points)) == (40, 120)
    rows = {tuple(row) for row in problem[0]}
    assert all(tuple(row) in rows for row in points[:n])
    assert len({tuple(row) for row in points[:n]}) == 40
