"""The kernel cache: known by the engine's code, compiled by one process, loaded by the rest."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import joblib
import pytest

from vjmgp import compile_kernels
from vjmgp.engine import version as identity
from vjmgp.engine.compilation import kernels as compiling

FIT = """
import numpy as np
from vjmgp import VJMRegressor
rng = np.random.default_rng(0)
x = rng.normal(size=(30, 2))
model = VJMRegressor(population_size=20, generations=3, random_state=0).fit(x, x[:, 0])
print(model.model_.text())
"""


def python(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def files(folder):
    return {p: p.stat().st_mtime_ns for p in Path(folder).rglob("*.nb?")}


def test_compiled_cache_is_complete(tmp_path):
    """Different data, settings and read-only inputs find every kernel on disk."""
    for name in ("jensen_gap", "finite_difference", "none", "wcrv", "rademacher"):
        compile_kernels(name)
    source = compiling.kernel_folder()  # other tests write to it
    folder = tmp_path / "vjmgp" / source.name
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.lock"))
    before = files(folder)
    code = """
import numpy as np
from vjmgp import VJMRegressor
rng = np.random.default_rng(0)
for rows, columns in ((12, 1), (300, 5)):
    x = rng.normal(size=(rows, columns))
    y = x[:, 0] + rng.normal(size=rows)
    x.setflags(write=False)
    y.setflags(write=False)
    for changes in (
        {}, {"regularizer": "finite_difference"}, {"regularizer": "none"},
        {"regularizer": "wcrv"}, {"regularizer": "rademacher"},
        {"early_stopping": True}, {"memory_limit": 0.0}, {"mixup_kernel": "joint"},
        {"unscaled_clean_features": True}, {"intrusion_detection": True}, {"tau": 1},
    ):
        model = VJMRegressor(population_size=20, generations=3, **changes).fit(x, y)
        model.predict(x), model.transform(x), model.choose(0).predict(x)
"""
    process = python(code, VJMGP_CACHE_DIR=str(tmp_path))
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert files(folder) == before


def test_parallel_processes_share_one_compilation(tmp_path):
    """Two processes on an empty cache: one compiles, both end with the same model.

    With more than one core, a helper process compiles `vary` and more.
    """
    code = (
        FIT + "from vjmgp.engine.search.variation import vary\nprint(len(vary.stats.cache_misses))"
    )
    both = [python(code, VJMGP_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    results = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], results
    if joblib.cpu_count() > 1:
        assert results[0][0] == results[1][0]
        assert results[0][0].endswith("\n0\n")
    assert not list((tmp_path / "vjmgp").glob("*/second-*"))
    written = files(tmp_path)
    assert written
    third = python(code, VJMGP_CACHE_DIR=str(tmp_path))
    assert third.communicate()[0] == results[0][0]
    assert files(tmp_path) == written
    larger = python(code.replace("size=(30, 2)", "size=(300, 3)"), VJMGP_CACHE_DIR=str(tmp_path))
    larger.communicate()
    assert larger.returncode == 0
    assert files(tmp_path) == written  # other layouts of the same arrays need no other kernels


def engine_in(folder):
    """Copy the package, and return the folder of the copy's engine."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(identity.ENGINE_FOLDER.parent, folder / "vjmgp", ignore=ignored)
    return folder / "vjmgp" / "engine"


def test_only_code_counts_for_the_hash(tmp_path, monkeypatch):
    copy = engine_in(tmp_path)
    monkeypatch.setattr(identity, "ENGINE_FOLDER", copy)
    now = identity.source_hash.__wrapped__
    path = copy / "objectives" / "ridge.py"
    for old, new in (
        ('"""', '"""An edited docstring. '),
        ("from", "# A comment that shifts every line.\n\nfrom"),
        ("    for ", "    # A comment inside a function.\n    for "),
    ):
        path.write_text(path.read_text().replace(old, new, 1))
        os.utime(path, (1, 1))
        assert now() == identity.source_hash()
    source = path.read_text()
    for old, new in (("1.0 / scratch", "2.0 / scratch"), ("range(i + 1)", "range(i + 2)")):
        assert old in source
        path.write_text(source.replace(old, new, 1))
        assert now() != identity.source_hash()
    path.write_text(source)
    path.rename(path.with_name("another_name.py"))
    assert now() != identity.source_hash()


def test_no_kernel_has_an_assertion():
    """The hash ignores assertions."""
    for path in identity.ENGINE_FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            kinds = [ast.unparse(d) for d in getattr(node, "decorator_list", ())]
            if {"kernel", "part_of_kernel"} & set(kinds):
                assert not any(isinstance(n, ast.Assert) for n in ast.walk(node)), (path, node.name)


def test_an_edited_comment_compiles_nothing_and_edited_code_does(tmp_path):
    """A copy of the engine elsewhere, with other comments, finds every kernel."""
    compile_kernels()
    source = compiling.kernel_folder()
    cache = tmp_path / "cache" / "vjmgp" / source.name
    shutil.copytree(source, cache, ignore=shutil.ignore_patterns("*.lock"))
    before = files(cache)
    engine = engine_in(tmp_path / "src")
    for path in engine.rglob("*.py"):
        text = path.read_text(encoding="utf-8").replace('"""', '"""Edited. ', 1)
        text = text.replace("\n@kernel", "\n# A comment.\n\n@kernel")
        path.write_text(text.replace("\nfrom ", "\n# Shifted.\nfrom ", 1), encoding="utf-8")
    given = {"PYTHONPATH": str(tmp_path / "src"), "VJMGP_CACHE_DIR": str(tmp_path / "cache")}
    code = f"{FIT}import vjmgp\nprint(vjmgp.__file__)"
    answer = python(code, **given).communicate()
    assert answer[1] == ""
    assert answer[0].splitlines()[-1] == str(engine.parent / "__init__.py")
    assert list((tmp_path / "cache" / "vjmgp").iterdir()) == [cache]
    assert files(cache) == before
    path = engine / "numerics" / "rng.py"
    path.write_text(path.read_text() + "\nEDITED = 1\n")
    code = "from vjmgp.engine.compilation.kernels import kernel_folder, is_compiled\n"
    code += "from vjmgp.engine.numerics.rng import stream, uniform\nuniform(stream(0, 'folds'))\n"
    code += "print(kernel_folder().name, is_compiled('jensen_gap-lexicase'))\n"
    code += "print(len(uniform.stats.cache_misses))"
    answer = python(code, **given).communicate()[0].split()
    assert answer[0] != source.name
    assert answer[1:] == ["False", "1"]


def test_unwritable_folder_falls_back_to_a_temporary_one(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for name in ("VJMGP_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(blocked))
    folder = compiling.kernel_folder.__wrapped__()
    assert folder.is_dir()
    assert "vjmgp-kernels-" in folder.name


def test_failed_compilation_is_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr(compiling, "kernel_folder", lambda: tmp_path)
    calls = []

    def fail():
        calls.append("failed")
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        compiling.compile_once("engine", fail)
    compiling.compile_once("engine", lambda: calls.append("done"))
    compiling.compile_once("engine", lambda: calls.append("again"))
    assert calls == ["failed", "done"]


def test_folder_writable_by_other_users_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv(compiling.CACHE_VARIABLE, str(tmp_path))
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "/dev/null")
    ours = compiling.kernel_folder.__wrapped__()
    assert ours.is_relative_to(tmp_path)
    assert ours.stat().st_mode & 0o077 == 0
    ours.chmod(0o777)
    other = compiling.kernel_folder.__wrapped__()
    assert not other.is_relative_to(tmp_path)
    other.rmdir()


def test_damaged_kernels_are_compiled_again(tmp_path, monkeypatch, capsys):
    from vjmgp.core.files import checksum, write_sealed
    from vjmgp.engine.compilation import warmup

    monkeypatch.setattr(warmup, "kernel_folder", lambda: tmp_path)
    kernel, index = tmp_path / "engine/a.nbc", tmp_path / "engine/a.nbi"

    def compile_them():
        for path in (kernel, index):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(bytes(range(200)))
        (tmp_path / "a.compiled").touch()
        sums = {f"engine/{p.name}": [200, checksum(p)] for p in (kernel, index)}
        write_sealed(tmp_path / warmup.SUMS, sums)

    for damage in (
        lambda: kernel.write_bytes(kernel.read_bytes()[:100]),
        lambda: kernel.write_bytes(bytes(200)),
        kernel.unlink,
        lambda: index.write_bytes(bytes(200)),
        lambda: (tmp_path / warmup.SUMS).write_text("x"),
    ):
        compile_them()
        index.write_bytes(index.read_bytes() + b"more")  # another kernel of the same file
        warmup._remove_damaged.__wrapped__()
        assert kernel.exists()
        damage()
        warmup._remove_damaged.__wrapped__()
        assert [path.name for path in tmp_path.iterdir()] == ["compiling.lock"]
        assert "are damaged: compiling again." in capsys.readouterr().err


def test_temporary_folder_is_removed_at_the_end(tmp_path):
    """Also after a fork has ended."""
    (tmp_path / "file").touch()
    code = "import os, vjmgp.engine.compilation.kernels as k; f = k.kernel_folder(); "
    code += "child = os.fork(); child and os.waitpid(child, 0); print(child and f.is_dir(), f)"
    names = ("VJMGP_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME")
    places = dict.fromkeys(names, str(tmp_path / "file")) | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=os.environ | places, check=True, capture_output=True, text=True
    )
    assert f"True {tmp_path / 'vjmgp-kernels-'}" in done.stdout
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
