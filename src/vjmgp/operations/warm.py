"""A worker process with its libraries loaded, from which local jobs are forked.

Each job is a process, which needs about two seconds to import scikit-learn and load the kernels: as
long as several fits. So a local run of Snakemake starts one worker, which loads everything once and
forks a child for each job. The child runs the script that the job's process was started with.
Without a worker, the job's process runs the script itself.

The worker ends with Snakemake, however that ends; a job whose process is killed takes its child
with it.
"""

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

from ..study.steps import STEPS

ADDRESS_VARIABLE = "VJMGP_WORKER"
THREAD_VARIABLES = tuple(f"{name}_NUM_THREADS" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"))
ONE_THREAD = {
    **dict.fromkeys(THREAD_VARIABLES, "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",  # else pyarrow's allocator starts one
}
LEARNERS = ("linear_model", "svm", "neighbors", "kernel_ridge", "neural_network", "ensemble")
MODULES = (
    *("snakemake.iocontainers", "snakemake.logging", "pyarrow.parquet", "jinja2"),
    *(step.module for step in STEPS.values() if step.function),
    *("vjmgp.study.runs.gp", "vjmgp.study.runs.baselines"),
    *(f"sklearn.{name}" for name in LEARNERS),
)
"""Modules that jobs import. None of them starts a thread, which would not survive a fork. The
optional packages of some competitors might, so only the child that needs one imports it."""
CRASHED = 137
"""Exit code of a job whose child ended without an answer."""


def start() -> None:
    """Start a worker for the jobs of this process, if a socket can be had."""
    if sys.platform != "linux" or ADDRESS_VARIABLE in os.environ:
        return
    server, folder = socket.socket(socket.AF_UNIX), ""
    with server:
        try:
            folder = tempfile.mkdtemp(prefix="vjmgp-")  # only this user may enter it
            server.bind(f"{folder}/worker")
            server.listen(1024)  # jobs may come while the worker still loads its libraries
        except OSError:  # a path of more than 107 bytes, or a full disk
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
    atexit.register(worker.terminate)  # the last one registered is called first
    os.environ[ADDRESS_VARIABLE] = f"{folder}/worker"


def run(script: str, log: Path) -> int | None:
    """Let the worker run a script; return its exit code, or None without a worker."""
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


def main() -> None:
    """Load the libraries, then fork a child for each job until Snakemake ends; end the children."""
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
            with contextlib.suppress(Exception):  # a job that needs them reports the error
                load_kernels()
        if not os.fork():
            with contextlib.suppress(BaseException):
                _answer(connection)
            os._exit(0)
        connection.close()
    end()


def _answer(connection: socket.socket) -> None:
    """Run the script that the job's process was started with, and answer with its exit code."""
    connection.settimeout(None)
    request = json.loads(connection.makefile().readline())
    threading.Thread(target=_end_with, args=[connection], daemon=True).start()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.pop(ADDRESS_VARIABLE, None)
    os.chdir(request["folder"])
    log = Path(request["log"])
    code: Any = 1
    with contextlib.suppress(Exception):
        log.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.dup2(file, 1)  # including what libraries print without Python
        os.dup2(file, 2)
        sys.argv = [request["script"]]
        try:
            runpy.run_path(request["script"], run_name="__main__")
        except SystemExit as ended:
            code = ended.code
    connection.sendall(f"{code}\n".encode())


def _end_with(connection: socket.socket) -> None:
    """End this process when the job's process is killed."""
    with contextlib.suppress(OSError):
        connection.recv(1)
    os._exit(1)


if __name__ == "__main__":
    main()
