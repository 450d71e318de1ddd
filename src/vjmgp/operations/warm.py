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
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

ADDRESS_VARIABLE = "VJMGP_WORKER"
THREAD_VARIABLES = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    "NUMBA_NUM_THREADS",
)
ONE_THREAD = {
    **dict.fromkeys(THREAD_VARIABLES, "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",  # else pyarrow's allocator starts one
}
OURS = (
    *("runs.prepare", "runs.splits", "runs.noise_estimates", "runs.gp", "runs.baselines"),
    *("report.so_far", "illustrations.draw_illustrations"),
)
LEARNERS = ("linear_model", "svm", "neighbors", "kernel_ridge", "neural_network", "ensemble")
MODULES = (
    *("snakemake.iocontainers", "snakemake.logging", "pyarrow.parquet", "jinja2"),
    *(f"vjmgp.study.{name}" for name in OURS),
    *(f"sklearn.{name}" for name in LEARNERS),
)
"""What jobs import; none of it starts a thread, which a fork would not survive. The optional
packages of some competitors might: the child that needs one imports it."""
CRASHED = 137
"""Exit code of a job whose child ended without a word."""


def start() -> None:
    """Start a worker for the jobs that this process will start; without a socket there is none."""
    if sys.platform != "linux" or ADDRESS_VARIABLE in os.environ:
        return
    server, folder = socket.socket(socket.AF_UNIX), ""
    with server:
        try:
            folder = tempfile.mkdtemp(prefix="vjmgp-")  # only this user may enter it
            server.bind(f"{folder}/worker")
            server.listen(1024)  # jobs may come while the worker still loads its libraries
        except OSError:  # a path of more than 107 bytes, a full disk: jobs do without
            shutil.rmtree(folder, ignore_errors=True)
            return
        nothing: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        worker = subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-m", "vjmgp.operations.warm", str(server.fileno()), str(os.getpid())],
            pass_fds=[server.fileno()],
            env=os.environ | ONE_THREAD,
            start_new_session=True,  # Ctrl-C is for Snakemake, which then ends its jobs
            **nothing,
        )
    atexit.register(worker.wait)
    atexit.register(worker.terminate)  # what is registered last comes first
    os.environ[ADDRESS_VARIABLE] = f"{folder}/worker"


def run(script: str, log: Path) -> int | None:
    """Let the worker run a script: its exit code, or None where there is no worker."""
    address = os.environ.get(ADDRESS_VARIABLE)
    if not address:  # on systems without such sockets, there never is one
        return None
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(address)
        except OSError:
            return None
        with contextlib.suppress(OSError):
            request = {"script": script, "log": str(log), "folder": str(Path.cwd())}
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = connection.makefile().readline()
            if answer:
                return int(answer)
    return CRASHED


# -- the worker ----------------------------------------------------------------------------------


def main() -> None:
    """Load, then fork a child for each job, until Snakemake is gone; take the children along."""
    server, snakemake = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    folder = Path(server.getsockname()).parent

    def end(*_: Any) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os.killpg(0, signal.SIGKILL)

    signal.signal(signal.SIGTERM, end)
    for name in MODULES:
        importlib.import_module(name)
    from ..engine.compilation.warmup import kernels_are_compiled, load_kernels

    has_kernels = False
    server.settimeout(0.5)
    while os.getppid() == snakemake:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        if not has_kernels and kernels_are_compiled():
            has_kernels = True
            with contextlib.suppress(Exception):  # a job that needs them says what is wrong
                load_kernels()
        if not os.fork():
            with contextlib.suppress(BaseException):
                _answer(connection)
            os._exit(0)
        connection.close()
    end()


def _answer(connection: socket.socket) -> None:
    """Run the script that the job's process was started with, and tell how it ended."""
    connection.settimeout(None)
    request = json.loads(connection.makefile().readline())
    threading.Thread(target=_leave_with, args=[connection], daemon=True).start()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.pop(ADDRESS_VARIABLE, None)
    os.chdir(request["folder"])
    log = Path(request["log"])
    code: Any = 1
    with contextlib.suppress(Exception):
        log.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.dup2(file, 1)  # also what libraries print past Python
        os.dup2(file, 2)
        sys.argv = [request["script"]]
        try:
            runpy.run_path(request["script"], run_name="__main__")
        except SystemExit as ended:
            code = ended.code
    connection.sendall(f"{code}\n".encode())


def _leave_with(connection: socket.socket) -> None:
    """End when the job's process does, which Snakemake or a person has killed."""
    with contextlib.suppress(OSError):
        connection.recv(1)
    os._exit(1)


if __name__ == "__main__":
    main()
