"""The sources and simulators of a study."""

from __future__ import annotations

import hashlib
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bayescorr.errors import OptionError, ScoresWarning, choose
from bayescorr.simulation import RealTopics, Simulator
from bayescorr.simulation.files import KINDS
from bayescorr.study._fields import (
    Mistakes,
    as_keys,
    check_keys,
    check_name,
    check_types,
    make,
    to_table,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Source:
    """Scores from which collections are simulated.

    Attributes
    ----------
    name : str
        Name in the results.
    scores : str
        A data set or a file; default: the name. Paths in a study file are relative to its folder.
    measure, format, transpose, as_is
        As in :func:`bayescorr.read_scores`.
    drop_identical : bool
        Keep one of each set of identical systems.
    drop_worst : float
        Share of systems to drop, those with the worst means, after ``drop_identical``.
    higher_is_better : bool
        False for measures where lower is better.

    Examples
    --------
    >>> Source("demo", drop_worst=0.5).load().shape
    (50, 15)
    """

    name: str
    scores: str = ""
    measure: str | None = None
    format: str = "auto"
    transpose: bool = False
    as_is: bool = False
    drop_identical: bool = False
    drop_worst: float = 0.0
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        with mistakes.noted():
            check_name(self.name, "source")
        if check_types(self, f"the source {self.name}", mistakes) and not 0 <= self.drop_worst < 1:
            text = f"drop_worst of the source {self.name} must be at least 0 and below 1"
            mistakes.note(OptionError(f"{text}; got {self.drop_worst!r}."))
        mistakes.report()

    def located(self, folder: Path) -> Source:
        """Return this source with the absolute path of its file, if ``folder`` has it."""
        path = folder / (self.scores or self.name)
        return replace(self, scores=str(path.resolve())) if path.exists() else self

    def load(self) -> pd.DataFrame:
        """Load the scores, topics by systems."""
        from bayescorr.scores.load import load_scores

        options = asdict(self)
        name, scores = options.pop("name"), options.pop("scores")
        with warnings.catch_warnings(), as_keys():
            # Studies simulate identical systems and equal means as they are.
            warnings.simplefilter("ignore", ScoresWarning)
            return load_scores(scores or name, **options)


_KINDS: dict[str, Callable[..., Any]] = {**KINDS, RealTopics.kind: RealTopics}
#: Arguments of populations that come from the source.
_OF_SOURCE = ("higher_is_better",)


@dataclass(frozen=True)
class Simulation:
    """A simulator with its options, or random splits of the topics.

    Attributes
    ----------
    name : str
        Name in the results.
    kind : str
        effects, copula, resample or real-topics; default: the name. ``real-topics`` splits the
        topics of each collection into A and B; methods see A and predict the ranking by B.
    sources : tuple of str
        Names of the sources to simulate; default: all.
    options : mapping
        Arguments of the simulator, such as ``truth``, or ``support`` of the copula; of real-topics
        ``other_topics``, ``drop_identical`` and ``drop_worst``, see
        :class:`bayescorr.simulation.RealTopics`. In a study file, they are keys beside the name.

    Examples
    --------
    >>> Simulation.from_table({"name": "effects", "truth": "original"}).options
    {'truth': 'original'}
    """

    name: str
    kind: str = ""
    sources: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        mistakes = Mistakes()
        with mistakes.noted():
            check_name(self.name, "simulator")
        check_types(self, f"the simulator {self.name}", mistakes)
        mistakes.report()
        kind = choose(self.kind or self.name, _KINDS, "simulator")
        object.__setattr__(self, "sources", tuple(self.sources))
        object.__setattr__(self, "options", dict(self.options))
        arguments = [a for a in _arguments(_KINDS[kind]) if a not in _OF_SOURCE]
        check_keys(self.options, ["name", "kind", "sources", *arguments], f"{kind} simulator")

    @property
    def of_real_topics(self) -> bool:
        """Whether it splits real topics, so that the true ranking is unknown."""
        return (self.kind or self.name) == RealTopics.kind

    def check_topics(self, scores: pd.DataFrame, source: Source, n_topics: int) -> None:
        """Raise an error if real topics are too few for sets of ``n_topics`` and others."""
        if isinstance(split := self.fit(scores, source), RealTopics):
            split.check_topics(n_topics)

    @classmethod
    def from_table(cls, table: Any) -> Self:
        """Return the simulation for a table or a name."""
        if isinstance(table, Mapping):
            own = {key: table[key] for key in ("name", "kind", "sources") if key in table}
            options = {key: value for key, value in table.items() if key not in own}
            table = {**own, "options": options}
        return make(cls, table, "simulator")

    def to_table(self) -> dict[str, Any]:
        """Return a table that :meth:`from_table` reads."""
        table = to_table(self)
        options = table.pop("options", {})
        return {**table, **options}

    def fit(self, scores: pd.DataFrame, source: Source) -> Simulator | RealTopics:
        """Fit the simulator to the scores of a source."""
        kind = _KINDS[self.kind or self.name]
        given = {name: getattr(source, name) for name in _OF_SOURCE if name in _arguments(kind)}
        with as_keys():
            population: Simulator | RealTopics = kind(scores, **given, **self.options)
        return population


def _arguments(kind: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(kind).parameters)[1:]


def digest(scores: pd.DataFrame) -> str:
    """Return the SHA-256 of scores and labels, independent of the order of rows and columns."""
    from bayescorr.scores.check import sort_labels

    ordered = sort_labels(scores)
    labels = repr(([str(x) for x in ordered.index], [str(x) for x in ordered.columns]))
    values = np.ascontiguousarray(ordered.to_numpy(dtype="<f8"))
    return hashlib.sha256(labels.encode() + values.tobytes()).hexdigest()
