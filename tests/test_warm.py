"""The warm worker: same results, exit codes, and no process left behind."""

import json
import os
import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from vjmgp.study import jobs, warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the worker needs Linux")


def parent(script, folder):
    """A process that starts a worker as Snakemake does, and then does what the script says."""
    text = f"""
import os, sys
from vjmgp.study import warm
from vjmgp.study.jobs import run_step
warm.start()
{textwrap.dedent(script)}
"""
    return subprocess.Popen(
        [sys.executable, "-c", text],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


FETCH = """
def fetch(name):
    run_step("data:fetch_dataset", log=f"{name}.log", name=name, table=f"{name}.tsv.gz",
             source=f"{name}.json", cache=None)
"""


def test_steps_run_in_the_worker_and_leave_what_they_would_alone(tmp_path):
    process = parent(FETCH + "fetch('547_no2')\nprint(os.environ['VJMGP_WORKER'])", tmp_path)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert not Path(out.strip()).parent.exists()  # the socket is gone with its parent
    alone = tmp_path / "alone"
    alone.mkdir()
    arguments = {
        "name": "547_no2",
        "table": str(alone / "547_no2.tsv.gz"),
        "source": str(alone / "547_no2.json"),
        "cache": None,
    }
    assert jobs.execute("data:fetch_dataset", str(alone / "log"), arguments) == 0
    for name in ("547_no2.tsv.gz", "547_no2.json"):
        assert (tmp_path / name).read_bytes() == (alone / name).read_bytes()


def test_a_failed_step_tells_why(tmp_path):
    process = parent("run_step('data:read_json', log='logs/a.log', path='none.json')", tmp_path)
    _, err = process.communicate()
    assert process.returncode == 1
    assert "data:read_json failed; see logs/a.log:" in err
    assert "No such file or directory: 'none.json'" in err
    assert "Traceback" in (tmp_path / "logs/a.log").read_text()


def test_a_crash_is_a_failure(tmp_path):
    """A child that dies without a word, as one does that runs out of memory."""
    (tmp_path / "dies.py").write_text("import os\nos.kill(os.getpid(), 9)\n")
    script = "print(warm.run('config:load_class', 'a.log', {'path': 'dies.any'}))"
    process = parent(script, tmp_path)
    assert process.communicate()[0].strip() == str(128 + signal.SIGKILL)


def alive(pid):
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
        return text.rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("victim", ["job", "parent"])
def test_who_is_killed_takes_its_job_along(tmp_path, victim):
    os.mkfifo(tmp_path / "started")
    os.mkfifo(tmp_path / "never")
    (tmp_path / "waits.py").write_text(
        "import os\n"
        "with open('started', 'w') as file:\n    file.write(str(os.getpid()))\n"
        "open('never').read()\n"
    )
    client = (
        "from vjmgp.study.jobs import run_step\n"
        "run_step('config:load_class', log='a.log', path='waits.any')"
    )
    script = f"""
    import subprocess
    job = subprocess.Popen([sys.executable, "-c", {client!r}])
    print(job.pid, flush=True)
    job.wait()
    """
    process = parent(script, tmp_path)
    job = int(process.stdout.readline())
    child = int((tmp_path / "started").read_text())  # waits for the writer
    assert alive(child)
    watch = os.pidfd_open(child)
    os.kill(job if victim == "job" else process.pid, signal.SIGKILL)
    assert select.select([watch], [], [], 30)[0], "the job's child is still there"
    os.close(watch)
    process.communicate()


def test_what_the_worker_loads_starts_no_thread():
    """A fork has only the thread that forked: another one's locks would be held for ever."""
    script = """
    import importlib
    from vjmgp.study.warm import MODULES
    from vjmgp.warmup import load_kernels
    for name in MODULES:
        importlib.import_module(name)
    load_kernels()
    print(len(os.listdir("/proc/self/task")))
    """
    one_thread = dict.fromkeys((*jobs.THREAD_VARIABLES, jobs.NUMBA_VARIABLE), "1")
    result = subprocess.run(
        [sys.executable, "-c", "import os\n" + textwrap.dedent(script)],
        env=os.environ | one_thread | warm.NO_HIDDEN_THREAD,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "1"


def test_a_killed_job_leaves_the_others_alone(tmp_path):
    """One client is killed while another one's job runs; then a third comes."""
    for name in "ab":
        os.mkfifo(tmp_path / f"started_{name}")
        os.mkfifo(tmp_path / f"go_{name}")
        (tmp_path / f"waits_{name}.py").write_text(
            f"from pathlib import Path\nPath('started_{name}').write_text('x')\n"
            f"Path('go_{name}').read_text()\nany = 1\n"
        )
    client = "from vjmgp.study.jobs import run_step\nrun_step('config:load_class', log='{0}.log', "
    client += "path='waits_{0}.any')"
    script = f"""
    import subprocess
    from pathlib import Path
    jobs = [subprocess.Popen([sys.executable, "-c", {client!r}.format(name)]) for name in "ab"]
    for name in "ab":
        Path(f"started_{{name}}").read_text()
    jobs[0].kill()
    jobs[0].wait()
    # The worker answers a third job only after it has noticed the end of the first.
    third = warm.run("data:read_json", "c.log", {{"path": "c.json"}})
    Path("go_b").write_text("x")
    print(third, jobs[1].wait())
    """
    (tmp_path / "c.json").write_text("{}")
    process = parent(script, tmp_path)
    out, err = process.communicate()
    assert out.strip() == "0 0", err


def test_without_a_worker_the_step_runs_here(tmp_path, monkeypatch):
    monkeypatch.delenv(warm.ADDRESS_VARIABLE, raising=False)
    assert warm.run("data:read_json", "log", {}) is None
    monkeypatch.setenv(warm.ADDRESS_VARIABLE, str(tmp_path / "nobody"))
    assert warm.run("data:read_json", "log", {}) is None
    (tmp_path / "a.json").write_text(json.dumps({"a": 1}))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    jobs.run_step("data:read_json", log=str(tmp_path / "log"), path=str(tmp_path / "a.json"))
    with pytest.raises(SystemExit):
        jobs.run_step("data:read_json", log=str(tmp_path / "log"), path=str(tmp_path / "b"))
