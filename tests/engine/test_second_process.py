"""The second compiling process: it may fail, and never outlives the first."""

import os
import select
import signal
import subprocess
import sys

import joblib
import pytest

from vjmgp.engine.compilation import kernels as compiling
from vjmgp.engine.compilation import second_process as second_compiler
from vjmgp.engine.compilation.second_process import SecondCompiler, is_worthwhile


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.setattr(second_compiler, "kernel_folder", lambda: folder)
    return folder


def instead(code, monkeypatch):
    """Make the second process run this code, with its folder as argument."""

    def start(self, selection):
        command = [sys.executable, "-c", code, self._folder.name]
        return subprocess.Popen(command, stdin=subprocess.PIPE)

    monkeypatch.setattr(SecondCompiler, "_start", start)


KERNELS = """
import sys
from pathlib import Path
folder = Path(sys.argv[1]) / "vjmgp/kernels/engine"
folder.mkdir(parents=True)
for name in ("new-1.py311", "known-2.py311"):
    for end in ("1.nbc", "2.nbc", "nbi"):
        (folder / f"{name}.{end}").write_text("second")
"""


def test_missing_kernels_are_taken_from_the_second_process(home, monkeypatch):
    instead(KERNELS, monkeypatch)
    known = home / "engine" / "known-2.py311.nbi"
    known.parent.mkdir()
    known.write_text("first")
    with SecondCompiler("lexicase") as second:
        second.take_kernels()
    found = {path.name: path.read_text() for path in known.parent.iterdir()}
    assert found == {known.name: "first"} | {
        f"new-1.py311.{end}": "second" for end in ("1.nbc", "2.nbc", "nbi")
    }
    assert list(home.iterdir()) == [known.parent]


@pytest.mark.parametrize("end", ["sys.exit(1)", "import os; os.abort()"])
def test_nothing_is_taken_from_a_failed_process(end, home, monkeypatch):
    instead(KERNELS + end, monkeypatch)
    with SecondCompiler("lexicase") as second:
        second.take_kernels()
    assert list(home.iterdir()) == []


def test_hanging_process_is_ended(home, monkeypatch):
    instead("import sys; sys.stdin.read()", monkeypatch)
    monkeypatch.setattr(second_compiler, "LEAST_PATIENCE", 0.1)
    with SecondCompiler("lexicase") as second:
        second.take_kernels()
        assert second._process.poll() is None
    assert second._process.returncode != 0
    assert list(home.iterdir()) == []


def test_missing_interpreter_is_ignored(home, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(home / "python"))
    with SecondCompiler("lexicase") as second:
        second.take_kernels()
    assert list(home.iterdir()) == []


def test_it_starts_only_with_a_free_core_and_without_kernels(home, monkeypatch):
    monkeypatch.setattr(joblib, "cpu_count", lambda: 2)
    assert is_worthwhile()
    (home / "more.compiled").touch()
    assert is_worthwhile()
    monkeypatch.setattr(joblib, "cpu_count", lambda: 1)
    assert not is_worthwhile()
    monkeypatch.setattr(joblib, "cpu_count", lambda: 2)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not is_worthwhile()
    monkeypatch.delattr(sys, "frozen")
    (home / "none-lexicase.compiled").touch()
    assert not is_worthwhile()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_it_ends_with_the_first_process_and_its_folder_is_deleted(tmp_path):
    code = (
        "import sys\nfrom vjmgp.engine.compilation.second_process import SecondCompiler\n"
        "with SecondCompiler('lexicase') as second:\n"
        "    print(second._process.pid, flush=True)\n    sys.stdin.read()"
    )
    environment = os.environ | {compiling.CACHE_VARIABLE: str(tmp_path)}

    def start():
        command = [sys.executable, "-c", code]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        first = subprocess.Popen(command, env=environment, text=True, **pipes)
        return first, os.pidfd_open(int(first.stdout.readline()))

    def left_over():
        return list((tmp_path / "vjmgp").glob("*/second-*"))

    for is_killed in (True, False):
        before = left_over()
        first, watch = start()
        assert not set(before) & set(left_over())
        if is_killed:
            os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        assert select.select([watch], [], [], 60)[0], "the second process is still running"
        os.close(watch)
        assert len(left_over()) == is_killed
