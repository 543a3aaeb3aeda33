"""Average precision inferred from many runs: tables of topics by systems."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from bayescorr._random import RandomSeed, generator
from bayescorr.errors import RunsError, ScoresWarning, choose, listing
from bayescorr.scoredist.infer import infer_ap, warn_not_returned
from bayescorr.scoredist.judged import Source, load_qrels
from bayescorr.scores.check import MISSING, treat_missing
from bayescorr.scores.files import PathLike, expand_paths, name_systems, stem
from bayescorr.scores.trec import read_run


def infer_scores(
    runs: PathLike | Sequence[PathLike],
    qrels: Source,
    family: str = "gamma",
    method: str = "aupr",
    *,
    missing: str = "drop",
    warn: bool = True,
    **options: Any,
) -> pd.DataFrame:
    r"""Infer the average precision of many runs: a table of topics by systems for ``fit``.

    Parameters
    ----------
    runs : path or list of paths
        Run files, gzipped or not: a folder, a pattern (with * ? [), a path or a list of these.
        Systems have the names that :func:`bayescorr.score_runs` gives them.
    qrels : path or DataFrame
        Relevance judgments.
    family, method
        As in :func:`infer_ap`.
    missing : {"drop", "error", "model", "zero"}
        Treatment of topics that :func:`infer_ap` leaves out for some runs: drop the topics, raise
        an error, keep the scores as missing, or count them as 0.
    warn : bool
        Give a :class:`~bayescorr.ScoresWarning` if scores could not be inferred.
    **options
        Passed to :func:`infer_ap`.

    Returns
    -------
    DataFrame
        Topics by systems; ``attrs["uninferred"]`` is the number of scores that could not be
        inferred.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, documents in (("x", "abcde"), ("y", "cabde")):
    ...         lines = [f"1 Q0 {d} {r} {9.0 - r} {name}" for r, d in enumerate(documents, 1)]
    ...         _ = Path(folder, f"{name}.run").write_text("\n".join(lines))
    ...     _ = Path(folder, "qrels").write_text("1 0 a 1\n1 0 b 1")
    ...     infer_scores(f"{folder}/*.run", f"{folder}/qrels").round(3)
           x     y
    1  0.963  0.52
    """
    judgments = load_qrels(qrels)

    def infer(run: pd.DataFrame) -> pd.DataFrame:
        return infer_ap(run, judgments, family, method, warn=False, **options)

    tables = _for_each_run(runs, missing, infer)
    if warn and options.get("denominator", "returned") == "returned":
        warn_not_returned(tables.values())
    return _join(tables, "inferred", judgments, missing, warn)


def posterior_scores(
    runs: PathLike | Sequence[PathLike],
    qrels: Source,
    family: str = "gamma",
    *,
    missing: str = "drop",
    warn: bool = True,
    random_seed: RandomSeed = None,
    **options: Any,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Sample each run: posterior means and standard deviations of average precision.

    Parameters
    ----------
    runs, qrels, family, missing, warn
        As in :func:`infer_scores`.
    random_seed : int or Generator, optional
        The same seed gives the same tables.
    **options
        Passed to :func:`sample_ap`.

    Returns
    -------
    scores, score_sd : DataFrame
        Topics by systems, for ``bayescorr.fit(scores, score_sd=score_sd)``.

    References
    ----------
    R. Cummins. On the inference of average precision from score distributions. CIKM 2012.

    Examples
    --------
    >>> import bayescorr
    >>> scores, sd = bayescorr.posterior_scores("runs/*.gz", "qrels.txt")  # doctest: +SKIP
    >>> bayescorr.fit(scores, score_sd=sd)  # doctest: +SKIP
    """
    from bayescorr.scoredist.bayes import sample_ap

    judgments, rng = load_qrels(qrels), generator(random_seed)

    def infer(run: pd.DataFrame) -> pd.DataFrame:
        seed = int(rng.integers(2**31))
        return sample_ap(run, judgments, family, random_seed=seed, warn=False, **options).summary()

    tables = _for_each_run(runs, missing, infer)
    scores = _join(tables, "inferred", judgments, missing, warn)
    return scores, _join(tables, "sd", judgments, missing, warn=False)


def _for_each_run(
    runs: PathLike | Sequence[PathLike], missing: str, infer: Callable[[pd.DataFrame], pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Infer from one run at a time; return the tables by name of the system."""
    choose(missing, MISSING, "treatment of missing scores")
    paths = expand_paths(runs, RunsError)[0]
    tables, tags = [], []
    for path in paths:
        run = read_run(path)
        tags.append(run.attrs["tag"])
        tables.append(infer(run))
    names = name_systems(paths, [stem(path) for path in paths], tags, RunsError)
    return dict(zip(names, tables, strict=True))


def _join(
    tables: dict[str, pd.DataFrame], column: str, qrels: pd.DataFrame, missing: str, warn: bool
) -> pd.DataFrame:
    """Join a column of all systems' tables, topics in the order of the qrels."""
    frame = pd.DataFrame({name: table[column] for name, table in tables.items()})
    judged = qrels["topic"].unique()
    frame = frame.loc[[topic for topic in judged if topic in frame.index]].rename_axis(index=None)
    holes = int(frame.isna().to_numpy().sum())
    notes = []
    if nowhere := [topic for topic in judged if topic not in frame.index]:
        notes.append(f"No score could be inferred for {_topics(nowhere)}.")
    if holes and missing != "error":
        lacking = _topics(list(frame.index[frame.isna().any(axis=1)]))
        notes.append(f"{holes} score{'s' * (holes > 1)} could not be inferred for {lacking}.")
    if warn and notes:
        warnings.warn(" ".join(notes), ScoresWarning, stacklevel=3)
    if holes:
        frame = treat_missing(frame, missing)
    frame.attrs = {"uninferred": holes}
    return frame


def _topics(labels: Sequence[Any]) -> str:
    return f"{len(labels)} topic{'s' * (len(labels) > 1)}: {listing(labels)}"
