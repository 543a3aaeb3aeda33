"""Load collections by name: embedded, from a local folder, or downloaded once and cached."""

from __future__ import annotations

import hashlib
import os
import warnings
from dataclasses import asdict
from importlib import resources
from pathlib import Path

import pandas as pd

from bayescorr.errors import DatasetError, ScoresWarning, choose
from bayescorr.scores import registry
from bayescorr.scores.read import read_scores
from bayescorr.scores.registry import DATASETS, Dataset

TIMEOUT_SECONDS = 30


def load_dataset(name: str) -> pd.DataFrame:
    """Load a collection by name; :func:`list_datasets` lists them.

    The file is looked up in the folder that the environment variable BAYESCORR_DATA names (as
    ``<name>.csv`` or ``trec/<name>.csv``), then in the cache (BAYESCORR_CACHE, or the user's cache
    folder). Otherwise it is downloaded from its author's repository and checked against its
    SHA-256. A file in BAYESCORR_DATA with another SHA-256 may have any format; reading it gives a
    :class:`~bayescorr.ScoresWarning`.

    Parameters
    ----------
    name : str
        Name of the collection.

    Returns
    -------
    DataFrame
        Topics by systems. ``attrs`` holds its name, measure, licence and citation.

    Raises
    ------
    OptionError
        If the name is unknown.
    DatasetError
        If the file cannot be downloaded; the message says how to provide it.

    Examples
    --------
    >>> scores = load_dataset("demo")
    >>> scores.shape
    (50, 30)
    >>> scores.attrs["measure"]
    'AP'
    """
    dataset = DATASETS[choose(name, DATASETS, "data set")]
    if not dataset.path:
        with resources.as_file(resources.files(__package__) / "data" / f"{name}.csv") as path:
            scores = read_scores(path, format="wide", as_is=True)
    else:
        local = _local_file(dataset)
        published = local is None or _is_published(local, dataset)
        format = "matrix" if published else "auto"
        scores = read_scores(local or _fetch(dataset), format=format, as_is=published)
        if not published:
            warnings.warn(
                f"{local} is not the published file of {name!r}: its SHA-256 differs. Check that "
                "the licence and citation apply to these scores.",
                ScoresWarning,
                stacklevel=2,
            )
    scores.attrs = {
        key: getattr(dataset, key) for key in ("name", "measure", "licence", "citation")
    }
    return scores


def list_datasets() -> pd.DataFrame:
    """List the collections that :func:`load_dataset` knows.

    Returns
    -------
    DataFrame
        One row per collection: name, description, measure, topics, systems, licence, citation, url
        and sha256 (the last two are empty for embedded data).

    Examples
    --------
    >>> list_datasets()["name"].tolist()[:3]
    ['demo', 'adhoc5_ap', 'adhoc6_ap']
    """
    listed = pd.DataFrame([asdict(x) | {"path": _url(x)} for x in DATASETS.values()])
    return listed.rename(columns={"path": "url"})


def _url(dataset: Dataset) -> str:
    return f"{registry.BASE_URL}/{dataset.path}" if dataset.path else ""


def _local_file(dataset: Dataset) -> Path | None:
    if not (folder := os.environ.get("BAYESCORR_DATA")):
        return None
    if not Path(folder).is_dir():
        raise DatasetError(
            f"BAYESCORR_DATA is {folder!r}, which is not a folder.",
            f"Set it to a folder that contains {dataset.name}.csv, or unset it to download.",
        )
    candidates = (Path(folder, f"{dataset.name}.csv"), Path(folder, "trec", f"{dataset.name}.csv"))
    return next((path for path in candidates if path.is_file()), None)


def _is_published(path: Path, dataset: Dataset) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == dataset.sha256
    except OSError:  # read_scores reports what is wrong with it
        return True


def _fetch(dataset: Dataset) -> Path:
    import pooch

    pooch.get_logger().setLevel("WARNING")  # otherwise it announces every download
    cache = os.environ.get("BAYESCORR_CACHE") or pooch.os_cache("bayescorr")
    try:
        return Path(
            pooch.retrieve(
                _url(dataset),
                known_hash=f"sha256:{dataset.sha256}",
                fname=f"{dataset.name}.csv",
                path=cache,
                downloader=pooch.HTTPDownloader(timeout=TIMEOUT_SECONDS),
            )
        )
    except (OSError, ValueError) as problem:
        raise DatasetError(
            f"Cannot download data set {dataset.name!r} from {_url(dataset)}: {_reason(problem)}.",
            f"Download the file by other means, save it as {dataset.name}.csv in a folder, and "
            "set BAYESCORR_DATA to that folder.",
        ) from None


def _reason(problem: Exception) -> str:
    """Summarise why pooch failed; the messages of requests repeat the URL at length."""
    response = getattr(problem, "response", None)
    if response is not None:
        return f"HTTP status {response.status_code}"
    if type(problem).__module__.startswith("requests"):
        return f"no connection ({type(problem).__name__})"
    if isinstance(problem, ValueError):
        return "the SHA-256 does not match"
    return " ".join(str(problem).split()).rstrip(".")
