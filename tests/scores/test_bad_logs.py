"""Damaged evaluation logs: each gives one line that names the file, and a remedy."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evaluation_logs as logs
import pytest

from bayescorr import ScoresError, read_scores
from bayescorr.errors import BayescorrError

SCORES = logs.table()
WRITERS = {
    "lm_eval": (logs.write_lm_eval, "samples_gsm8k_*", {"measure": "acc"}),
    "inspect": (logs.write_inspect, "*_gsm8k_*", {}),
    "helm": (logs.write_helm, "per_instance_stats.json", {"measure": "exact_match"}),
    "mteb": (logs.write_mteb, "gsm8k-0.json", {"as_is": True}),
}


def text(change: Callable[[str], str]) -> Callable[[Path], None]:
    """Change the text of a file."""
    return lambda path: path.write_text(change(path.read_text("utf-8")), "utf-8") and None


def document(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """Change a JSON document, or the first line of JSON Lines."""

    def act(path: Path) -> None:
        first, end, rest = path.read_text("utf-8"), "", ""
        if path.suffix == ".jsonl":
            first, end, rest = first.partition("\n")
        found = json.loads(first)
        changed = change(found)
        path.write_text(json.dumps(found if changed is None else changed) + end + rest)

    return act


def without(*keys: Any) -> Callable[[Path], None]:
    """Remove the value at a path of keys."""

    def change(found: Any) -> None:
        for key in keys[:-1]:
            found = found[key]
        del found[keys[-1]]

    return document(change)


def put(value: Any, *keys: Any) -> Callable[[Path], None]:
    """Set the value at a path of keys."""

    def change(found: Any) -> None:
        for key in keys[:-1]:
            found = found[key]
        found[keys[-1]] = value

    return document(change)


def copied(name: str) -> Callable[[Path], None]:
    return lambda path: path.with_name(name).write_text(path.read_text()) and None


EVERYWHERE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "empty": (text(lambda x: ""), "the file is empty"),
    "cut": (text(lambda x: x[: len(x) * 5 // 8]), "malformed JSON"),
    "no JSON": (text(lambda x: "model,score\na,1\n" * 9), "malformed JSON|expected"),
    "a number": (document(lambda x: 5), "expected|no model"),
    "random bytes": (lambda path: path.write_bytes(bytes(range(128, 250)) * 5), "malformed|text"),
}
OWN = {
    "lm_eval": {
        "no doc_id": (without("doc_id"), "line 1: a sample without doc_id"),
        "no score": (put(["other"], "metrics"), "no measure with a number among 'other'"),
        "score is text": (put(["doc"], "metrics"), "no measure with a number"),
        "score is infinite": (put(float("inf"), "acc"), "not a finite number: .*line 1"),
        "line is a list": (document(lambda x: [x]), "line 1: expected a JSON object; got a list"),
        "line twice": (text(lambda x: x + x[: x.index("\n") + 1]), "line 7: duplicate score"),
        "a second run": (
            copied("samples_gsm8k_2026-03-01T10-11-12.345678.jsonl"),
            "2 scores of system .* column 'repeat' tells them apart",
        ),
    },
    "inspect": {
        "no eval": (without("eval"), "no model and task in the log|no scores|malformed|expected"),
        "no model": (without("eval", "model"), "no model and task in the log"),
        "no samples": (without("samples"), "a log without samples"),
        "samples is null": (put(None, "samples"), "a log without samples"),
        "no id": (without("samples", 0, "id"), "sample 1: expected an id and scores"),
        "no value": (without("samples", 2, "scores", "match", "value"), "sample 3: expected an id"),
        "grade X": (put("X", "samples", 1, "scores", "match", "value"), "sample 2: .* is 'X'"),
        "list": (put([1], "samples", 1, "scores", "match", "value"), r"sample 2: .* is \[1\]"),
        "no scores at all": (
            document(lambda x: [sample.pop("scores") for sample in x["samples"]] and None),
            "no sample has a score",
        ),
        "sample twice": (put("1", "samples", 0, "id"), "duplicate score .* 'gsm8k/1'"),
    },
    "helm": {
        "no id": (without(0, "instance_id"), "instance 1: expected instance_id"),
        "no stats": (without(3, "stats"), "instance 4: expected instance_id"),
        "no name": (without(0, "stats", 1, "name"), "instance 1: expected instance_id"),
        "mean is text": (put("high", 0, "stats", 1, "mean"), "instance 1: expected instance_id"),
        "mean is infinite": (put(float("inf"), 0, "stats", 1, "mean"), "not a finite number"),
        "nothing": (document(lambda x: []), "expected a list of instances"),
        "an object": (document(lambda x: {"stats": x}), "expected a list of instances"),
        "no statistics": (
            document(lambda x: [{**i, "stats": []} for i in x]), "no statistics of instances"
        ),
        "instance twice": (put("id1", 0, "instance_id"), "duplicate score|2 scores of system"),
    },
    "mteb": {
        "no scores": (put({}, "scores"), "no scores"),
        "scores is a list": (put([], "scores"), "no scores"),
        "split is a number": (put(5, "scores", "test"), "no list of subsets in split 'test'"),
        "no main score": (
            put([{"hf_subset": "eng", "ndcg_at_10": 0.5}], "scores", "test"),
            "no main_score of any subset",
        ),
        "main score is text": (
            put([{"main_score": "0.5"}], "scores", "test"), "no main_score of any subset"
        ),
        "task twice": (copied("gsm8k-00.json"), "duplicate score|2 scores of system"),
    },
}  # fmt: skip
CASES = [
    (kind, name, *case) for kind in WRITERS for name, case in {**EVERYWHERE, **OWN[kind]}.items()
]


@pytest.mark.parametrize(
    ("kind", "damage", "expected"),
    [case[:1] + case[2:] for case in CASES],
    ids=[f"{kind}: {name}" for kind, name, *_ in CASES],
)
def test_damaged_logs_give_one_clear_line(tmp_path, kind, damage, expected):
    write, name, options = WRITERS[kind]
    write(SCORES, tmp_path)
    damage(sorted(tmp_path.rglob(name))[-1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(BayescorrError) as caught:
            read_scores(tmp_path, format=kind, **options)
    error = caught.value
    assert re.search(expected, error.message), str(error)
    assert "\n" not in str(error)
    assert error.remedy


def test_there_are_many():
    assert len(CASES) >= 50


def test_a_renamed_file_is_no_log(tmp_path):
    logs.write_lm_eval(SCORES, tmp_path)
    for path in tmp_path.rglob("samples_*"):
        path.rename(path.with_name(path.name.replace("samples", "answers")))
    paths = sorted(tmp_path.rglob("answers_*"))
    with pytest.raises(ScoresError, match=r"expected a file name samples_TASK_DATE\.jsonl"):
        read_scores(paths)


def test_a_run_of_helm_without_model(tmp_path):
    logs.write_helm(SCORES, tmp_path)
    for spec in tmp_path.rglob("run_spec.json"):
        spec.unlink()
    run = next(tmp_path.rglob("per_instance_stats.json")).parent
    run.rename(run.with_name("anonymous"))
    with pytest.raises(ScoresError, match=r"neither run_spec\.json nor the folder 'anonymous'"):
        read_scores(tmp_path)
