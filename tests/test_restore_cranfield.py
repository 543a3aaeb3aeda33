"""The copies of the Cranfield runs that the other tests use are whole, or refused."""

from __future__ import annotations

import gzip
import zlib

import pytest
from restore_cranfield import EMPTY, HEADS, whole

TEXT = b"1 Q0 d1 1 2.5 x\n" * 100


def write(path, head):
    """Write a run whose compressed text has lost its head."""
    data = bytearray(gzip.compress(TEXT, mtime=0))
    # gzip.compress gives no name: the header says so, and the name follows it.
    data[3] |= 8
    data[10:10] = path.name.encode() + b"\0"
    start = 10 + len(path.name) + 1
    kept = bytes(data[start : start + 10])
    data[start : start + 10] = head
    path.write_bytes(data)
    return kept.hex()


def test_a_lost_head_is_put_back(tmp_path, monkeypatch):
    path = tmp_path / "x.run.gz"
    monkeypatch.setitem(HEADS, "x", write(path, EMPTY))
    assert gzip.decompress(whole(path)) == TEXT


def test_another_head_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "x.run.gz"
    write(path, EMPTY)
    monkeypatch.setitem(HEADS, "x", HEADS["coord"])
    with pytest.raises((OSError, EOFError, zlib.error)):
        whole(path)


def test_other_damage_is_refused(tmp_path):
    path = tmp_path / "x.run.gz"
    write(path, b"\xff" * 10)
    with pytest.raises((OSError, EOFError, zlib.error)):
        whole(path)


def test_all_runs_are_whole_and_of_one_shape(cranfield):
    paths = sorted((cranfield / "runs").iterdir())
    assert len(paths) == 27
    for path in paths:
        rows = [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        assert {len(row) for row in rows} == {6}
        assert {row[5] for row in rows} == {path.name.removesuffix(".run.gz")}
        assert len({row[0] for row in rows}) == 225
