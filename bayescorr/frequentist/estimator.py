"""What an estimator is: a name, a citation, and one or two functions of a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bayescorr._numbers import FloatArray
from bayescorr.errors import ModelError
from bayescorr.frequentist.sample import Integers, Sample

__all__ = ["Differences", "Estimator", "FloatArray", "Integers", "Sample", "Splits"]


@dataclass(frozen=True)
class Differences:
    """Joint draws of the true differences of all pairs, never held in memory all at once.

    In draw t the difference of systems i and j is ``centre[t, i] - centre[t, j] + spread[j, i] *
    (noise[t, i] - noise[t, j])``. A pair whose spread is NaN is left out of these draws.

    Attributes
    ----------
    centre : ndarray
        Draws by systems, or one row for all draws.
    noise : ndarray, optional
        Draws by systems.
    spread : ndarray, optional
        How far the noise spreads each pair (row below column).
    """

    centre: FloatArray
    noise: FloatArray | None = None
    spread: FloatArray | None = None

    def __post_init__(self) -> None:
        systems = self.centre.shape[-1]
        fits = self.noise is None and self.spread is None
        if self.noise is not None and self.spread is not None:
            fits = self.noise.shape[1] == systems and self.spread.shape == (systems, systems)
        if not fits or len(self.centre) not in (1, self.draws):
            raise ModelError(
                f"Draws of differences do not fit together, centre is {self.centre.shape}.",
                "Give centre and noise as draws x systems and spread as systems x systems.",
            )

    @property
    def draws(self) -> int:
        """How many draws there are."""
        return len(self.centre) if self.noise is None else len(self.noise)


@dataclass(frozen=True)
class Splits:
    """Pairs of topic samples, one in the role of the truth, and how many topics they have.

    Attributes
    ----------
    truth, observed : ndarray
        Means (splits x systems) over the two samples.
    sizes : ndarray
        Topics in each sample, one number per split.
    """

    truth: FloatArray
    observed: FloatArray
    sizes: Integers


def _nothing_to_note(sample: Sample) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Estimator:
    """An estimator of the correlation between the observed and the true ranking.

    It needs one of ``true_means``, ``discordance`` and ``splits``; estimates, standard deviations
    and intervals follow from what it gives (:mod:`bayescorr.frequentist.estimates`).

    Attributes
    ----------
    name, description, citation : str
        The name to ask for it by, one line on what it does, where it is defined.
    true_means : callable, optional
        Sample -> draws of the true means (draws x systems). Makes every coefficient available.
    discordance : callable, optional
        Sample -> P(truth swaps i and j) (row below column), where it is known without draws.
    differences : callable, optional
        Sample -> joint draws of the true differences, for intervals where there are no
        ``true_means``; several parts share the pairs between them.
    splits : callable, optional
        Sample -> pairs of topic samples whose correlations are the estimate.
    notes : callable, optional
        Sample -> what a reader of the estimates should know, such as how often it fell back.
    intervals : bool
        Whether a standard deviation and intervals come with the estimate.
    """

    name: str
    description: str
    citation: str
    true_means: Callable[[Sample], FloatArray] | None = None
    discordance: Callable[[Sample], FloatArray] | None = None
    differences: Callable[[Sample], tuple[Differences, ...]] | None = None
    splits: Callable[[Sample], Splits] | None = None
    notes: Callable[[Sample], tuple[str, ...]] = _nothing_to_note
    intervals: bool = True

    def __post_init__(self) -> None:
        if not (self.true_means or self.discordance or self.splits):
            raise ModelError(
                f"The estimator {self.name} estimates nothing.",
                "Give it true_means, discordance or splits.",
            )

    @property
    def coefficients(self) -> str:
        """Which coefficients it can estimate, in words."""
        return "any" if self.true_means else "tau, tau_ap"


URBANO_MARRERO = (
    "Urbano & Marrero 2016, Toward Estimating the Rank Correlation between the Test Collection "
    "Results and the True System Performance, SIGIR"
)
BAVDAZ = (
    "Bavdaz 2018, Toward Rank Correlation as a Measure of Confidence in Information Retrieval "
    "Experiment Results, Delft University of Technology"
)
