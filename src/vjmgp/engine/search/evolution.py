"""The evolution of a population.

Each stage is one call of a compiled kernel per generation; the order is that of the paper's method
section.
"""

import copy
import time
from typing import Any

import numpy as np

from ...core.arrays import Integers
from ..numerics.rng import stream
from ..objectives.ridge import fit_individuals, make_ridge_scratch
from ..preparation import Prepared
from ..trees.evaluation import make_workspace
from ..trees.pool import ARENA_USED, compact, fill_training_rows, make_pool, take_slots
from ..trees.primitives import codes_of
from ..trees.structure import NO_LIMIT, Grammar, nesting_table
from . import archive as archives
from .front_rules import front_rule
from .population import make_individuals, rehash, release
from .selection import SELECTIONS
from .threads import MANY_ROWS, ThreadScratch, run_in_threads
from .variation import Rates, initialise, make_scratch, vary


class Evolution:
    """One evolution on prepared data. Restarts differ only in their random numbers."""

    def __init__(
        self, prepared: Prepared, restart: int = 0, memory_share: float = 1.0, threads: int = 1
    ) -> None:
        self.prepared = prepared
        self.settings = prepared.settings
        self.y = prepared.y
        self.weights, self.sample_weight = prepared.weights, prepared.weights.each
        self.noise_r2, self.tau = prepared.noise_r2, prepared.tau
        self.first_extra_row = prepared.first_extra_row
        self.generation = 0
        self.evaluations = 0
        self.history: list[dict[str, float]] = []
        # A copy: it has its own scratch arrays.
        self.regularizer = copy.deepcopy(prepared.regularizer)
        n_inputs, self._n_rows = prepared.columns.shape
        self._make_room(n_inputs, memory_share)
        threads = threads if len(self.y) >= MANY_ROWS else 1
        self.threads = [self._make_thread_scratch() for _ in range(threads)]
        self.workspace, self.ridge = self.threads[0]
        self._state = stream(prepared.seed, "evolution", restart)
        self._first_state = stream(prepared.seed, "initialisation", restart)
        self.evolution_seconds = 0.0

    def _make_room(self, n_inputs: int, memory_share: float) -> None:
        settings, n = self.settings, len(self.y)
        size, max_trees = settings.population_size, settings.max_trees
        most_trees = 2 * size * max_trees + 8 * size + 64
        slots = int(memory_share * settings.memory_limit * 2**20 // (8 * self._n_rows))
        self._grammar = Grammar(
            np.array(codes_of(settings.functions), np.int32),
            n_inputs,
            *settings.init_depth,
            NO_LIMIT if settings.max_size is None else settings.max_size,
            nesting_table(settings.functions, settings.forbidden_inside),
        )
        crossover, mutation = float(settings.crossover_rate), float(settings.mutation_rate)
        addition, deletion = float(settings.addition_rate), float(settings.deletion_rate)
        self._rates = Rates(crossover, mutation, addition, deletion, settings.max_depth)
        self._scratch = make_scratch(settings.max_depth)
        longest = len(self._scratch.codes)
        arena = 64 * longest + size * 2 ** (settings.init_depth[1] + 1)
        self.pool = make_pool(most_trees, min(most_trees, slots), self._n_rows, arena)
        self.individuals = make_individuals(2 * size, max_trees, n)
        self.alphas = np.array(settings.ridge_alphas, dtype=np.float64)
        self.archive = archives.make_archive(max_trees)
        self.best_sum = np.array([np.inf])
        self._selection = SELECTIONS[settings.selection](self.weights)
        self._seen = np.zeros(1 << (4 * size - 1).bit_length(), np.uint64)
        self.population: Integers = np.empty(0, np.int64)

    def _make_thread_scratch(self) -> ThreadScratch:
        settings, depth = self.settings, self.settings.max_depth
        longest, addresses = 2 ** (depth + 1), self.prepared.addresses
        shape = len(self.y), settings.max_trees, len(settings.ridge_alphas)
        return ThreadScratch(
            make_workspace(self.prepared.columns, longest, depth, addresses),
            make_ridge_scratch(*shape, self.weights),
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled run; functions have other addresses in this process."""
        self.__dict__.update(state)
        for thread in self.threads:
            thread.workspace.addresses[:] = self.prepared.addresses

    def start(self) -> None:
        """Make and evaluate the initial population."""
        started = time.perf_counter()
        self.population = self._evaluate(self.new_individuals())
        self._finish_generation(started)

    def step(self) -> None:
        """Run one generation: selection, variation, evaluation, survival."""
        started = time.perf_counter()
        self.generation += 1
        self._grow_seen(2 * self.settings.population_size)
        parents = self.population
        # Without a valid parent, start with a new population.
        offspring = self._evaluate(self.breed() if len(parents) else self.new_individuals())
        if self.regularizer.two_objectives:
            pool = np.concatenate([parents, offspring])
            self.population = self.regularizer.survivors(self, pool)
        else:
            self.population = self._replace(parents, offspring)
        self._finish_generation(started)

    def new_individuals(self) -> Integers:
        """Return the rows of new individuals with one random tree each."""
        rows = self._free_rows()[: self.settings.population_size]
        into = self.pool, self.individuals, self._grammar
        made = initialise(self._first_state, *into, self._scratch, self._seen, rows)
        return rows[:made]

    def breed(self) -> Integers:
        """Return the rows of new offspring, whose structures have not been evaluated before."""
        size = self.settings.population_size
        rows = self._free_rows()[:size]
        made, tries = 0, 0
        parents: Integers = np.empty(0, np.int64)
        while made < size and tries < 20:
            if len(parents) < 2:
                wanted = size - made + (size - made) % 2
                parents = self._selection.select(
                    self._state, self.individuals, self.population, wanted, tries == 0
                )
                tries += 1
            into = self.pool, self.individuals, self._grammar
            born, used = vary(
                self._state, *into, self._rates, self._scratch, self._seen, parents, rows[made:]
            )
            made += born
            parents = parents[used:]
            if made < size and len(parents) >= 2:  # out of room
                self.pool = compact(self.pool, 64 * len(self._scratch.codes))
        return rows[:made]

    def _evaluate(self, rows: Integers) -> Integers:
        """Evaluate both objectives, update the archive and return the valid rows."""
        individuals = self.individuals
        self.fit(rows)
        valid = rows[np.isfinite(individuals.o1[rows])]
        self.regularizer.score(self, valid)
        valid = valid[np.isfinite(individuals.o2[valid])]
        if not self.regularizer.chooses_from_population:
            self._enter(valid)
        self.evaluations += len(rows)
        return valid

    def _enter(self, rows: Integers) -> None:
        """Enter the non-dominated ones of these rows into the archive."""
        individuals = self.individuals
        self.archive = archives.reserve(self.archive, len(rows), int(individuals.size[rows].sum()))
        archives.update_archive(
            self.archive, self.pool, individuals, self.y, self.weights, rows, self.generation
        )

    def fit(self, rows: Integers) -> None:
        """Fit these rows: objective 1, weights, fitted values and leave-one-out errors."""
        pool, n = self.pool, len(self.y)
        if len(self.threads) > 1:
            trees = self.trees_of(rows)
            take_slots(pool, trees)
            run_in_threads(
                trees,
                self.threads,
                lambda _, own, part: fill_training_rows(
                    pool, part, own.workspace, self.weights, own.ridge.z[0, :n]
                ),
            )
        run_in_threads(
            rows,
            self.threads,
            lambda _, own, part: fit_individuals(
                pool, self.individuals, own.workspace, own.ridge, self.y, self.alphas, part
            ),
        )

    def trees_of(self, rows: Integers) -> Integers:
        """Return the distinct trees of these rows."""
        trees, counts = self.individuals.trees[rows], self.individuals.n_trees[rows]
        return np.unique(trees[np.arange(trees.shape[1]) < counts[:, None]])

    def _replace(self, parents: Integers, offspring: Integers) -> Integers:
        """Replace parents by offspring; the best parent survives instead of the worst child."""
        o1 = self.individuals.o1
        elite = parents[np.argmin(o1[parents])] if len(parents) else None
        if elite is None or (len(offspring) and o1[offspring].min() <= o1[elite]):
            return offspring
        order = np.argsort(o1[offspring], kind="stable")
        room = self.settings.population_size - 1
        return np.append(offspring[order[:room]], elite)

    def _free_rows(self) -> Integers:
        free = np.ones(len(self.individuals.o1), bool)
        free[self.population] = False
        return np.flatnonzero(free)

    def _grow_seen(self, more: int) -> None:
        """Keep the set of seen structures at most half full."""
        if 2 * (np.count_nonzero(self._seen) + more) > len(self._seen):
            larger = np.zeros(4 * len(self._seen), np.uint64)
            rehash(self._seen, larger)
            self._seen = larger

    def _finish_generation(self, started: float) -> None:
        if self.regularizer.chooses_from_population:
            archives.retire_front(self.archive, self.generation)
            self._enter(self.regularizer.candidates(self))
        release(self.pool, self.individuals, self._free_rows())
        if self.pool.counts[ARENA_USED] > len(self.pool.codes) // 2:
            self.pool = compact(self.pool, 64 * len(self._scratch.codes))
        self.evolution_seconds += time.perf_counter() - started
        self.history.append(self._record())

    def _record(self) -> dict[str, float]:
        archive, rows = self.archive, self.population
        front = archives.front_of(archive)
        size, trees = self.individuals.size[rows], self.individuals.n_trees[rows]
        record: dict[str, float] = {
            "generation": self.generation,
            "evaluations": self.evaluations,
            "seconds": self.evolution_seconds,
            "front_size": len(front),
            "mean_size": float(size.mean()) if len(rows) else float("nan"),
            "mean_trees": float(trees.mean()) if len(rows) else float("nan"),
        }
        if len(front):
            rule = front_rule(self.settings.final_rule, self.regularizer.final_rule)
            scores = archive.scores[front]
            o1, o2 = scores[:, archives.O1], scores[:, archives.O2]
            entry = int(front[rule(o1, o2, self.tau)])
            record |= {"best_o1": float(o1[0]), "chosen": entry}
            # In the order of the archive's columns.
            record |= zip(("o1", "o2", "train_r2"), archive.scores[entry].tolist(), strict=False)
            record |= zip(("size", "n_trees"), archive.facts[entry].tolist(), strict=False)
        return record
