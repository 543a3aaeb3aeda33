"""Studies that are killed, stopped or lose workers end like those that were left alone."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bayescorr.study import Study, read_results, run_study

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals of Unix"),
]

PATIENCE = 120.0


def wait_for(condition, what):
    """Wait until something is so; fail rather than wait for ever."""
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            pytest.fail(f"gave up waiting for {what}")
        time.sleep(0.02)


def finished(out: Path) -> int:
    return len(list((out / "results").glob("*.parquet")))


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text().split()] if found.exists() else []


def start(study: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from bayescorr.cli import main; main()"]
    return subprocess.Popen(
        [*command, "study", "run", str(study), "--out", str(out), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Ctrl-C is ignored by what a shell starts in the background, and by its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.fixture(scope="module")
def study() -> Study:
    """A study of 150 files that takes two workers some ten seconds."""
    return Study(
        "killed",
        sources=["demo"],
        simulators=["effects"],
        topics=[20, 30, 40],
        trials=100,
        methods=["ML", "MSQD", "RES", "KD", "SHw", "SHwo"],
        levels=[0.9],
        seed=11,
        batch=2,
    )


@pytest.fixture(scope="module")
def expected(study, tmp_path_factory):
    return run_study(study, tmp_path_factory.mktemp("whole") / "out", workers=2)


@pytest.fixture
def study_file(study, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(study.to_toml(), encoding="utf-8")
    return path


def test_killed_ten_times_a_study_ends_like_one_left_alone(
    study_file, tmp_path, expected, without_seconds
):
    out = tmp_path / "out"
    moments = random.Random(5)
    stages = []
    for attempt in range(10):
        before = finished(out)
        process = start(study_file, out, "--workers", "2")
        if attempt % 3 == 2:
            # Anywhere between the start of Python and the first results.
            time.sleep(moments.uniform(0.1, 3.0))
        else:
            wait_for(lambda b=before: finished(out) > b, "results")
            time.sleep(moments.uniform(0.0, 0.2))
        workers = children(process.pid)
        if attempt % 2:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the study was over before it was killed"
        wait_for(lambda w=workers: all(gone(pid) for pid in w), "the workers to end")
        stages.append(finished(out))
    assert stages == sorted(stages)
    assert 0 < stages[-1] < 150
    process = start(study_file, out, "--workers", "2")
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "300 collections" in output
    assert finished(out) >= 150
    without_seconds(read_results(out), expected)


def test_control_c_keeps_what_is_finished_and_says_how_to_go_on(
    study_file, tmp_path, expected, without_seconds
):
    out = tmp_path / "out"
    process = start(study_file, out, "--workers", "2")
    wait_for(lambda: finished(out) > 3, "results")
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert "Run the same command again to resume." in errors
    assert 0 < finished(out) < 150
    without_seconds(run_study(study_file, out, workers=2), expected)


def test_a_killed_worker_process_ends_the_run_with_the_remedy(study_file, tmp_path):
    out = tmp_path / "out"
    process = start(study_file, out, "--workers", "2")
    wait_for(lambda: finished(out) > 3, "results")
    for pid in children(process.pid):
        if "resource_tracker" not in Path(f"/proc/{pid}/cmdline").read_text():
            os.kill(pid, signal.SIGKILL)
            break
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, errors
    assert "A worker process was killed" in errors
    assert "Run the same command again" in errors


@pytest.fixture
def cluster(tmp_path):
    """A Dask scheduler and two worker processes on this machine."""
    pytest.importorskip("distributed")
    contact = tmp_path / "scheduler.json"
    place = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(contact)]
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [subprocess.Popen([*dask, "scheduler", *place, "--port", "0"], **quiet)]
    try:
        wait_for(contact.exists, "the scheduler")
        alone = ["--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path)]
        processes += [
            subprocess.Popen([*dask, "worker", *place, *alone], **quiet) for _ in range(2)
        ]
        yield contact, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_dask_cluster_may_lose_a_worker(cluster, study_file, tmp_path, expected, without_seconds):
    import json

    contact, (_, doomed, _) = cluster
    address = json.loads(contact.read_text())["address"]
    out = tmp_path / "out"
    process = start(study_file, out, "--scheduler", address)
    wait_for(lambda: finished(out) > 10, "results of the cluster")
    doomed.kill()
    assert finished(out) < 150
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    without_seconds(read_results(out), expected)


def test_a_scheduler_that_is_not_there_is_said(study_file, tmp_path):
    pytest.importorskip("distributed")
    process = start(study_file, tmp_path / "out", "--scheduler", "tcp://127.0.0.1:9")
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, errors
    assert "Cannot connect to a Dask scheduler at 'tcp://127.0.0.1:9'" in errors
