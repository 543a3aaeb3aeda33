"""The verdict: what may be claimed about a ranking, in sentences chosen by rules."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bayescorr._numbers import check_level
from bayescorr.claims.partial_order import DecidedPairs, decided_pairs
from bayescorr.claims.systems import better_is_higher
from bayescorr.claims.together import TopSet, top_set
from bayescorr.errors import listing

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit

# Names in a sentence; longer lists are counted.
_MOST_NAMES = 10


@dataclass(frozen=True)
class Verdict:
    """What may be claimed about a ranking.

    Attributes
    ----------
    level : float
        Probability from which something counts as decided.
    leaders : list
        Systems with the best observed mean; several if their means are equal.
    likely_best : list
        The system that is most probably the best; several if they are identical.
    p_best : float
        The probability that it is the best.
    best : TopSet
        The smallest set that contains the truly best system.
    pairs : DecidedPairs
        The pairs that are decided together.
    plans : tuple of str
        Sentences about other sets of topics.
    """

    level: float
    leaders: list[Hashable]
    likely_best: list[Hashable]
    p_best: float
    best: TopSet = field(repr=False)
    pairs: DecidedPairs = field(repr=False)
    plans: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether it is decided which system is the best."""
        return self.p_best >= self.level - 1e-12

    @property
    def sentences(self) -> list[str]:
        """The verdict, sentence by sentence."""
        return [*self._winner(), *self._groups(), *self.plans]

    def _winner(self) -> list[str]:
        leaders, likely = _joined(self.leaders), _joined(self.likely_best)
        several, twins = len(self.leaders) > 1, len(self.likely_best) > 1
        are = f"{'are' if twins else 'is'} truly the best with probability"
        if self.decided:
            only = "" if {*self.likely_best} <= {*self.leaders} else f", although {leaders} lead"
            only += "s" * bool(only and not several)
            return [f"The winner is decided{only}: {likely} {are} {self.p_best:.3f}."]
        if self.leaders == self.likely_best:
            lead = f"{likely} lead, but" if twins else f"{likely} leads, but"
            found = f"{lead} {are} only {self.p_best:.3f}"
        elif several:
            found = f"{leaders} have the same observed mean"
            found += f", and {likely} {are} only {self.p_best:.3f}"
        else:
            found = f"{leaders} leads, but {likely} {'are' if twins else 'is'} the likeliest best"
            found += f", with probability {self.p_best:.3f}"
        return [f"The winner is not decided: {found}.", self._best_set()]

    def _best_set(self) -> str:
        size, m = len(self.best.systems), len(self.pairs.systems)
        if size == m:
            return f"No system can be excluded as the best at {_percent(self.level)}."
        return (
            f"The best system is one of {size} with probability {self.best.probability:.3f}: "
            f"{listing(self.best.systems, _MOST_NAMES)}."
        )

    def _groups(self) -> list[str]:
        m, chain = len(self.pairs.systems), self.pairs.chain
        if len(chain) == 1:
            return [f"No two systems can be told apart at {_percent(self.level)}."]
        shown = " > ".join(map(str, chain)) if len(chain) <= _MOST_NAMES else ""
        if len(chain) == m:
            every = "Both" if m == 2 else f"All {m}"
            # The order that holds may differ from the observed one.
            order = f"{shown}," if shown else "their order is decided"
            return [
                f"{every} systems can be told apart: {order} with probability "
                f"{self.pairs.probability:.3f}."
            ]
        return [
            f"{self.pairs}",
            f"The longest chain of decided pairs has {len(chain)} systems"
            + (f": {shown}." if shown else "."),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return sentences and numbers, as ``--json`` prints them."""
        return {
            "level": self.level,
            "sentences": self.sentences,
            "winner_decided": self.decided,
            "leaders": [str(system) for system in self.leaders],
            "likely_best": [str(system) for system in self.likely_best],
            "p_best": self.p_best,
            "best_set": [str(system) for system in self.best.systems],
            "best_set_probability": self.best.probability,
            "decided_pairs": int(self.pairs.better.to_numpy().sum()),
            "decided_pairs_probability": self.pairs.probability,
            "longest_chain": [str(system) for system in self.pairs.chain],
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def verdict(fit: Fit, level: float = 0.95, *, plans: Sequence[object] = ()) -> Verdict:
    """Say in a few sentences what may be claimed: the winner, the candidates, the decided order.

    The winner is decided if one system is the best with a probability of at least ``level``. Pairs
    are decided together (:meth:`Fit.decided_pairs`). What is not decided is said to be so.

    Parameters
    ----------
    level : float
        Probability from which something counts as decided.
    plans : sequence
        Answers about other sets of topics that print as a sentence, such as that of
        :func:`bayescorr.topics_needed`. They close the verdict.

    Returns
    -------
    Verdict
        Prints as its ``sentences``; has the numbers behind them.

    Raises
    ------
    ConvergenceError
        If the sampler did not converge, since its numbers must not be quoted.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo").iloc[:, :4], "flat", random_seed=1)
    >>> print(fit.verdict())
    The winner is not decided: bm25-b0.4 leads, but is truly the best with probability only 0.705.
    The best system is one of 3 with probability 0.996: bm25-b0.4, bm25, bm25-stop.
    1 of 6 pairs is decided, with probability 0.978.
    The longest chain of decided pairs has 2 systems: bm25-b0.4 > bm25-title.
    """
    fit.check(strict=True)
    shares = (fit.true_ranks == 1).mean(axis=0)
    likeliest = int(shares.argmax())
    means, observed = better_is_higher(fit), fit.observed_means.to_numpy()
    same = (means == means[:, [likeliest]]).all(axis=0)
    return Verdict(
        level=check_level(level),
        leaders=[s for s, mean in zip(fit.systems, observed, strict=True) if mean == observed[0]],
        likely_best=[fit.systems[i] for i in np.flatnonzero(same)],
        p_best=float(shares[likeliest]),
        best=top_set(fit, 1, level),
        pairs=decided_pairs(fit, level),
        plans=tuple(map(str, plans)),
    )


def _joined(systems: Sequence[Hashable]) -> str:
    """Join names with commas and "and"."""
    names = [*map(str, systems)]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _percent(level: float) -> str:
    return f"{level * 100:g}%"
