"""Run the evolutions of a fit, on one core or several, until a limit or an interrupt stops them.

Restarts share the prepared data and differ only in their random numbers, so the result of one does
not depend on how many run at the same time. They run in threads: the kernels release the GIL.

A signal whose handler raises (Ctrl-C, an alarm) ends the search after the current generation and
keeps what it has found; a second signal takes effect at once.
"""

import contextlib
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .preparation import Prepared
from .search.archive import ENTRIES, Archive, merged
from .search.evolution import Evolution

Record = dict[str, float]

REASONS = ("generations", "patience", "max_time", "callback", "interrupt")
"""Why an evolution ended, by rising precedence."""
INTERRUPTED = "Interrupted after generation {:.0f}: the best model so far is kept."


@dataclass
class Restarts:
    """All evolutions of one fit."""

    prepared: Prepared
    restarts: int
    jobs: int
    max_time: float | None
    patience: int | None
    callback: Callable[[Record], bool | None] | None
    progress: bool
    continued: dict[int, Evolution]
    """Earlier evolutions of these data to continue, by restart."""

    def __post_init__(self) -> None:
        """Prepare the search."""
        self.runs: dict[int, Evolution] = {}
        self.workers = min(self.restarts, self.jobs)
        self.threads = self.jobs // self.workers
        self.stopped_by = REASONS[0]
        self.seconds = 0.0
        self._stop = threading.Event()
        self._interruption: BaseException | None = None
        self._turn = threading.Lock()
        self._idle = threading.Condition()
        self._active = 0
        self._bar: Any = None

    def run(self) -> None:
        """Evolve; an interrupt ends the search and keeps what it has found, if anything."""
        started = time.perf_counter()
        self._started = started - self.prepared.seconds  # whose time counts for max_time
        if self.progress:
            from tqdm.auto import tqdm

            total = self.restarts * self.prepared.settings.generations
            self._bar = tqdm(total=total, desc="VJM-GP", unit="gen")
        try:
            with self._signals_deferred():
                if self.workers == 1:
                    for restart in range(self.restarts):
                        self._evolve(restart)
                else:
                    self._evolve_in_threads()
        except KeyboardInterrupt as interruption:  # raised by a callback, say
            self._interruption = interruption
        finally:
            if self._bar is not None:
                self._bar.close()
            self.seconds = time.perf_counter() - started
        if self._interruption is not None:
            if not self.runs:  # no generation is finished
                raise self._interruption
            last = max(run.history[-1]["generation"] for run in self.runs.values())
            self._end("interrupt")
            warnings.warn(INTERRUPTED.format(last), stacklevel=5)

    @contextlib.contextmanager
    def _signals_deferred(self) -> Iterator[None]:
        """Keep what a signal's handler raises until the generation ends."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread handles signals
            return
        handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
        alarm = getattr(signal, "SIGALRM", None)
        ours = {
            number: handler
            for number, handler in handlers.items()
            if callable(handler) or (number == alarm and handler is signal.SIG_DFL)
        }

        def handle(number: int, frame: Any) -> None:
            handler = ours[signal.Signals(number)]
            try:
                if not callable(handler):
                    raise TimeoutError("Alarm clock")
                handler(number, frame)
            except BaseException as interruption:
                if self._interruption is not None:
                    raise
                self._interruption = interruption
                self._stop.set()

        try:
            for number in ours:
                signal.signal(number, handle)
            yield
        finally:
            for number, handler in ours.items():
                signal.signal(number, handler)

    def _evolve_in_threads(self) -> None:
        with ThreadPoolExecutor(self.workers) as pool:
            try:
                for future in [pool.submit(self._evolve, k) for k in range(self.restarts)]:
                    future.result()
            except BaseException:
                self._stop.set()
                # Each thread ends with its generation. If Ctrl-C interrupted the start of a
                # thread, the pool may not know it yet and cannot wait for it.
                with self._idle:
                    self._idle.wait_for(lambda: not self._active)
                raise

    def _evolve(self, restart: int) -> None:
        """Run one evolution, unless the search has ended."""
        with self._idle:
            self._active += 1
        try:
            if not self._stop.is_set():
                self._run_generations(restart)
        finally:
            with self._idle:
                self._active -= 1
                self._idle.notify_all()

    def _run_generations(self, restart: int) -> None:
        run = self.continued.get(restart)
        if run is None:
            run = Evolution(self.prepared, restart, 1.0 / self.workers, self.threads)
        run.settings = self.prepared.settings  # may allow more generations than before
        try:
            if not run.history:
                run.start()
            while run.generation < run.settings.generations and not self._stop.is_set():
                if self._time_is_up(restart):
                    self._end("max_time")
                    break
                if self._has_stalled(run.history):
                    self._end("patience")
                    break
                run.step()
                self._report(restart, run.history[-1])
        finally:
            if run.history:
                self.runs[restart] = run

    def _time_is_up(self, restart: int) -> bool:
        """Return whether a restart has used its share of the time; each round has the same."""
        if self.max_time is None:
            return False
        rounds = -(-self.restarts // self.workers)
        share = (restart // self.workers + 1) / rounds
        return bool(time.perf_counter() - self._started >= share * self.max_time)

    def _has_stalled(self, history: list[Record]) -> bool:
        """Return whether `patience` generations changed neither the least error nor the choice."""
        if self.patience is None or len(history) <= self.patience:
            return False
        before, now = history[-1 - self.patience], history[-1]
        return all(before.get(name) == now.get(name) for name in ("best_o1", "chosen"))

    def _report(self, restart: int, record: Record) -> None:
        """Report a generation to progress bar and callback, one thread at a time."""
        if self._bar is None and self.callback is None:
            return
        with self._turn:
            if self._bar is not None:
                self._bar.update()
                self._bar.set_postfix({name: record.get(name) for name in ("o1", "o2", "size")})
            if self.callback is not None and self.callback({**record, "restart": restart}):
                self._end("callback")
                self._stop.set()

    def _end(self, reason: str) -> None:
        self.stopped_by = max(self.stopped_by, reason, key=REASONS.index)

    def result(self) -> tuple[Archive, list[Record]]:
        """Return one archive of all restarts and their history, whose `chosen` are its entries."""
        runs = [run for _, run in sorted(self.runs.items())]
        rows: list[Record] = []
        before = 0
        for restart, run in enumerate(runs):
            for record in run.history:
                row = {"restart": restart, **record}
                if "chosen" in row:
                    row["chosen"] += before
                rows.append(row)
            before += int(run.archive.counts[ENTRIES])
        return merged([run.archive for run in runs]), rows
