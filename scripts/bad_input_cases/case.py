"""A case, the true scores of all cases, and the shell."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayescorr.cli import main as bayescorr_main
from bayescorr.errors import BayescorrError

RNG = np.random.default_rng(16)
TOPICS = [f"q{i}" for i in range(1, 9)]
SYSTEMS = ["bm25", "dpr", "splade", "rrf"]
SCORES = pd.DataFrame(RNG.uniform(0.1, 0.9, (8, 4)).round(4), TOPICS, SYSTEMS).rename_axis("topic")
MEANS = SCORES.mean()


class Misread(Exception):
    """A result that is not the true one."""


@dataclass(frozen=True)
class Case:
    """An input, and what happens if it is used: a result in words, an error, or a Misread."""

    kind: str
    name: str
    act: Callable[[Path], Any] = field(repr=False)


def shell(*words: object) -> str:
    """Run a command in this process; return its output, or raise what its exit code means."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["bayescorr", *map(str, words)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            bayescorr_main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = before
    said = [line for line in err.getvalue().splitlines() if line.strip()]
    if code == 2 and said:
        errors = [i for i, line in enumerate(said) if line.startswith("Error: ")]
        if len(errors) == 1 and len(said) - errors[0] <= 2:
            raise BayescorrError(" ".join(said[errors[0] :]))
    if code:
        raise RuntimeError(f"exit code {code}: {' '.join(said)}")
    return out.getvalue()
