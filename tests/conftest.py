"""Fixtures and settings for all tests: reference data, Hypothesis profiles, test groups."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
# Figures are drawn without a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

# When collecting doctests, pytest confuses several files of the same name.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]

#: Modules whose doctests draw figures, run studies or fit models: too slow for quick runs.
SLOW_EXAMPLES = (
    "bayescorr/bayes/fit.py",
    "bayescorr/bayes/predictive.py",
    "bayescorr/report/numbers.py",
    "bayescorr/report/plots.py",
    "bayescorr/study/run.py",
)
assert all((ROOT / module).exists() for module in SLOW_EXAMPLES), "SLOW_EXAMPLES is out of date"


def pytest_configure(config: pytest.Config) -> None:
    """Run fewer Hypothesis examples in quick runs than in the whole suite.

    No example has a deadline, because its duration depends on the load of the machine.
    """
    settings.register_profile("whole", deadline=None)
    settings.register_profile("quick", deadline=None, max_examples=25)
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "whole")


# Runs first because xdist reads the marks in the same hook.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep quick tests that share fixtures in one process and distribute the slow ones.

    A folder with its own conftest.py samples a posterior or makes a report once for all its tests.
    """
    for item in items:
        if isinstance(item, pytest.DoctestItem) and str(item.path).endswith(SLOW_EXAMPLES):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("slow") is None:
            folder = item.path.parent
            together = folder if (folder / "conftest.py").exists() else item.path
            item.add_marker(pytest.mark.xdist_group(str(together.relative_to(ROOT))))


def find_reference(*parts: str) -> Path | None:
    """Return the path of reference data in BAYESCORR_DATA, or None if it is not there."""
    folder = os.environ.get("BAYESCORR_DATA")
    path = Path(folder, *parts) if folder else None
    return path if path and path.exists() else None


def reference_path(*parts: str) -> Path:
    """Return the path of reference data, or skip the test."""
    path = find_reference(*parts)
    if path is None:
        pytest.skip(f"{'/'.join(parts)} not found. Set BAYESCORR_DATA to the folder that has it.")
    return path


@pytest.fixture(scope="session")
def reference():
    """Return the path of reference data, reference("cranfield", "qrels.txt"), or skip the test."""
    return reference_path


@pytest.fixture(scope="session")
def cranfield():
    """Return the folder of the Cranfield collection: qrels.txt, full/ and 27 runs in runs/."""
    return reference_path("cranfield")


@pytest.fixture(scope="session")
def sampled_well():
    """Check that a fit of very few systems or documents sampled well enough for its moments.

    The convergence gate allows no divergences, and whether these small fits have one depends on how
    a processor rounds. One divergence per thousand draws does not change the tested moments.
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


@pytest.fixture(scope="session")
def copy_sources(tmp_path_factory):
    """Copy what a build needs, so that it leaves nothing in the checkout."""

    def copy() -> Path:
        folder = tmp_path_factory.mktemp("sources")
        for name in ("bayescorr", "models"):
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, folder)
        return folder

    return copy
