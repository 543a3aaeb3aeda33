"""Lists of systems for tables: pairs that are not ordered, and groups of them.

A pair of systems is ordered if the posterior probability of one order is at least the level, which
is a one-sided convention; see :meth:`bayescorr.Fit.groups`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayescorr.coefficients.ranks import order_shares

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


def unordered(fit: Fit, level: float) -> pd.DataFrame:
    """Return whether both orders of each pair of systems are less probable than the level."""
    above = order_shares(fit.ordered_means)
    found = np.maximum(above, above.T) < level
    np.fill_diagonal(found, False)
    labels = pd.Index(fit.systems, name="system")
    return pd.DataFrame(found, index=labels, columns=labels)


def pair_table(not_ordered: pd.DataFrame, discordance: pd.DataFrame) -> pd.DataFrame:
    """List the pairs that are not ordered, the most likely swapped first: a, b, p_swap."""
    first, second = np.nonzero(np.triu(not_ordered.to_numpy(), 1))
    labels = not_ordered.index.to_numpy()
    swapped = discordance.to_numpy()[first, second]
    pairs = pd.DataFrame({"a": labels[first], "b": labels[second], "p_swap": swapped})
    return pairs.sort_values("p_swap", ascending=False, kind="stable", ignore_index=True)


def group_table(groups: Sequence[Sequence[Any]], systems: Sequence[Any]) -> pd.DataFrame:
    """List the groups of at least two systems: group, first_rank, last_rank, size, systems.

    ``systems`` are all systems in observed order, in which every group is a run.

    Examples
    --------
    >>> group_table([["a", "b"], ["c"]], ["a", "b", "c"])
       group  first_rank  last_rank  size systems
    0      1           1          2     2    a, b
    """
    position = {system: i for i, system in enumerate(systems)}
    several = [group for group in groups if len(group) > 1]
    rows = [
        (k, position[group[0]] + 1, position[group[-1]] + 1, len(group), ", ".join(map(str, group)))
        for k, group in enumerate(several, 1)
    ]
    return pd.DataFrame(rows, columns=["group", "first_rank", "last_rank", "size", "systems"])
