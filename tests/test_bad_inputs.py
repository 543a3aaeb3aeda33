"""Bad and odd inputs: a seeded choice of those that ``scripts/bad_inputs.py`` tries."""

from __future__ import annotations

import random
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
#: Inputs of each kind; all plausible tables are tried.
NUMBER = 7


@pytest.fixture(scope="module")
def script():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        yield import_module("bad_inputs")


@pytest.mark.slow
def test_bad_inputs_give_the_right_result_or_one_clear_line(script, tmp_path):
    by_kind: dict[str, list] = {}
    for case in script.cases(tmp_path):
        by_kind.setdefault(case.kind, []).append(case)
    chooser = random.Random(16)
    chosen = [
        case
        for kind, cases in by_kind.items()
        for case in (
            cases if kind == "plausible table" else chooser.sample(cases, min(NUMBER, len(cases)))
        )
    ]
    table = script.run(chosen)
    bad = table[~table["verdict"].isin([script.CORRECT, script.CLEAR])]
    assert bad.empty, bad.to_string(max_colwidth=200)
    assert (table.loc[table["verdict"] == script.CLEAR, "exit_code"] == 2).all()


def test_a_traceback_and_a_misread_would_be_noticed(script, tmp_path):
    def divide(folder):
        return 1 / 0

    def misread(folder):
        return import_module("bad_input_cases.score_files").same_means(
            pd.DataFrame({"a": [1.0, 2.0]})
        )

    verdicts = [
        script.judge(script.Case("k", "n", act), tmp_path)["verdict"] for act in (divide, misread)
    ]
    assert verdicts == [script.TRACEBACK, script.MISREAD]


def test_the_table_in_the_docs_has_no_traceback_and_no_misread(script):
    table = pd.read_csv(script.TABLE)
    assert len(table) >= 300
    assert set(table["verdict"]) <= {script.CORRECT, script.CLEAR}
    assert set(table["kind"]) >= {"score file", "plausible table", "fit", "study file", "argument"}
