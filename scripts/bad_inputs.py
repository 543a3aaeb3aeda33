"""Try hundreds of bad or odd inputs, and record what each gives.

Seeded mutations of score files, runs, fits, studies, study folders, options and arguments run
in this process. The verdict on each is one of: correct result; one clear line (and exit code 2);
traceback; silent misread (a result that differs from the true one).

    python scripts/bad_inputs.py            # writes docs/validation/bad-inputs.csv
    python scripts/bad_inputs.py --only fit # prints the cases of one kind
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from bad_input_cases.calls import arguments, options
from bad_input_cases.case import Case, Misread
from bad_input_cases.fits import fits
from bad_input_cases.plausible_tables import plausible_tables
from bad_input_cases.runs import runs
from bad_input_cases.score_files import broken_texts, parquet_files
from bad_input_cases.studies import studies

from bayescorr.errors import BayescorrError

TABLE = Path(__file__).parents[1] / "docs" / "validation" / "bad-inputs.csv"
CORRECT, CLEAR = "correct result", "one clear line"
TRACEBACK, MISREAD = "traceback", "silent misread"
SECONDS = 60


def judge(case: Case, folder: Path) -> dict[str, Any]:
    """Run a case; return its input, outcome, exit code and verdict."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(SECONDS)
    code: int | None = 0
    # Errors in destructors print a traceback and raise nothing.
    unraised: list[Any] = []
    sys.unraisablehook = unraised.append
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            outcome, verdict = str(case.act(folder) or "accepted"), CORRECT
    except Misread as error:
        outcome, verdict = str(error), MISREAD
    except BayescorrError as error:
        outcome, code = str(error), 2
        verdict = CLEAR if "\n" not in outcome and error.message else TRACEBACK
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        outcome = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        code, verdict = 1, TRACEBACK
    finally:
        signal.alarm(0)
        sys.unraisablehook = sys.__unraisablehook__
    if unraised:
        outcome, verdict = f"{outcome} [printed: {unraised[0].exc_value!r}]", TRACEBACK
    outcome = " ".join(outcome.replace(f"{folder}/", "").replace(str(folder), "DIR").split())
    # Addresses in memory and times differ between runs.
    outcome = re.sub(r" at 0x[0-9a-f]+", "", outcome)
    outcome = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in outcome)
    return {
        "kind": case.kind,
        "input": case.name,
        "outcome": outcome[:300],
        "exit_code": code,
        "verdict": verdict,
    }


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"no answer in {SECONDS} s")


def cases(home: Path) -> list[Case]:
    """Return all cases; ``home`` is a folder for files that they share."""
    return [
        *broken_texts(), *plausible_tables(), *parquet_files(), *runs(), *fits(home),
        *studies(home), *options(home), *arguments(home),
    ]  # fmt: skip


def run(chosen: list[Case], show: bool = False) -> pd.DataFrame:
    """Judge cases, each in a folder of its own."""
    rows = []
    for case in chosen:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(judge(case, Path(folder)))
        if show:
            print(f"{rows[-1]['verdict']}: {case.kind}: {case.name}: {rows[-1]['outcome']}")
    return pd.DataFrame(rows)


def main() -> None:
    """Write the table and print how many inputs had which verdict."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="kind of input; print its cases and write no table")
    parser.add_argument("--out", type=Path, default=TABLE)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        chosen = [case for case in cases(Path(home)) if given.only in (None, case.kind)]
        table = run(chosen, show=given.only is not None)
    for name in ("input", "outcome"):
        table[name] = table[name].str.replace(home, "DIR", regex=False)
    if given.only is None:
        table.to_csv(given.out, index=False)
    bad = table[~table["verdict"].isin([CORRECT, CLEAR])]
    if len(bad):
        print(bad[["kind", "input", "verdict", "outcome"]].to_string(max_colwidth=150))
    print(table.groupby(["kind", "verdict"], sort=False).size().unstack(fill_value=0))
    print(len(table), "inputs:", dict(Counter(table["verdict"])))


if __name__ == "__main__":
    main()
