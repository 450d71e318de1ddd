"""Tests of downloads from a server on this machine."""

import gzip
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from vjmgp import load_dataset
from vjmgp.core.files import checksum
from vjmgp.tables import pmlb as fetching

TEXT = "x\ttarget\n" + "\n".join(f"{k}\t{2 * k}" for k in range(50)) + "\n"
FILE = gzip.compress(TEXT.encode(), mtime=0)


class Pmlb(BaseHTTPRequestHandler):
    """Serve datasets as PMLB's repository does, some with difficulties."""

    asked: ClassVar[list[str]] = []

    def do_GET(self):
        name = self.path.split("/")[1]
        self.asked.append(name)
        if name == "unsteady" and self.asked.count(name) < 3:
            self.send_error(503)
        elif name in ("1_plain", "unsteady", "_deprecated_195_auto_price", "1595_poker"):
            self.answer(FILE)
        elif name == "cut_short":  # the connection breaks in the middle
            self.answer(FILE[:60], announced=len(FILE))
        elif name == "half":  # the server itself has half a file
            self.answer(FILE[:60])
        else:
            self.send_error(404)

    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def answer(self, body, announced=None):
        self.send_response(200)
        self.send_header("Content-Length", str(announced or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def pmlb(monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), Pmlb) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        monkeypatch.setenv(fetching.MIRROR_VARIABLE, address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr(fetching.time, "sleep", lambda seconds: None)
        Pmlb.asked = []
        yield Pmlb
        server.shutdown()


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def test_downloads_are_cached(pmlb, tmp_path):
    assert fetching.is_reachable()
    first = fetching.fetch("1_plain", tmp_path, tmp_path)
    assert first.kind == "download"
    assert first.path.read_bytes() == FILE
    again = fetching.fetch("1_plain", tmp_path, tmp_path)
    assert (again.kind, again.sha256) == ("cache", first.sha256)
    assert pmlb.asked == ["1_plain"]
    assert files(tmp_path) == ["1_plain/1_plain.tsv.gz"]
    assert len(load_dataset("1_plain", tmp_path)) == 50


def test_downloads_without_a_cache_are_not_kept(pmlb, monkeypatch):
    monkeypatch.delenv(fetching.CACHE_VARIABLE, raising=False)
    assert load_dataset("1_plain").target.tolist() == [2.0 * k for k in range(50)]


def test_downloads_are_checked_and_limited(pmlb, tmp_path, monkeypatch):
    for name, start in (("195_auto_price", "8898bcc4c12e"), ("1595_poker", "500e23866702")):
        with pytest.raises(OSError, match=rf"its SHA-256 is not {start}…, that of PMLB's file"):
            fetching.fetch(name, tmp_path, tmp_path)
    monkeypatch.setattr(fetching, "LARGEST", 50)
    with pytest.raises(OSError, match="the file has more than 0 MB"):
        fetching.fetch("1_plain", tmp_path, tmp_path)
    assert files(tmp_path) == []


def test_checksums_of_all_datasets_are_known():
    known = fetching.paper_datasets()
    assert all(
        re.fullmatch("[0-9a-f]{64}", text) for about in known.values() for text in about.sums
    )
    assert [name for name, about in known.items() if len(about.sums) != 1] == ["519_vinnie"]
    for name in fetching.embedded_datasets():
        assert checksum(fetching.local_file(name, None)) == known[name].sums[0]
    assert {name: about.rows for name, about in known.items() if about.rows >= 1_000_000} == {
        "1191_BNG_pbc": 1_000_000,
        "1196_BNG_pharynx": 1_000_000,
        "1595_poker": 1_025_010,
    }


def test_both_names_of_a_renamed_dataset(pmlb, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "paper_datasets", dict)
    source = fetching.fetch("195_auto_price", tmp_path, tmp_path)
    assert pmlb.asked == ["195_auto_price", "_deprecated_195_auto_price"]
    assert source.path.name == "_deprecated_195_auto_price.tsv.gz"
    assert fetching.fetch("195_auto_price", tmp_path, tmp_path).kind == "cache"


def test_downloads_are_retried(pmlb, tmp_path):
    assert fetching.fetch("unsteady", tmp_path, tmp_path).kind == "download"
    assert pmlb.asked == ["unsteady"] * 3


@pytest.mark.parametrize("name", ["cut_short", "half"])
def test_partial_downloads_are_rejected(pmlb, tmp_path, name):
    with pytest.raises(OSError, match=rf"{name!r} could not be downloaded.*Either connect"):
        fetching.fetch(name, tmp_path, tmp_path)
    assert len(pmlb.asked) == fetching.TRIES
    assert files(tmp_path) == []


def test_damaged_cached_files_are_downloaded_again(pmlb, tmp_path):
    place = tmp_path / "1_plain" / "1_plain.tsv.gz"
    place.parent.mkdir()
    place.write_bytes(FILE[:50])
    assert fetching.fetch("1_plain", tmp_path, tmp_path).kind == "download"
    assert place.read_bytes() == FILE


def test_unknown_datasets_are_requested_once(pmlb, tmp_path):
    with pytest.raises(OSError, match=r"'0_none' could not be downloaded.*does not exist"):
        fetching.fetch("0_none", tmp_path, tmp_path)
    assert pmlb.asked == ["0_none"]


def test_offline_errors_say_how_to_provide_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv(fetching.MIRROR_VARIABLE, "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(fetching.time, "sleep", lambda seconds: None)
    assert not fetching.is_reachable()
    with pytest.raises(OSError, match=r"'197_cpu_act'.*Either connect to the network, or put"):
        fetching.fetch("197_cpu_act", None, tmp_path)
    assert "VJMGP_PMLB_CACHE" in fetching.download_advice(["a"], None)


def test_files_are_written_atomically(tmp_path):
    def breaks():
        yield b"a"
        raise RuntimeError("power cut")

    place = tmp_path / "new" / "file"
    with pytest.raises(RuntimeError):
        fetching.write_whole(place, breaks())
    assert list(tmp_path.rglob("*")) == [tmp_path / "new"]
    fetching.write_whole(place, [b"a", b"b"])
    assert place.read_bytes() == b"ab"


@pytest.mark.parametrize(("mask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_files_follow_the_umask(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        path = fetching.write_whole(tmp_path / "file", [b"a"])
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == mode


def test_cache_folder_in_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert fetching.cache_folder("~/pmlb") == tmp_path / "pmlb"
    monkeypatch.setenv(fetching.CACHE_VARIABLE, "~/other")
    assert fetching.cache_folder() == tmp_path / "other"
    with pytest.raises(OSError, match="~no-such-user/pmlb: unknown user; write the full path"):
        fetching.cache_folder("~no-such-user/pmlb")
