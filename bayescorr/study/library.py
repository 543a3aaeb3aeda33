"""The ready-made studies."""

from __future__ import annotations

import re
from importlib import resources
from os import PathLike
from pathlib import Path

import pandas as pd

from bayescorr.errors import Argument, OptionError, StudyError
from bayescorr.study.definition import Study

_FOLDER = resources.files(__package__) / "studies"


def load_study(study: str | Path) -> Study:
    """Load a study by name, from a TOML file or from a folder of results.

    Parameters
    ----------
    study : str or Path
        A name that :func:`list_studies` lists, or a path.

    Returns
    -------
    Study
        The study, for :func:`run_study`.

    Raises
    ------
    StudyError
        If the study does not exist or the file cannot be read.

    Examples
    --------
    >>> load_study("urbano-marrero-2016").topics
    (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
    """
    if not isinstance(study, (str, PathLike)):
        raise OptionError(
            (Argument("study"), f" must be a Study, the name of one, or a path; got {study!r}.")
        )
    path = Path(study)
    if (path / "study.toml").is_file():
        return Study.from_toml(path / "study.toml")
    if path.is_file() or not re.fullmatch(r"[\w-]+", str(study)):
        return Study.from_toml(path)
    names = _names()
    if str(study) not in names:
        raise StudyError(
            f"{str(study)!r} is neither a file nor a ready-made study.",
            f"Ready-made studies: {', '.join(names)}.",
        )
    with resources.as_file(_FOLDER / f"{study}.toml") as file:
        return Study.from_toml(file)


def list_studies() -> pd.DataFrame:
    """List the ready-made studies.

    Returns
    -------
    DataFrame
        Columns name, description, sources, number of methods and number of simulated collections.

    Examples
    --------
    >>> list_studies()["name"].tolist()[:3]
    ['bavdaz-2018', 'bavdaz-2018-pairs', 'posterior-vs-frequentist']
    """
    rows = []
    for study in map(load_study, _names()):
        sources = ", ".join(source.name for source in study.sources)
        collections = len(study.cells) * study.trials
        rows.append((study.name, study.description, sources, len(study.methods), collections))
    columns = ["name", "description", "sources", "methods", "collections"]
    return pd.DataFrame(rows, columns=columns)


def _names() -> list[str]:
    files = (entry.name for entry in _FOLDER.iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))
