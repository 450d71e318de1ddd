"""A worker with its libraries loaded, from which the jobs of one machine start.

A job of the workflow is a process of its own, and such a process takes two to three seconds until
scikit-learn is imported and the kernels are loaded: as long as several fits. So a local run of
Snakemake starts one worker, which loads all that once and then forks a child for each job. The
child does exactly what the job's own process would have done; where there is no worker (on a
cluster, on a system without fork), that process does it.

The worker is a child of the Snakemake process and ends with it, however that ends. A job whose
process is killed takes its forked child with it.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .jobs import NUMBA_VARIABLE, THREAD_VARIABLES, execute

ADDRESS_VARIABLE = "VJMGP_WORKER"
NO_HIDDEN_THREAD = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
"""Else pyarrow's allocator starts one when it is imported."""
MODULES = (
    *(f"vjmgp.study.{name}" for name in ("data", "runs", "gp", "baselines", "collect")),
    *(
        "vjmgp.study.statistics.compare",
        "vjmgp.study.scoreboard.score",
        "vjmgp.study.figures.draw",
        "jinja2",
        "pyarrow.parquet",
    ),
    *(f"sklearn.{name}" for name in ("linear_model", "svm", "neighbors", "kernel_ridge")),
    *("sklearn.neural_network", "sklearn.ensemble"),
)
"""What jobs import; none of it starts a thread, which a fork would not survive. The optional
packages of some competitors might: the child that needs one imports it."""
LOST = 75
"""Exit code of a job whose worker is gone."""
CHECK_SECONDS = 0.5
"""How often the worker looks whether its Snakemake is still there."""


# -- the side of Snakemake and its jobs ----------------------------------------------------------


def start() -> None:
    """Start a worker for the jobs that this process will start."""
    if sys.platform != "linux" or ADDRESS_VARIABLE in os.environ:
        return
    folder = tempfile.mkdtemp(prefix="vjmgp-")  # only this user may enter it
    address = str(Path(folder) / "worker")
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen(1024)  # jobs may come while the worker still loads its libraries
    one_thread = dict.fromkeys((*THREAD_VARIABLES, NUMBA_VARIABLE), "1") | NO_HIDDEN_THREAD
    worker = subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", "vjmgp.study.warm", str(server.fileno()), str(os.getpid())],
        pass_fds=[server.fileno()],
        env=os.environ | one_thread,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for Snakemake, which then ends its jobs
    )
    server.close()

    def stop() -> None:
        worker.terminate()
        worker.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    os.environ[ADDRESS_VARIABLE] = address


def run(step: str, log: str, arguments: dict[str, Any]) -> int | None:
    """Let the worker run a step: its exit code, or None where there is no worker.

    A worker that is gone before the step has ended means that Snakemake is gone: that is a failure,
    not a reason to go on without it.
    """
    address = os.environ.get(ADDRESS_VARIABLE)
    if not address:
        return None
    request = {"step": step, "log": log, "arguments": arguments, "folder": str(Path.cwd())}
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address)
        except OSError:
            return None
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            return int(connection.makefile().readline() or LOST)
        except OSError:
            return LOST


# -- the worker ----------------------------------------------------------------------------------


class Worker:
    """Accepts requests, forks a child for each, and tells how it ended. It has one thread."""

    def __init__(self, server: socket.socket, parent: int) -> None:
        self.server = server
        self.parent = parent
        self.children: dict[int, socket.socket] = {}
        self.parts: dict[socket.socket, bytes] = {}
        self.kernels_loaded = False
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.server, selectors.EVENT_READ)
        self.wake, wake_end = socket.socketpair()
        self.wake.setblocking(False)
        wake_end.setblocking(False)
        self._wake_end = wake_end
        signal.set_wakeup_fd(wake_end.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it only has to wake us up
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        self.selector.register(self.wake, selectors.EVENT_READ)

    def serve(self) -> None:
        """Work until Snakemake is gone."""
        try:
            while os.getppid() == self.parent:
                for key, _ in self.selector.select(CHECK_SECONDS):
                    self._handle(key.fileobj)
                self._reap()
        finally:
            for child in self.children:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            shutil.rmtree(Path(self.server.getsockname()).parent, ignore_errors=True)

    def _handle(self, source: Any) -> None:
        if source is self.server:
            connection, _ = self.server.accept()
            self.parts[connection] = b""
            self.selector.register(connection, selectors.EVENT_READ)
        elif source is self.wake:
            with contextlib.suppress(BlockingIOError):
                self.wake.recv(4096)
        else:
            self._read(source)

    def _read(self, connection: socket.socket) -> None:
        """A part of a request, or the end of a job that nobody waits for any more."""
        try:
            part = connection.recv(1 << 16)
        except OSError:
            part = b""
        if not part:
            self._drop(connection)
        elif connection in self.parts:
            self.parts[connection] += part
            if self.parts[connection].endswith(b"\n"):
                self._fork(connection, json.loads(self.parts.pop(connection)))

    def _drop(self, connection: socket.socket) -> None:
        if connection.fileno() < 0:
            return  # its job was killed, and the child has ended now
        for child, waiting in self.children.items():
            if waiting is connection:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
        self.parts.pop(connection, None)
        with contextlib.suppress(KeyError):
            self.selector.unregister(connection)
        connection.close()

    def _fork(self, connection: socket.socket, request: dict[str, Any]) -> None:
        self._load_kernels()
        child = os.fork()
        if child:
            self.children[child] = connection
            return
        # The child: forget the worker, do the job, and leave without its clean-up.
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            self.server.close()
            for other in (*self.children.values(), *self.parts, connection):
                other.close()
            os.chdir(request["folder"])
            _send_output_to(request["log"])
            code = execute(request["step"], request["log"], request["arguments"])
        finally:
            os._exit(code)

    def _reap(self) -> None:
        while self.children:
            child, status = os.waitpid(-1, os.WNOHANG)
            if not child:
                break
            code = os.waitstatus_to_exitcode(status)
            connection = self.children.pop(child)
            with contextlib.suppress(OSError):
                connection.sendall(f"{code if code >= 0 else 128 - code}\n".encode())
            self._drop(connection)

    def _load_kernels(self) -> None:
        """Load the kernels once they are compiled, which one of the first jobs does."""
        from ..engine.compiling import kernel_folder
        from ..warmup import kernels_are_compiled, load_kernels

        if not self.kernels_loaded and kernels_are_compiled():
            self.kernels_loaded = True
            try:
                load_kernels()
            except Exception as error:  # noqa: BLE001 (the worker must live; jobs tell their own)
                print(
                    f"The compiled kernels in {kernel_folder()} cannot be loaded ({error!r}). "
                    "Delete that folder, and run again.",
                    file=sys.stderr,
                    flush=True,
                )


def _send_output_to(log: str) -> None:
    """What libraries print past Python goes to the log file, too."""
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
    os.dup2(file, 1)
    os.dup2(file, 2)


def main() -> None:
    """Load, then serve."""
    worker = Worker(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
    for name in MODULES:
        importlib.import_module(name)
    worker.serve()


if __name__ == "__main__":
    main()
