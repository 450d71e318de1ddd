"""Jobs and the warm worker: results, exit codes, and no process left behind."""

import os
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.engine_runs import printed_by

from vjmgp.core.files import checksum, read_sealed, write_manifest
from vjmgp.operations import warm
from vjmgp.operations.jobs import run_step

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the worker needs Linux")
SCRIPT = """
import sys
from types import SimpleNamespace
from vjmgp.operations.jobs import run_step

sys.path.append(".")
snakemake = SimpleNamespace(log=["{name}.log"], threads=1, input={{}}, output={{}}, params={{}})
run_step(snakemake, "step_{name}.step")
"""


def write_script(folder, name, body):
    """Write a script as Snakemake makes one, and the module of its step."""
    (folder / f"{name}.py").write_text(SCRIPT.format(name=name))
    lines = "\n    ".join(["def step():", *body.splitlines()])
    (folder / f"step_{name}.py").write_text(f"import os\nfrom pathlib import Path\n{lines}\n")


def parent(body, folder):
    """Start a process that starts a worker as Snakemake does, and then runs the body."""
    text = (
        "import os, subprocess, sys\nfrom pathlib import Path\nfrom vjmgp.operations import warm\n"
    )
    text += "def job(name):\n    return subprocess.Popen([sys.executable, f'{name}.py'])\n"
    text += "warm.start()\n" + textwrap.dedent(body)
    return subprocess.Popen(
        [sys.executable, "-c", text],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_worker_runs_scripts_and_returns_their_exit_codes(tmp_path):
    write_script(tmp_path, "good", "Path('parent').write_text(str(os.getppid()))\nprint('hello')")
    write_script(tmp_path, "bad", "raise ValueError('too bad')")
    write_script(tmp_path, "dies", "os.kill(os.getpid(), 9)")
    body = """
    good = job('good')
    print(good.wait(), good.pid, job('bad').wait(), job('dies').wait())
    print(os.environ['VJMGP_WORKER'])
    """
    out, err = parent(body, tmp_path).communicate()
    good, pid, bad, dies, address = out.split()
    assert (good, bad, dies) == ("0", "1", "137"), err
    assert (tmp_path / "parent").read_text() not in (pid, str(os.getpid()))
    assert (tmp_path / "good.log").read_text() == "hello\n"
    assert "ValueError: too bad (log: bad.log)" in err
    assert "The job was killed, probably out of memory." in err
    assert "Traceback" not in err
    watch = Path(address).parent
    while watch.exists():  # the socket is removed with its parent
        select.select([], [], [], 0.05)


@pytest.mark.parametrize("victim", ["job", "parent"])
def test_killing_job_or_parent_ends_the_child(tmp_path, victim):
    os.mkfifo(tmp_path / "started")
    os.mkfifo(tmp_path / "never")
    body = "Path('started').write_text(str(os.getpid()))\nPath('never').read_text()"
    write_script(tmp_path, "waits", body)
    process = parent("it = job('waits')\nprint(it.pid, flush=True)\nit.wait()", tmp_path)
    job = int(process.stdout.readline())
    child = int((tmp_path / "started").read_text())  # waits for the writer
    watch = os.pidfd_open(child)
    os.kill(job if victim == "job" else process.pid, signal.SIGKILL)
    assert select.select([watch], [], [], 30)[0], "the job's child is still there"
    os.close(watch)
    process.communicate()


def test_modules_of_the_worker_start_no_thread():
    """A fork has only the thread that forked: locks of any other would be held for ever."""
    script = (
        "import importlib, os\nfrom vjmgp.operations.warm import MODULES\n"
        "from vjmgp.engine.compilation.warmup import load_kernels\n"
        "for name in MODULES:\n    importlib.import_module(name)\n"
        "load_kernels()\nprint(len(os.listdir('/proc/self/task')))"
    )
    assert printed_by(script, **warm.ONE_THREAD).strip() == "1"


CALLS = []


def write_a(**arguments):
    """A step that writes its table."""
    CALLS.append(arguments)
    Path(arguments["table"]).write_text("a")


def test_step_runs_in_the_process_without_a_worker(tmp_path, monkeypatch):
    monkeypatch.setenv(warm.ADDRESS_VARIABLE, str(tmp_path / "nobody"))
    table, made = tmp_path / "a.csv", tmp_path / "made/step-00000000.json"

    def exit_code(**inputs):
        snakemake = SimpleNamespace(
            log=[str(tmp_path / "log")],
            threads=1,
            input=inputs,
            params={"seed": 1, "step": "write_a"},
            output=Outputs([str(table), str(made)], table=str(table), made=str(made)),
        )
        with pytest.raises(SystemExit) as end:
            run_step(snakemake, f"{__name__}.write_a")
        return end.value.code

    assert exit_code(runs="runs.csv", kernels="x") == 0
    assert [{"runs": "runs.csv", "table": str(table), "seed": 1}] == CALLS
    assert read_sealed(made)["files"] == {"../a.csv": checksum(table)}
    # A step must not read a damaged file.
    table.write_text("b")
    assert exit_code(made=str(made)) == 1
    assert len(CALLS) == 1
    remedy = "a.csv is damaged. To repair it: vjmgp study repair CONFIG"
    assert remedy in (tmp_path / "log").read_text()
    write_manifest(made, [table])


class Outputs(list):
    """Files, some of which have names, as in Snakemake."""

    def __init__(self, files, **names):
        super().__init__(files)
        self.get, self.items = names.get, names.items


def test_no_worker_is_started_without_a_socket(tmp_path, monkeypatch):
    monkeypatch.delenv(warm.ADDRESS_VARIABLE, raising=False)
    long = tmp_path / ("x" * 110)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    warm.start()
    assert warm.ADDRESS_VARIABLE not in os.environ
    assert list(long.iterdir()) == []
