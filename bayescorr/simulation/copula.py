"""Simulate collections by margins and a copula (Urbano & Nagler, 2018)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special

from bayescorr._numbers import FloatArray, check_count
from bayescorr._random import RandomSeed
from bayescorr.errors import OptionError, choose, listing
from bayescorr.simulation._normal import NormalTransform, correlation_factor, pseudo_observations
from bayescorr.simulation._vine import fit_vine, load_vine
from bayescorr.simulation.base import Simulator
from bayescorr.simulation.fitting import (
    fit_margins,
    margin_from_dict,
    margin_to_dict,
    select_margin,
)
from bayescorr.simulation.margins import Margin
from bayescorr.simulation.margins_discrete import score_support

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# How close to an end of its range a true mean may be, as a share of the range.
_EDGE = 0.002


class CopulaSimulator(Simulator):
    """Simulate collections from one distribution per system, joined by a copula.

    Each system gets the margin that fits its scores best (Urbano & Nagler, 2018). The copula is
    fitted to the pseudo-observations, ranks / (n + 1) with ties in random order.

    Parameters
    ----------
    scores : DataFrame or array
        Scores of systems (columns) on topics (rows), between 0 and 1 or in the support.
    support : str or array, optional
        For measures on a grid: "p10" (precision at any cutoff), "rr" (reciprocal rank), or the
        possible scores. None for continuous measures.
    family : {"gaussian", "vine"}
        The copula: Gaussian with the correlations of the normal scores, or a regular vine of
        parametric pair copulas selected by AIC (needs the extra ``copula`` and 10 topics).
    truncation : int, optional
        Number of trees of the vine. With family="gaussian", a vine of Gaussian pair copulas with
        this number of trees replaces the full correlation matrix.
    margins : sequence of str, optional
        Families of margins to choose from: see :func:`bayescorr.simulation.fit_margins`.
    criterion : {"aic", "bic", "loglik"}
        Criterion that selects the margin of a system.
    truth : {"simulator", "original", "shrunk"}
        Definition of the true means: expected values of the margins, means of the original scores,
        or a draw from their posterior for each collection (:meth:`case`). ``with_means()``
        transforms the margins.
    random_seed : int, Generator or None
        Seed for the order of ties. The default gives the same simulator for the same scores.

    Attributes
    ----------
    vine : pyvinecopulib.Vinecop or None
        The fitted vine of the distinct systems, sorted by label.

    Notes
    -----
    A full vine of Gaussian pair copulas is a Gaussian copula. Without truncation, the correlation
    matrix is therefore used directly; it may be singular. Identical systems stay identical.

    References
    ----------
    J. Urbano and T. Nagler (2018). Stochastic simulation of test collections: evaluation scores.
    SIGIR.

    Examples
    --------
    >>> scores = np.random.default_rng(1).binomial(10, [0.2, 0.3, 0.5], size=(30, 3)) / 10
    >>> simulator = CopulaSimulator(scores, support="p10")
    >>> simulator.margins["sys1"]
    BetaBinomialMargin(mean=0.1900, df=2.00)
    >>> simulator.sample(2, random_seed=1)
        sys1  sys2  sys3
    t1   0.2   0.1   0.6
    t2   0.2   0.5   0.4
    >>> simulator.with_means([0.2, 0.3, 0.4]).true_means.round(6).tolist()
    [0.2, 0.3, 0.4]
    """

    kind: ClassVar[str] = "copula"

    def __init__(
        self,
        scores: pd.DataFrame | ArrayLike,
        *,
        support: str | ArrayLike | None = None,
        family: str = "gaussian",
        truncation: int | None = None,
        margins: Sequence[str] | None = None,
        criterion: str = "aic",
        truth: str = "simulator",
        random_seed: RandomSeed = 0,
    ) -> None:
        super().__init__(scores, truth)
        self.support = None if support is None else score_support(support)
        self.family = choose(family, ("gaussian", "vine"), "family of copulas")
        self.truncation = None if truncation is None else check_count(truncation, "truncation")
        columns = self._values[:, self._distinct]
        fitted = [
            select_margin(fit_margins(x, self.support, margins), x, criterion) for x in columns.T
        ]
        self._margins: list[Margin] = [fitted[i] for i in self._copies]
        observations = pseudo_observations(columns, random_seed)
        full = self.family == "gaussian" and self.truncation is None
        self._factor = correlation_factor(special.ndtri(observations)) if full else None
        self.vine: Any = None if full else fit_vine(observations, self.family, self.truncation)

    @property
    def margins(self) -> Mapping[Hashable, Margin]:
        """The margin of each system."""
        ordered = [self._margins[i] for i in self._positions]
        return MappingProxyType(dict(zip(self.systems.tolist(), ordered, strict=True)))

    @property
    def correlations(self) -> pd.DataFrame | None:
        """Correlations of the normal scores, systems by systems; None for a vine."""
        if self._factor is None:
            return None
        matrix = np.clip(self._factor.T @ self._factor, -1.0, 1.0)
        np.fill_diagonal(matrix, 1.0)
        order = self._copies[self._positions]
        return pd.DataFrame(matrix[np.ix_(order, order)], index=self.systems, columns=self.systems)

    def plot_correlations(self, *, ax: Axes | None = None) -> Axes:
        """Plot the correlations of the Gaussian copula as a heat map.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on.

        Returns
        -------
        matplotlib Axes
        """
        from bayescorr.report.heatmap import plot_matrix

        if self.correlations is None:
            raise OptionError(
                "A vine has no correlation matrix.",
                'Inspect .vine, or use family="gaussian" without truncation.',
            )
        label = "correlation in the copula"
        return plot_matrix(self.correlations, label=label, cmap="RdBu", vmin=-1, vmax=1, ax=ax)

    def with_margin(self, system: Hashable, margin: Margin) -> Self:
        """Return a simulator with another margin for one system.

        Parameters
        ----------
        system
            Label of the system.
        margin : Margin
            An instance of a subclass of :class:`bayescorr.simulation.Margin`.

        Returns
        -------
        CopulaSimulator
            A new simulator with the same copula. Its ``truth`` is "simulator": the true means are
            the expected values of its margins.

        Examples
        --------
        >>> scores = np.random.default_rng(1).binomial(10, [0.2, 0.3, 0.5], size=(30, 3)) / 10
        >>> simulator = CopulaSimulator(scores, support="p10")
        >>> simulator.with_margin("sys1", simulator.margins["sys3"]).true_means.round(2).tolist()
        [0.56, 0.28, 0.56]
        """
        if not isinstance(margin, Margin):
            raise OptionError(
                f"margin must be a Margin; got {type(margin).__name__}.",
                "Use a margin of bayescorr.simulation, such as BetaMargin.",
            )
        changed = self._changed()
        changed._margins[self._position(system)] = margin
        return changed

    def _moved(self, means: FloatArray) -> Self:
        changed = self._changed()
        for position, mean in enumerate(means):
            # Margins that have this mean stay as they are.
            if not np.isclose(self._margins[position].mean, mean, rtol=1e-12, atol=1e-14):
                changed._margins[position] = self._margins[position].with_mean(float(mean))
        return changed

    def _attainable(self, means: FloatArray) -> FloatArray:
        margins = [self._margins[i] for i in self._positions]
        low, high = (np.array([getattr(m, end) for m in margins]) for end in ("low", "high"))
        edge = _EDGE * (high - low)
        return np.clip(means, low + edge, high - edge)

    def _changed(self) -> Self:
        changed = copy(self)
        changed._margins = list(self._margins)
        # The means of the original scores are no longer the true means.
        changed.truth = "simulator"
        changed.__dict__.pop("_transform", None)
        return changed

    def _position(self, system: Hashable) -> int:
        if system not in self.systems:
            raise OptionError(
                f"Unknown system {system!r}.", f"Choose one of: {listing(self.systems)}."
            )
        return int(self._positions[self.systems.get_loc(system)])

    @cached_property
    def _transform(self) -> NormalTransform:
        return NormalTransform(self._margins)

    def _draw(self, n_topics: int, rng: np.random.Generator) -> FloatArray:
        if self._factor is not None:
            z = rng.standard_normal((n_topics, len(self._factor))) @ self._factor
        else:
            uniform = rng.uniform(1e-10, 1 - 1e-10, size=(n_topics, len(self._distinct)))
            z = special.ndtri(self.vine.inverse_rosenblatt(np.asfortranarray(uniform)))
        return self._transform(z[:, self._copies])

    @property
    def _simulated_means(self) -> FloatArray:
        return np.array([margin.mean for margin in self._margins])

    def state(self) -> dict[str, Any]:
        """Return what a file must store besides the scores."""
        return {
            "support": None if self.support is None else self.support.tolist(),
            "family": self.family,
            "truncation": self.truncation,
            "truth": self.truth,
            "margins": [margin_to_dict(margin) for margin in self._margins],
            "factor": None if self._factor is None else self._factor.tolist(),
            "vine": None if self.vine is None else self.vine.to_json(),
        }

    @classmethod
    def from_state(cls, scores: pd.DataFrame, state: dict[str, Any]) -> Self:
        """Return the simulator with these scores and this state, without fitting it again."""
        simulator = cls.__new__(cls)
        Simulator.__init__(simulator, scores, state["truth"])
        simulator.support = None if state["support"] is None else np.array(state["support"])
        simulator.family, simulator.truncation = state["family"], state["truncation"]
        simulator._margins = [margin_from_dict(margin) for margin in state["margins"]]
        simulator._factor = None if state["factor"] is None else np.array(state["factor"])
        simulator.vine = None if state["vine"] is None else load_vine(state["vine"])
        return simulator
