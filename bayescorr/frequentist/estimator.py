"""What an estimator is: a name, a citation, and one or two functions of a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bayescorr._numbers import FloatArray
from bayescorr.errors import ModelError
from bayescorr.frequentist.sample import Integers, Sample


@dataclass(frozen=True)
class Differences:
    """Joint draws of the true differences of all pairs, without storing them.

    In draw t the difference of systems i and j is ``centre[t, i] - centre[t, j] + spread[j, i] *
    (noise[t, i] - noise[t, j])``. A pair whose spread is NaN is left out of these draws.

    Attributes
    ----------
    centre : ndarray
        Draws by systems, or one row for all draws.
    noise : ndarray, optional
        Draws by systems.
    spread : ndarray, optional
        Factor of the noise in each pair (row below column).
    """

    centre: FloatArray
    noise: FloatArray | None = None
    spread: FloatArray | None = None

    def __post_init__(self) -> None:
        arrays = (self.centre, self.noise, self.spread)
        shapes = [None if values is None else values.shape for values in arrays]
        m = self.centre.shape[1]
        noise = shapes[1] and (self.draws, m)
        if shapes[1:] != [noise, noise and (m, m)] or len(self.centre) not in (1, self.draws):
            raise ModelError(
                "centre and noise must be draws x systems, and spread systems x systems; got "
                f"{', '.join(map(str, shapes))}."
            )

    @property
    def draws(self) -> int:
        """Number of draws."""
        return len(self.centre) if self.noise is None else len(self.noise)


@dataclass(frozen=True)
class Splits:
    """Pairs of topic samples, one of which plays the truth.

    Attributes
    ----------
    truth, observed : ndarray
        Means (splits x systems) over the two samples.
    sizes : ndarray
        Number of topics in each sample, one per split.
    """

    truth: FloatArray
    observed: FloatArray
    sizes: Integers


@dataclass(frozen=True)
class Estimator:
    """An estimator of the correlation between the observed and the true ranking.

    It needs one of ``true_means``, ``discordance``, ``sigma`` and ``splits``; estimates, standard
    deviations and intervals follow (:mod:`bayescorr.frequentist.estimates`).

    Attributes
    ----------
    name, description, citation : str
        The name that selects it, one line on what it does, and where it is defined.
    true_means : callable, optional
        Sample -> draws of the true means (draws x systems). Makes every coefficient available.
    discordance : callable, optional
        Sample -> P(truth swaps i and j) (row below column), where it is known without draws.
    differences : callable, optional
        Sample -> joint draws of the true differences, for intervals of estimators without
        ``true_means``. Several parts divide the pairs among them.
    splits : callable, optional
        Sample -> pairs of topic samples whose correlations are the estimate.
    notes : callable, optional
        Sample -> what a reader of the estimates should know, such as how often it fell back.
    intervals : bool
        Whether the estimate has a standard deviation and intervals.
    sigma : callable, optional
        Sample -> standard deviation of each pair's differences (row below column), for estimators
        that take the differences to be normal: swaps then have t probabilities (Urbano & Marrero
        2016, eq. 5).
    summaries : bool
        Whether it supports other summaries than the mean (``Sample.summary``).
    strata : bool
        Whether it supports weighted means over several tasks (``sample.tasks``).
    """

    name: str
    description: str
    citation: str
    true_means: Callable[[Sample], FloatArray] | None = None
    discordance: Callable[[Sample], FloatArray] | None = None
    differences: Callable[[Sample], tuple[Differences, ...]] | None = None
    splits: Callable[[Sample], Splits] | None = None
    notes: Callable[[Sample], tuple[str, ...]] = lambda sample: ()
    intervals: bool = True
    sigma: Callable[[Sample], FloatArray] | None = None
    strata: bool = False
    summaries: bool = False

    def __post_init__(self) -> None:
        if not (self.true_means or self.discordance or self.sigma or self.splits):
            raise ModelError(
                f"The estimator {self.name} has no estimating function.",
                "Pass true_means, discordance, sigma or splits.",
            )

    @property
    def coefficients(self) -> str:
        """Which coefficients it supports, in words."""
        return "any" if self.true_means else "tau, tau_ap"


URBANO_MARRERO = (
    "Urbano & Marrero 2016, Toward Estimating the Rank Correlation between the Test Collection "
    "Results and the True System Performance, SIGIR"
)
BAVDAZ = (
    "Bavdaz 2018, Toward Rank Correlation as a Measure of Confidence in Information Retrieval "
    "Experiment Results, Delft University of Technology"
)
