"""Shared by all tests: where the reference data lie, and how absence is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# Looking for doctests in several files of this name, pytest takes them for one.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]


#: Modules whose examples draw figures, run studies or fit models.
SLOW_EXAMPLES = (
    "bayescorr/bayes/_plots.py",
    "bayescorr/bayes/prior.py",
    "bayescorr/report/plots.py",
    "bayescorr/study/run.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of a property in quick runs; the whole suite tries all of them.

    No example has a deadline: how long one takes depends on what else the machine does.
    """
    settings.register_profile("whole", deadline=None)
    settings.register_profile("quick", deadline=None, max_examples=25)
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "whole")


# First, since xdist reads the marks in the same hook.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep quick tests that share fixtures in one process, and spread the slow ones.

    A folder with fixtures of its own samples a posterior or makes a report for all of its tests.
    """
    for item in items:
        if isinstance(item, pytest.DoctestItem) and str(item.path).endswith(SLOW_EXAMPLES):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") is None:
            folder = item.path.parent
            together = folder if (folder / "conftest.py").exists() else item.path
            item.add_marker(pytest.mark.xdist_group(str(together.relative_to(ROOT))))


def find_reference(*parts: str) -> Path | None:
    """Find a file or folder of the reference data, which is not part of the project."""
    roots = [ROOT.parent / "shared" / "data"]
    if "BAYESCORR_DATA" in os.environ:
        roots.insert(0, Path(os.environ["BAYESCORR_DATA"]))
    for root in roots:
        if (path := root.joinpath(*parts)).exists():
            return path
    return None


def reference_path(*parts: str) -> Path:
    """Path of reference data, or skip the test with the reason."""
    path = find_reference(*parts)
    if path is None:
        pytest.skip(f"{'/'.join(parts)} is not here: set BAYESCORR_DATA to the folder that has it")
    return path


@pytest.fixture(scope="session")
def reference():
    """Find reference data by path: reference("cranfield", "qrels.txt"), or skip."""
    return reference_path


@pytest.fixture(scope="session")
def cranfield():
    """Folder of the Cranfield collection: qrels.txt, full/ and 27 runs in runs/."""
    return reference_path("cranfield")


@pytest.fixture(scope="session")
def sampled_well():
    """Check that a fit of very few systems or documents sampled well enough for its moments.

    The convergence gate allows no divergence at all, and which of these fits has one depends on how
    a processor rounds; one in a thousand draws moves no moment that a test looks at.
    """

    def check(convergence) -> None:
        assert convergence.divergences <= 4, convergence
        assert convergence.rhat < 1.03, convergence

    return check


@pytest.fixture(scope="session")
def trec():
    """Read a TREC matrix by name: trec("adhoc6_ap")."""
    import pandas as pd

    def load(name: str) -> pd.DataFrame:
        scores = pd.read_csv(reference_path("trec", f"{name}.csv"))
        scores.index = [f"t{i + 1}" for i in range(len(scores))]
        return scores

    return load
