"""What a model predicts: scores on new topics, and how rankings by other topics would agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayescorr._draws import estimates_of
from bayescorr._numbers import FloatArray, check_count
from bayescorr._random import RandomSeed, generator
from bayescorr.bayes import _stack
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Model, PyMCModel, get_model
from bayescorr.bayes.sampler import flat_draws, prior_draws
from bayescorr.coefficients import DEFAULT_COEFFICIENTS, correlate
from bayescorr.coefficients.registry import AnyCoefficient, resolve_all
from bayescorr.errors import ModelError
from bayescorr.scores.check import observed_means
from bayescorr.scores.strata import tasks_of

if TYPE_CHECKING:
    from bayescorr.bayes.result import Fit


class ForModel(NamedTuple):
    """What a fit passes to its model: thinned draws of the distinct systems, and the data."""

    parameters: dict[str, FloatArray]
    true_means: FloatArray
    data: ModelData
    #: The position of the distinct system that stands for every system of the scores.
    stands_for: pd.Series


def for_model(fit: Fit, draws: int | None = None) -> ForModel:
    """Return at most ``draws`` draws, evenly spaced over the posterior, as the model takes them."""
    if fit.tasks:
        raise ModelError(
            "Each task has its own model; no model covers all tasks together.",
            f"Ask one task: fit.tasks[{next(iter(fit.tasks))!r}].",
        )
    data, stands_for = fit.model_data
    everything = flat_draws(fit.posterior)
    total = len(everything["true_means"])
    size = total if draws is None else min(draws, total)
    chosen = np.linspace(0, total - 1, size).round().astype(int)
    parameters = {name: values[chosen] for name, values in everything.items()}
    # The first system of each set of identical ones.
    columns = np.unique(stands_for.to_numpy(), return_index=True)[1]
    return ForModel(parameters, parameters.pop("true_means")[:, columns], data, stands_for)


def covariance(fit: Fit, draws: int | None = None, random_seed: RandomSeed = None) -> xr.DataArray:
    """Draw the covariance of a topic's scores, for distinct systems.

    Parameters
    ----------
    draws : int, optional
        Number of draws, evenly spaced over the posterior; by default all of them.
    random_seed : int or Generator, optional
        The same seed gives the same draws.

    Returns
    -------
    DataArray
        Dims sample x system x system_other.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> fit.covariance(draws=10).shape  # doctest: +SKIP
    (10, 30, 30)
    """
    given = for_model(fit, draws)
    values = fit.model.covariance(*given[:3], fit.priors, generator(random_seed))
    labels = [str(system) for system in given.data.systems]
    dims = ("sample", "system", "system_other")
    return xr.DataArray(values, {"system": labels, "system_other": labels}, dims)


def posterior_predictive(
    fit: Fit,
    n_topics: int | None = None,
    *,
    draws: int | None = 500,
    random_seed: RandomSeed = None,
    keep: bool = False,
) -> xr.DataArray:
    """Draw scores on new topics.

    Parameters
    ----------
    n_topics : int, optional
        Number of topics of each new collection; by default as many as observed.
    draws : int, optional
        Number of collections, from evenly spaced posterior draws; None for all draws.
    random_seed : int or Generator, optional
        The same seed gives the same scores.
    keep : bool
        Also store the scores in ``idata``, as its group ``posterior_predictive``.

    Returns
    -------
    DataArray
        Dims sample x topic x system.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> fit.posterior_predictive(100, draws=20, random_seed=1).shape  # doctest: +SKIP
    (20, 100, 30)
    """
    if fit.tasks and n_topics is None and not keep:
        rng = generator(random_seed)
        parts = [one.posterior_predictive(draws=draws, random_seed=rng) for one in fit.parts]
        return xr.concat(parts, "topic")
    given = for_model(fit, draws)
    topics = given.data.n_topics if n_topics is None else n_topics
    values = fit.model.new_topics(*given[:3], fit.priors, topics, generator(random_seed))
    values = values[:, :, given.stands_for.to_numpy()]
    coords = {"system": fit.posterior["system"].to_numpy()}
    drawn = xr.DataArray(values, coords, ("sample", "topic", "system"))
    if keep:
        group = drawn.rename(sample="draw").expand_dims(chain=[0]).to_dataset(name="scores")
        groups = {**_stack.groups(fit.idata), "posterior_predictive": group}
        fit.idata = _stack.container(groups, dict(fit.idata.attrs))
    return drawn


def log_likelihood(fit: Fit, draws: int | None = None) -> FloatArray:
    """Return the log density of each topic's scores under the model.

    Parameters
    ----------
    draws : int, optional
        Number of draws, evenly spaced over the posterior; by default all of them.

    Returns
    -------
    array
        Draws x topics, topics sorted by label (within tasks, if there are any).
        :func:`bayescorr.loo` sums them up.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), random_seed=1)  # doctest: +SKIP
    >>> fit.log_likelihood(draws=10).shape  # doctest: +SKIP
    (10, 50)
    """
    found = []
    for part in fit.parts:
        given = for_model(part, draws)
        found.append(fit.model.log_likelihood(given.parameters, given.data, fit.priors))
    return np.hstack(found)


def prior_predictive(
    model: str | Model | None = None,
    n_topics: int = 50,
    n_systems: int = 20,
    *,
    draws: int = 200,
    priors: Mapping[str, float] | None = None,
    location: float = 0.0,
    scale: float = 1.0,
    random_seed: RandomSeed = None,
) -> xr.Dataset:
    """Simulate collections from the prior of a model.

    Parameters
    ----------
    model : str or Model, optional
        By default the default model.
    n_topics, n_systems : int
        Size of the collections.
    draws : int
        Number of collections.
    priors : mapping, optional
        Numbers that replace the model's defaults, by name.
    location, scale : float
        Grand mean of the scores, and standard deviation of their within-topic contrasts. Models
        that state their priors on a standard scale are brought to this one.
    random_seed : int or Generator, optional
        The same seed gives the same collections.

    Returns
    -------
    Dataset
        ``scores`` (sample x topic x system), ``true_means`` (sample x system), the parameters, and
        tau, tau_ap and tau_gap between the true means and those of the simulated scores (sample).

    Examples
    --------
    >>> simulated = prior_predictive(n_topics=10, n_systems=5, draws=20, random_seed=1)
    >>> dict(simulated["scores"].sizes)
    {'sample': 20, 'topic': 10, 'system': 5}
    """
    chosen = get_model(model)
    if not isinstance(chosen, PyMCModel):
        raise chosen.cannot("simulate collections: it has no proper prior")
    check_count(n_topics, "n_topics", 2)
    check_count(n_systems, "n_systems", 2)
    check_count(draws, "draws")
    full_priors = chosen.full_priors(priors)
    data = ModelData(
        values=np.zeros((n_topics, n_systems)),
        topics=[f"t{i + 1}" for i in range(n_topics)],
        systems=[f"sys{i + 1}" for i in range(n_systems)],
        location=location,
        scale=scale,
    )
    rng = generator(random_seed)
    parameters = prior_draws(chosen, data, full_priors, draws, rng)
    means, scores = np.empty((draws, n_systems)), np.empty((draws, n_topics, n_systems))
    for i in range(draws):
        draw = {name: value[i] for name, value in parameters.items()}
        means[i], scores[i] = chosen.simulate(draw, data, full_priors, rng)
    variables: dict[str, Any] = {
        "scores": (("sample", "topic", "system"), scores),
        "true_means": (("sample", "system"), means),
    }
    for name, value in (correlate(means, scores.mean(axis=1)) | parameters).items():
        inner = [f"{name}_{i}" for i in range(value.ndim - 1)]
        if value.shape[1:] == (n_systems,):
            inner = ["system"]
        variables[name] = (("sample", *inner), value)
    return xr.Dataset(variables, coords={"topic": data.topics, "system": data.systems})


@dataclass(frozen=True, eq=False)
class PredictedAgreement:
    """Posterior predictive distribution of the agreement with rankings by other topics.

    Attributes
    ----------
    method : str
        The model.
    observed_topics, systems : int
        Number of topics and systems that the model was fitted to.
    n_topics : tuple of int
        Sizes of the other sets of topics.
    draws : mapping
        By coefficient its draws, sizes x draws.
    """

    method: str
    observed_topics: int
    systems: int
    n_topics: tuple[int, ...]
    draws: Mapping[str, FloatArray] = field(repr=False)

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return one row per size and coefficient.

        Columns n_topics, coefficient, estimate, sd, lower, upper, level.
        """
        parts = []
        for name, drawn in self.draws.items():
            part = estimates_of(drawn.T, level).assign(level=level)
            part.insert(0, "n_topics", self.n_topics)
            part.insert(1, "coefficient", name)
            parts.append(part)
        return pd.concat(parts).sort_values("n_topics", kind="stable", ignore_index=True)

    def in_words(self, level: float = 0.95) -> str:
        """Say what to expect of a set of as many topics as observed, or of the first size."""
        table, name = self.table(level), next(iter(self.draws))
        size = self.n_topics[0]
        if self.observed_topics in self.n_topics:
            size = self.observed_topics
        row = table[(table["n_topics"] == size) & (table["coefficient"] == name)].iloc[0]
        what = "Kendall's tau" if name == "tau" else name
        return (
            f"Another team that ranks the {self.systems} systems on {size} other topics should "
            f"expect a ranking that correlates with this one at {what} = {row['estimate']:.2f} "
            f"({level * 100:g}% predictive interval {row['lower']:.2f} to {row['upper']:.2f})."
        )

    def __repr__(self) -> str:
        table = self.table().to_string(index=False, float_format="{:.3f}".format)
        return f"{self.in_words()}\n{table}"


def predict_agreement(
    fit: Fit,
    n_topics: int | Iterable[int] | None = None,
    coefficients: AnyCoefficient | Iterable[AnyCoefficient] = DEFAULT_COEFFICIENTS,
    *,
    draws: int | None = None,
    random_seed: RandomSeed = None,
) -> PredictedAgreement:
    r"""Predict how the observed ranking would agree with that by a set of other topics.

    Would the topics of another team give the same ranking? Neither ranking is the true one: for
    every posterior draw, the means over n' new topics have the noise of these topics in addition,

    .. math:: \bar x' \sim N(\mu, \Sigma / n'),

    and the coefficient is that between them and the observed means. As n' grows it becomes that
    with the true ranking. :func:`bayescorr.expected_coefficient` predicts a different thing: how
    the ranking by the other topics would agree with the true one.

    Parameters
    ----------
    n_topics : int or sequence of int, optional
        Sizes of the other sets; by default half, once, twice and four times the observed number.
    coefficients : str, callable, or several
        Coefficients; the other set plays the truth.
    draws : int, optional
        Number of posterior draws, evenly spaced; by default all of them.
    random_seed : int or Generator, optional
        The same seed gives the same draws.

    Returns
    -------
    PredictedAgreement
        With ``table(level)`` and ``in_words(level)``; ``draws`` has the draws by coefficient.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "flat", random_seed=1)
    >>> agreement = fit.predict_agreement([25, 100], "tau", random_seed=1)
    >>> agreement.table(0.9)[["n_topics", "coefficient", "estimate", "lower"]].round(1)
       n_topics coefficient  estimate  lower
    0        25         tau       0.7    0.6
    1       100         tau       0.8    0.7
    """
    n = len(fit.scores)
    if n_topics is None:
        n_topics = sorted({max(1, round(step * n)) for step in (0.5, 1, 2, 4)})
    given: tuple[Any, ...] = tuple(n_topics) if isinstance(n_topics, Iterable) else (n_topics,)
    sizes = tuple(check_count(size, "n_topics") for size in given)
    wanted = resolve_all(coefficients)
    rng = generator(random_seed)
    drawn = [draw_agreement(fit, size, wanted, draws=draws, random_seed=rng) for size in sizes]
    return PredictedAgreement(
        method=fit.method,
        observed_topics=n,
        systems=fit.scores.shape[1],
        n_topics=sizes,
        draws={c.name: np.array([one[c.name] for one in drawn]) for c in wanted},
    )


def draw_agreement(
    fit: Fit,
    n_topics: int,
    coefficients: Sequence[AnyCoefficient],
    *,
    draws: int | None = None,
    random_seed: RandomSeed = None,
) -> dict[str, FloatArray]:
    """Draw coefficients between the observed ranking and that by a set of new topics.

    With tasks, such a set has as many topics of each task as were observed, to the nearest one.
    """
    rng, means = generator(random_seed), np.zeros(())
    for task, part in zip(tasks_of(fit.scores), fit.parts, strict=True):
        given = for_model(part, draws)
        size = max(1, round(n_topics * len(task.rows) / len(fit.scores)))
        drawn = part.model.new_means(*given[:3], part.priors, size, rng)
        means = means + task.weight * drawn[:, given.stands_for.to_numpy()]
    observed, better = observed_means(fit.scores).to_numpy(), fit.higher_is_better
    return correlate(means, observed, coefficients, higher_is_better=better)
