"""The studies that come with bayescorr."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pandas as pd

from bayescorr.errors import StudyError
from bayescorr.study.definition import Study

_FOLDER = resources.files(__package__) / "studies"


def load_study(study: str | Path) -> Study:
    """Read a study by name, from a TOML file or from the folder of one that was run.

    Parameters
    ----------
    study : str or Path
        A name that :func:`list_studies` gives, or a path.

    Returns
    -------
    Study
        The study, for :func:`run_study`.

    Raises
    ------
    StudyError
        When there is no such study, or the file cannot be read.

    Examples
    --------
    >>> load_study("urbano-marrero-2016").topics
    (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
    """
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
        Columns name, description, sources, methods (how many) and collections (how many are
        simulated).

    Examples
    --------
    >>> list_studies()["name"].tolist()
    ['bavdaz-2018', 'bavdaz-2018-pairs', 'posterior-vs-frequentist', 'urbano-marrero-2016']
    """
    studies = [load_study(name) for name in _names()]
    return pd.DataFrame(
        [
            {
                "name": study.name,
                "description": study.description,
                "sources": ", ".join(source.name for source in study.sources),
                "methods": len(study.methods),
                "collections": len(study.cells) * study.trials,
            }
            for study in studies
        ]
    )


def _names() -> list[str]:
    files = (entry.name for entry in _FOLDER.iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))
