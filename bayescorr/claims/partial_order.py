"""Which systems are better than which: the pairs that are decided together, a partial order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr.claims.systems import better_is_higher
from bayescorr.coefficients import decided
from bayescorr.errors import OptionError, listing

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


@dataclass(frozen=True, eq=False)
class DecidedPairs:
    """Pairs of systems whose order is decided.

    Attributes
    ----------
    level : float
        The probability that was asked for: of all pairs together, or of each pair alone.
    together : bool
        Whether the level is that of all pairs together.
    probability : float
        P(all these pairs are in this order).
    better : DataFrame of bool
        Whether the system of the row is better than that of the column, in observed order.
    """

    level: float
    together: bool
    probability: float
    better: pd.DataFrame = field(repr=False)

    @property
    def systems(self) -> list[Any]:
        """Systems in observed order."""
        return list(self.better.index)

    @property
    def pairs(self) -> pd.DataFrame:
        """The pairs: better, worse."""
        return self._listed(self.better.to_numpy())

    @property
    def direct(self) -> pd.DataFrame:
        """The pairs that do not follow from others, which a Hasse diagram shows: better, worse."""
        return self._listed(decided.direct(self.better.to_numpy()))

    @property
    def tiers(self) -> pd.Series:
        """Tier of each system: 1 plus the length of the longest chain of better systems."""
        if not self.together:
            raise OptionError(
                "Pairs that are decided one by one need not be transitive and have no tiers.",
                "Use the pairs that are decided together.",
            )
        return pd.Series(decided.tiers(self.better.to_numpy()), self.better.index, name="tier")

    @property
    def chain(self) -> list[Hashable]:
        """A longest list of systems of which each is better than all that follow."""
        tiers = self.tiers.to_numpy()
        found = [int(tiers.argmax())]
        for tier in range(int(tiers.max()) - 1, 0, -1):
            above = self.better.to_numpy()[:, found[-1]] & (tiers == tier)
            found.append(int(above.argmax()))
        return [self.systems[i] for i in reversed(found)]

    def worse_than(self, system: Hashable) -> list[Hashable]:
        """Return the systems that this one is better than, in observed order."""
        if system not in self.better.index:
            raise OptionError(f"Unknown system {system!r}.", f"Systems: {listing(self.systems)}.")
        row = self.better.loc[[system]].to_numpy()[0]
        return [other for other, worse in zip(self.systems, row, strict=True) if worse]

    def ranges(self, labels: Iterable[object] | None = None, dash: str = "-") -> list[str]:
        """Return, for each system, the labels of those that it is better than, as ranges.

        By default, labels are observed ranks.

        Examples
        --------
        >>> better = pd.DataFrame([[False, True, True, True], *[[False] * 4] * 3], dtype=bool)
        >>> DecidedPairs(0.95, True, 0.96, better).ranges()
        ['2-4', '', '', '']
        >>> DecidedPairs(0.95, True, 0.96, better).ranges("abcd")[0]
        'b-d'
        """
        names = [*map(str, labels or range(1, len(self.better) + 1))]
        return [in_ranges(np.flatnonzero(row), names, dash) for row in self.better.to_numpy()]

    def _listed(self, relation: decided.Relation) -> pd.DataFrame:
        rows, columns = np.nonzero(relation)
        labels = self.better.index.to_numpy()
        return pd.DataFrame({"better": labels[rows], "worse": labels[columns]})

    def __str__(self) -> str:
        m, found = len(self.better), int(self.better.to_numpy().sum())
        total = f"{m * (m - 1) // 2} pairs"
        together = f"with probability {self.probability:.3f}"
        if found < 2:
            return (
                f"1 of {total} is decided, {together}." if found else f"None of {total} is decided."
            )
        if self.together:
            return f"{found} of {total} are decided, all together {together}."
        level = f"{self.level * 100:g}%"
        return f"{found} of {total} are decided at {level} each; together they hold {together}."


def decided_pairs(fit: Fit, level: float = 0.95, *, together: bool = True) -> DecidedPairs:
    """Return the pairs of systems whose order is decided.

    Together, all orders hold with a joint probability of at least ``level``; they form a partial
    order. The probability is cross-validated: pairs that are chosen on some draws are judged on
    others. Few draws cannot show a high level: ``probability`` may then be lower. One by one, each
    pair holds with at least ``level``, which is the one-sided convention of :meth:`Fit.groups`;
    together they hold with less, and they need not be transitive.

    Parameters
    ----------
    level : float
        Least probability, of all pairs together or of each pair.
    together : bool
        Whether the level is that of all pairs together.

    Returns
    -------
    DecidedPairs
        Prints as a sentence; has ``pairs``, ``direct`` (a Hasse diagram), ``tiers``, ``chain`` and
        ``worse_than(system)``.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> print(fit.decided_pairs(0.9))
    2 of 6 pairs are decided, all together with probability 0.9...
    """
    means = better_is_higher(fit)
    if together:
        found = decided.decided_together(means, level, sampled=True)
    else:
        found = decided.decided_one_by_one(means, level)
    labels = fit.observed_means.index
    table = pd.DataFrame(found.better, index=labels, columns=labels)
    return DecidedPairs(level, together, found.probability, table)


def in_ranges(positions: Iterable[int], names: list[str], dash: str = "-") -> str:
    """Write positions as ranges of their names; runs of two are listed.

    Examples
    --------
    >>> in_ranges([1, 3, 4, 5, 8, 9], [str(i) for i in range(10)])
    '1,3-5,8,9'
    """
    runs: list[list[int]] = []
    for position in positions:
        if runs and position == runs[-1][-1] + 1:
            runs[-1].append(position)
        else:
            runs.append([position])
    parts = [
        [f"{names[run[0]]}{dash}{names[run[-1]]}"] if len(run) > 2 else [names[i] for i in run]
        for run in runs
    ]
    return ",".join(part for some in parts for part in some)
