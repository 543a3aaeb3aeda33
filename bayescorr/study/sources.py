"""What collections are simulated from, and by which simulator."""

from __future__ import annotations

import hashlib
import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bayescorr.errors import ScoresWarning, choose
from bayescorr.study._fields import check_keys, check_name, make, to_table

if TYPE_CHECKING:
    import pandas as pd

    from bayescorr.simulation import Simulator


@dataclass(frozen=True)
class Source:
    """Scores that collections are simulated from.

    Attributes
    ----------
    name : str
        What it is called in the results.
    scores : str
        A data set by name, or a file; the name when left out. In a study file, paths are relative
        to its folder.
    measure, format
        As in :func:`bayescorr.read_scores`.
    drop_identical : bool
        Keep one of each set of identical systems.
    drop_worst : float
        Share of systems to leave out, the worst by mean; after ``drop_identical``.
    higher_is_better : bool
        False for measures where the lowest mean is the best.

    Examples
    --------
    >>> Source("demo", drop_worst=0.5).load().shape
    (50, 15)
    """

    name: str
    scores: str = ""
    measure: str | None = None
    format: str = "auto"
    drop_identical: bool = False
    drop_worst: float = 0.0
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        check_name(self.name, "source")

    @classmethod
    def from_table(cls, table: Any) -> Source:
        """Make a source of a table, or of a name alone."""
        if isinstance(table, Source):
            return table
        return make(cls, {"name": table} if isinstance(table, str) else table, "source")

    def to_table(self) -> dict[str, Any]:
        """Return a table that :meth:`from_table` reads."""
        return to_table(self)

    def located(self, folder: Path) -> dict[str, Any]:
        """Return the table of this source with a file found from ``folder`` by its full path."""
        table = self.to_table()
        path = folder / (self.scores or self.name)
        return table | {"scores": str(path.resolve())} if path.exists() else table

    def load(self) -> pd.DataFrame:
        """Read the scores, topics by systems."""
        from bayescorr.scores.load import load_scores

        with warnings.catch_warnings():
            # Identical systems and equal means are part of what is simulated.
            warnings.simplefilter("ignore", ScoresWarning)
            return load_scores(
                self.scores or self.name,
                format=self.format,
                measure=self.measure,
                drop_worst=self.drop_worst,
                drop_identical=self.drop_identical,
                higher_is_better=self.higher_is_better,
            )


@dataclass(frozen=True)
class Simulation:
    """A simulator with its options.

    Attributes
    ----------
    name : str
        What it is called in the results.
    kind : str
        effects, copula or resample; the name when left out.
    sources : tuple of str
        Names of the sources that it is for; all when empty.
    options : mapping
        Arguments of the simulator, such as ``truth`` of all, or ``support`` of the copula. In a
        study file they stand beside the name.

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
        from bayescorr.simulation.files import KINDS

        check_name(self.name, "simulator")
        kind = choose(self.kind or self.name, KINDS, "simulator")
        object.__setattr__(self, "sources", tuple(self.sources))
        object.__setattr__(self, "options", dict(self.options))
        arguments = list(inspect.signature(KINDS[kind]).parameters)[1:]
        check_keys(self.options, ["name", "kind", "sources", *arguments], f"{kind} simulator")

    @classmethod
    def from_table(cls, table: Any) -> Self:
        """Make a simulation of a table, or of a name alone."""
        if isinstance(table, cls):
            return table
        given = {"name": table} if isinstance(table, str) else dict(table)
        own = {key: given.pop(key) for key in ("name", "kind", "sources") if key in given}
        return make(cls, {**own, "options": given}, "simulator")

    def to_table(self) -> dict[str, Any]:
        """Return a table that :meth:`from_table` reads."""
        table = to_table(self)
        options = table.pop("options", {})
        return {**table, **options}

    def fit(self, scores: pd.DataFrame) -> Simulator:
        """Make the simulator of these scores."""
        from bayescorr.simulation.files import KINDS

        return KINDS[self.kind or self.name](scores, **self.options)


def digest(scores: pd.DataFrame) -> str:
    """SHA-256 of scores and labels, whatever the order of rows and columns.

    Examples
    --------
    >>> import pandas as pd
    >>> a = pd.DataFrame({"x": [0.1, 0.2], "y": [0.3, 0.4]}, index=["t1", "t2"])
    >>> digest(a) == digest(a[["y", "x"]].iloc[::-1]), digest(a) == digest(a + 0.1)
    (True, False)
    """
    from bayescorr.scores.check import sort_labels

    ordered = sort_labels(scores)
    labels = repr(([str(x) for x in ordered.index], [str(x) for x in ordered.columns]))
    values = np.ascontiguousarray(ordered.to_numpy(dtype="<f8"))
    return hashlib.sha256(labels.encode() + values.tobytes()).hexdigest()
