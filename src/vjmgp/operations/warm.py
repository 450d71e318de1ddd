"""A worker with its libraries loaded, from which the jobs of one machine start.

A job is a process of its own, which takes about two seconds until scikit-learn is imported and the
kernels are loaded: as long as several fits. So a local run of Snakemake starts one worker, which
loads all that once and forks a child for each job. The child runs the very script that the job's
process was started with. Where there is no worker, the job's process goes on by itself.

The worker ends with Snakemake, however that ends; a job whose process is killed takes its child
with it.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import runpy
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from ..study.identity import STEPS

ADDRESS_VARIABLE = "VJMGP_WORKER"
THREAD_VARIABLES = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    "NUMBA_NUM_THREADS",
)
ONE_THREAD = {
    **dict.fromkeys(THREAD_VARIABLES, "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",  # else pyarrow's allocator starts one
}
MODULES = (
    *dict.fromkeys(module for modules in STEPS.values() for module in modules),
    *("snakemake.iocontainers", "snakemake.logging", "jinja2", "pyarrow.parquet"),
    *(f"sklearn.{name}" for name in ("linear_model", "svm", "neighbors", "kernel_ridge")),
    *("sklearn.neural_network", "sklearn.ensemble"),
)
"""What jobs import; none of it starts a thread, which a fork would not survive. The optional
packages of some competitors might: the child that needs one imports it."""
LOST = 75
"""Exit code of a job whose worker is gone."""
CRASHED = 137
"""Exit code of a job whose child ended without a word."""


# -- the side of Snakemake and its jobs ----------------------------------------------------------


def start() -> None:
    """Start a worker for the jobs that this process will start; without a socket there is none."""
    if sys.platform != "linux" or ADDRESS_VARIABLE in os.environ:
        return
    server = socket.socket(socket.AF_UNIX)
    folder = ""
    try:
        folder = tempfile.mkdtemp(prefix="vjmgp-")  # only this user may enter it
        address = str(Path(folder) / "worker")
        server.bind(address)
        server.listen(1024)  # jobs may come while the worker still loads its libraries
    except OSError:  # a path of more than 107 bytes, a full disk: jobs do without
        server.close()
        shutil.rmtree(folder, ignore_errors=True)
        return
    worker = subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", "vjmgp.operations.warm", str(server.fileno()), str(os.getpid())],
        pass_fds=[server.fileno()],
        env=os.environ | ONE_THREAD,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for Snakemake, which then ends its jobs
    )
    server.close()
    atexit.register(worker.terminate)
    os.environ[ADDRESS_VARIABLE] = address


def run(script: str, log: Path) -> int | None:
    """Let the worker run a script: its exit code, or None where there is no worker."""
    address = os.environ.get(ADDRESS_VARIABLE)
    if not address:
        return None
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address)
        except OSError:
            return None
        try:
            request = {"script": script, "log": str(log), "folder": str(Path.cwd())}
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = connection.makefile().readline()
        except OSError:
            answer = ""
    if answer:
        return int(answer)
    with socket.socket(socket.AF_UNIX) as again:
        try:  # a worker that is gone means that Snakemake is gone: no reason to go on without it
            again.connect(address)
        except OSError:
            return LOST
    return CRASHED


# -- the worker ----------------------------------------------------------------------------------


class Job(socketserver.StreamRequestHandler):
    """One job, in a child of the worker."""

    def handle(self) -> None:
        """Run the script that the job's process was started with, and tell how it ended."""
        line = self.rfile.readline()
        if not line:
            return
        request = json.loads(line)
        threading.Thread(target=self._leave_with_client, daemon=True).start()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.environ.pop(ADDRESS_VARIABLE, None)
        os.chdir(request["folder"])
        code: Any = 1
        with contextlib.suppress(Exception):
            _send_output_to(Path(request["log"]))
            sys.argv = [request["script"]]
            try:
                runpy.run_path(request["script"], run_name="__main__")
                code = 0
            except SystemExit as end:
                code = end.code
        self.wfile.write(f"{code if isinstance(code, int) else 1}\n".encode())

    def _leave_with_client(self) -> None:
        """End when the job's process does, which Snakemake or a person has killed."""
        with contextlib.suppress(OSError):
            self.connection.recv(1)
        os._exit(1)


class Worker(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """Forks a child for each job."""

    max_children = 1 << 16
    block_on_close = False

    def __init__(self, server: socket.socket, parent: int) -> None:
        super().__init__(server.getsockname(), Job, bind_and_activate=False)
        self.socket.close()
        self.socket, self.parent = server, parent
        self.has_kernels = False

    def process_request(self, request: Any, client_address: Any) -> None:
        """Fork, after the kernels are loaded, once a job has compiled them."""
        from ..warmup import kernels_are_compiled, load_kernels

        if not self.has_kernels and kernels_are_compiled():
            self.has_kernels = True
            with contextlib.suppress(Exception):  # a job that needs them says what is wrong
                load_kernels()
        super().process_request(request, client_address)

    def service_actions(self) -> None:
        """Twice a second: end when Snakemake is gone."""
        super().service_actions()
        if os.getppid() != self.parent:
            self.end()

    def end(self) -> None:
        """Take the children along."""
        for child in self.active_children or ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        shutil.rmtree(Path(str(self.server_address)).parent, ignore_errors=True)
        os._exit(0)


def _send_output_to(log: Path) -> None:
    """Write to the log file also what libraries print past Python."""
    log.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(file, 1)
    os.dup2(file, 2)


def main() -> None:
    """Load, then serve."""
    worker = Worker(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
    signal.signal(signal.SIGTERM, lambda *_: worker.end())
    for name in MODULES:
        importlib.import_module(name)
    worker.serve_forever()


if __name__ == "__main__":
    main()
