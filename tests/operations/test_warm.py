"""Around a job, and the warm worker: same results, exit codes, and no process left behind."""

import os
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

from vjmgp.core.files import checksum, read_sealed, write_manifest
from vjmgp.operations import warm
from vjmgp.operations.jobs import as_job

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the worker needs Linux")
SCRIPT = """
from types import SimpleNamespace
from vjmgp.operations.jobs import as_job

snakemake = SimpleNamespace(log=["{name}.log"], threads=1, input={{}}, output={{}}, params={{}})
with as_job(snakemake):
    import os
    from pathlib import Path
    {body}
"""


def write_script(folder, name, body):
    """A script as Snakemake makes one."""
    text = SCRIPT.format(name=name, body=body.replace("\n", "\n    "))
    (folder / f"{name}.py").write_text(text)


def parent(body, folder):
    """A process that starts a worker as Snakemake does, and then does what the body says."""
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


def test_a_script_runs_in_the_worker_and_tells_how_it_ends(tmp_path):
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
    while watch.exists():  # the socket goes with its parent
        select.select([], [], [], 0.05)


@pytest.mark.parametrize("victim", ["job", "parent"])
def test_who_is_killed_takes_its_job_along(tmp_path, victim):
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


def test_what_the_worker_loads_starts_no_thread():
    """A fork has only the thread that forked: another one's locks would be held for ever."""
    script = (
        "import importlib, os\nfrom vjmgp.operations.warm import MODULES\n"
        "from vjmgp.engine.compilation.warmup import load_kernels\n"
        "for name in MODULES:\n    importlib.import_module(name)\n"
        "load_kernels()\nprint(len(os.listdir('/proc/self/task')))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | warm.ONE_THREAD,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "1"


def test_without_a_worker_the_job_runs_here(tmp_path, monkeypatch):
    monkeypatch.setenv(warm.ADDRESS_VARIABLE, str(tmp_path / "nobody"))
    table, made = tmp_path / "a.csv", tmp_path / "made/step-00000000.json"

    def job(**inputs):
        return as_job(
            SimpleNamespace(
                log=[str(tmp_path / "log")],
                threads=1,
                input=inputs,
                params={"seed": 1},
                output=Outputs([str(table), str(made)], table=str(table), made=str(made)),
            )
        )

    with pytest.raises(SystemExit) as end, job(runs="runs.csv", kernels="x") as arguments:
        table.write_text("a")
    assert arguments == {"runs": "runs.csv", "table": str(table), "seed": 1}
    assert end.value.code == 0
    assert read_sealed(made)["files"] == {"../a.csv": checksum(table)}
    # What a job reads must be as it was written.
    table.write_text("b")
    with pytest.raises(SystemExit) as end, job(made=str(made)):
        raise AssertionError("it does not come to this")
    assert end.value.code == 1
    assert "a.csv is damaged" in (tmp_path / "log").read_text()
    write_manifest(made, [table])


class Outputs(list):
    """As Snakemake's: files, some of which have names."""

    def __init__(self, files, **names):
        super().__init__(files)
        self.get, self.items = names.get, names.items


def test_a_worker_that_cannot_have_a_socket_is_done_without(tmp_path, monkeypatch):
    monkeypatch.delenv(warm.ADDRESS_VARIABLE, raising=False)
    long = tmp_path / ("x" * 110)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    warm.start()
    assert warm.ADDRESS_VARIABLE not in os.environ
    assert list(long.iterdir()) == []
