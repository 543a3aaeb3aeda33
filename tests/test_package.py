"""The package as a stranger gets it: light to import, whole in a wheel, every name documented."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

import bayescorr

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("pandas", "numba", "pymc", "arviz", "matplotlib", "scipy", "pytensor", "nutpie")


def run(*command: str, **options) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("module", ["bayescorr", "bayescorr.cli"])
def test_import_loads_nothing_heavy(module):
    code = f"import sys, {module}; print([m for m in {HEAVY} if m in sys.modules])"
    assert run(sys.executable, "-c", code).strip() == "[]"


def test_every_public_name_has_an_example():
    """The example of a result may be that of the function that makes it."""
    for name in bayescorr.__all__:
        public = getattr(bayescorr, name)
        if not callable(public) or (isinstance(public, type) and issubclass(public, Exception)):
            continue
        text = public.__doc__ or ""
        assert ">>>" in text or "made by :func:`bayescorr." in text, f"{name} has no example"


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = bayescorr.no_such_name


@pytest.mark.slow
def test_wheel_installs_outside_the_checkout(tmp_path, copy_sources):
    """Both bayescorr and bayescorr.models come from the wheel, with data and entry points."""
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", str(tmp_path), str(copy_sources())),
    )
    (wheel,) = tmp_path.glob("bayescorr-*.whl")
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    site = run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    run(
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, str(wheel)
    )
    # The libraries of this environment, without its .pth files and so without the editable install.
    environment = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    code = (
        "import bayescorr, bayescorr.models, bayescorr.models.flat as flat\n"
        "print(bayescorr.__file__); print(bayescorr.models.__file__)\n"
        "print(bayescorr.fit(bayescorr.load_dataset('demo'), 'flat', random_seed=1).method)\n"
    )
    lines = run(str(python), "-c", code, cwd=tmp_path, env=environment).splitlines()
    assert lines[0].startswith(site)
    assert lines[1].startswith(site)
    assert lines[2] == "flat"


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_package_is_declared():
    """A folder of modules that pyproject.toml does not list would be missing from wheels."""
    declared = set(PROJECT["tool"]["setuptools"]["packages"])
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "bayescorr").rglob("__init__.py")
    }
    assert declared == found | {"bayescorr.models"}


def test_lowest_versions_are_those_of_pyproject():
    """`make lowest` tests the lower bounds of what the package and its tests need."""
    extras = PROJECT["project"]["optional-dependencies"]
    needed = [*PROJECT["project"]["dependencies"], *extras["test"]]
    needed += [
        line for name in ("runs", "copula", "cluster", "report", "excel") for line in extras[name]
    ]
    bounds = set()
    for line in needed:
        requirement, _, marker = line.partition(";")
        if not requirement.startswith("bayescorr["):
            name, lowest = re.match(r"([\w-]+)>=([\d.]+)", requirement).groups()
            bounds.add((name, lowest, marker.strip()))
    lines = (ROOT / "constraints" / "lowest.txt").read_text("utf-8").splitlines()
    pins = {re.match(r"([\w-]+)==([\d.]+)(?: ; (.*))?", x).groups("") for x in lines if x[0] != "#"}
    assert bounds <= pins
