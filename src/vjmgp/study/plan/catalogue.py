"""The files of a study."""

from typing import TYPE_CHECKING

from ...engine.version import source_hash
from .. import paths
from ..published.index import DATASETS
from ..steps import EXPERIMENT_STEPS

if TYPE_CHECKING:
    from .study import Cell, Study


class Catalogue:
    """The paths of a study's files, whether or not they exist."""

    def __init__(self, study: "Study") -> None:
        self._study = study
        self._home = study.config["results"]

    def at(self, pattern: str, **names: str) -> str:
        """Return a path in the results folder."""
        return f"{self._home}/{pattern.format(**names) if names else pattern}"

    def source(self, dataset: str) -> list[str]:
        """Return the table from PMLB and the note on it; nothing for a user's table."""
        if dataset in self._study.own_data:
            return []
        return [self.at(part, dataset=dataset) for part in (paths.SOURCE, paths.SOURCE_NOTE)]

    def prepared(self, dataset: str) -> tuple[str, str]:
        """Return the prepared table and the facts about it."""
        names = {"dataset": dataset, "identity": self._study.ids.prepared(dataset)}
        return self.at(paths.DATA, **names), self.at(paths.FACTS, **names)

    def splits(self, protocol: str, dataset: str, seeds: range) -> list[str]:
        """Return the files with the splits of these seeds."""
        identity = self._study.ids.split(protocol, dataset)
        return self._blocks(paths.SPLITS, protocol, dataset, identity, seeds)

    def noise(self, protocol: str, dataset: str, seeds: range) -> list[str]:
        """Return the files with the noise estimates of these seeds."""
        identity = self._study.ids.noise(protocol, dataset)
        return self._blocks(paths.NOISE, protocol, dataset, identity, seeds)

    def _blocks(
        self, pattern: str, protocol: str, dataset: str, identity: str, seeds: range
    ) -> list[str]:
        names = {"protocol": protocol, "dataset": dataset, "identity": identity}
        every = paths.blocks(range(self._study.seeds), int(self._study.config["seeds_per_job"]))
        found = [block for block in every if set(seeds) & set(paths.seeds_of(block))]
        return [self.at(pattern, block=block, **names) for block in found]

    def block(self, cell: "Cell", block: str) -> str:
        """Return the file with a block of runs."""
        return self.at(
            paths.RUNS,
            protocol=cell.protocol,
            dataset=cell.dataset,
            method=self._study.methods[cell.method].slug,
            identity=self._study.ids.run(*cell),
            block=block,
        )

    def runs(self, *experiments: str) -> list[str]:
        """Return the files with the runs of experiments that are computed here."""
        return [self.block(cell, block) for cell, block in self._study.blocks(*experiments)]

    def inputs_of_runs(self, experiment: str) -> list[str]:
        """Return the tables, splits and noise estimates that runs of an experiment start from."""
        study, files = self._study, dict[str, None]()
        for cell in study.cells(experiment):
            seeds = study.seeds_to_run(cell)
            if seeds:
                found = [*self.source(cell.dataset), *self.prepared(cell.dataset)]
                found += self.splits(*cell[:2], seeds)
                if study.methods[cell.method].is_gp:
                    found += self.noise(*cell[:2], seeds)
                files |= dict.fromkeys(found)
        return list(files)

    def everything(self, *experiments: str) -> list[str]:
        """Return all files of experiments, including those that finished runs no longer need."""
        files = self.runs(*experiments)
        for name in experiments or self._study.experiments:
            files += self.inputs_of_runs(name)
            needed = filter(self._study.experiments[name].needs, EXPERIMENT_STEPS)
            files += [self.manifest(step, name) for step in needed]
        return list(dict.fromkeys(files))

    def kernel_mark(self, variant: str) -> str:
        """Return the file that marks kernels as compiled."""
        return self.at(paths.KERNELS, engine=source_hash(), variant=variant)

    def manifest(self, step: str, experiment: str = "{experiment}") -> str:
        """Return the file that lists what a step after the runs has written."""
        names = {"step": step, "identity": self._study.ids.steps[step]}
        if step in EXPERIMENT_STEPS:
            return self.at(paths.EXPERIMENT_MANIFEST, experiment=experiment, **names)
        return self.at(paths.MANIFEST, **names)

    def report(self, folder: str | None = None) -> paths.StudyFiles:
        """Return the files of the report, with tables and figures in the given folder."""
        study, known = self._study, f"{self._study.published_folder}/{DATASETS}"
        facts = {
            name: self.prepared(name)[1] if name in study.datasets_to_read else known
            for name in study.datasets
        }
        notes = {
            name: self.source(name)[1] if name in study.datasets_to_read else known
            for name in study.datasets
            if name not in study.own_data
        }
        home = folder or self._home
        return paths.StudyFiles(
            f"{home}/{paths.ALL_RUNS}",
            f"{home}/{paths.SCOREBOARD}",
            f"{home}/{paths.ILLUSTRATIONS}",
            facts,
            notes,
            {name: paths.experiment_files(home, name) for name in study.experiments},
        )
