"""Other models and other priors: leave one topic out, and change the numbers of the priors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr._random import RandomSeed
from bayescorr.bayes import _stack
from bayescorr.bayes.fit import fit as fit_model
from bayescorr.bayes.model import Model, PyMCModel, get_model
from bayescorr.bayes.result import Fit
from bayescorr.coefficients import DEFAULT_COEFFICIENTS
from bayescorr.errors import ConvergenceWarning, ModelError, OptionError, listing
from bayescorr.scores.check import sort_labels

#: The largest Pareto k at which the weights are reliable (Vehtari et al. 2024).
MOST_K = 0.7

#: Draws are thinned above this number of multiplications, but not below this number of draws.
MOST_WORK, LEAST_DRAWS = 5e10, 1000


@dataclass(frozen=True, eq=False)
class LOO:
    """The result of leaving one topic out at a time.

    Attributes
    ----------
    elpd : float
        Expected log predictive density: the sum over topics of the log density of a topic's scores
        given the other topics; higher is better.
    se : float
        Its standard error over topics.
    mc_se : float
        Monte Carlo standard error of ``elpd``: how much another set of draws would change it.
    p_loo : float
        The log density of all topics less ``elpd``: the effective number of sampled parameters.
        Parameters that are integrated out do not count.
    pointwise, pareto_k : Series
        Log density and Pareto k of each topic. A k up to 0.7 is fine.
    """

    elpd: float
    se: float
    mc_se: float
    p_loo: float
    pointwise: pd.Series
    pareto_k: pd.Series

    @property
    def exact(self) -> bool:
        """Whether the density is the same in all draws, so that no weights are needed."""
        return bool((self.pareto_k == -np.inf).all())

    @property
    def unreliable(self) -> list[Any]:
        """Topics that change the posterior too much for importance weights."""
        return list(self.pareto_k.index[~(self.pareto_k <= MOST_K)])

    def __str__(self) -> str:
        text = (
            f"elpd {self.elpd:.1f} (standard error {self.se:.1f}, Monte Carlo error "
            f"{self.mc_se:.1f}), p_loo {self.p_loo:.1f}"
        )
        if self.unreliable:
            text += f"; Pareto k above {MOST_K} for topics {listing(self.unreliable)}"
        return text


def loo(fit: Fit) -> LOO:
    r"""Leave one topic out: how well the model predicts the scores of a topic from the others.

    .. math:: elpd = \sum_{t=1}^n \log p(x_t \mid x_{-t}), \qquad
        p(x_t \mid x_{-t}) \approx
            \frac{\sum_d w_{dt}\, p(x_t \mid x_{-t}, \theta_d)}{\sum_d w_{dt}}

    where :math:`\theta_d` are posterior draws given all topics, and the weights :math:`w_{dt}` are
    :math:`1 / p(x_t \mid x_{-t}, \theta_d)`, the largest of them smoothed by a generalised Pareto
    distribution with shape k. The standard error is :math:`\sqrt{n V}`, with V the variance over
    topics of the n terms.

    Parameters
    ----------
    fit : Fit
        Of a model that gives the density of a topic's scores.

    Returns
    -------
    LOO
        Its ``elpd`` and standard error, and the density and Pareto k of each topic.

    Notes
    -----
    Models that integrate mu and Sigma out condition them on the other topics exactly; only the
    hyperparameters are weighted. The scale of the priors comes from all topics, including the one
    left out. Identical systems count once. Above about 100 systems and 5,000 topics, 1,000 draws
    evenly spaced over the posterior are used; ``mc_se`` says how much that matters.

    References
    ----------
    A. Vehtari, A. Gelman, J. Gabry. Practical Bayesian model evaluation using leave-one-out
    cross-validation and WAIC. Statistics and Computing 27(5), 2017.

    Examples
    --------
    >>> import bayescorr
    >>> scores = bayescorr.load_dataset("demo")
    >>> print(bayescorr.loo(bayescorr.fit(scores, random_seed=1)))  # doctest: +SKIP
    elpd 872.9 (standard error 22.6, Monte Carlo error 0.1), p_loo 11.4
    >>> bayescorr.loo(bayescorr.fit(scores, "flat", random_seed=1))
    Traceback (most recent call last):
    ...
    bayescorr.errors.ModelError: The model 'flat' cannot compute the density of a topic's ...
    """
    density = fit.log_likelihood(_affordable_draws(fit))
    pointwise, k, error = leave_out(density)
    overall = np.logaddexp.reduce(density, axis=0) - np.log(len(density))
    labels = [topic for part in fit.parts for topic in part.model_data[0].topics]
    topics = pd.Index(labels, name="topic")
    return LOO(
        elpd=float(pointwise.sum()),
        se=_standard_error(pointwise),
        mc_se=float(np.sqrt(np.square(error).sum())),
        p_loo=float((overall - pointwise).sum()),
        pointwise=pd.Series(pointwise, topics, name="elpd"),
        pareto_k=pd.Series(k, topics, name="pareto_k"),
    )


def _affordable_draws(fit: Fit) -> int | None:
    """Return how many draws to use, None for all: large tables need fewer and cost more."""
    tables = [part.model_data[0] for part in fit.parts]
    work = sum(x.n_topics * x.n_systems * min(x.n_topics, x.n_systems) for x in tables)
    available = fit.posterior.sizes["chain"] * fit.posterior.sizes["draw"]
    wanted = max(LEAST_DRAWS, int(MOST_WORK / work))
    return wanted if wanted < available else None


def leave_out(density: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log predictive density, Pareto k and Monte Carlo error of each topic.

    ``density`` is the log density of each topic given the draw and the others, draws x topics. If
    all draws agree, k is -inf and the error 0. The error is the delta method's for a weighted mean.
    """
    result, k = density[0].astype(float), np.full(density.shape[1], -np.inf)
    error = np.zeros(density.shape[1])
    varies = np.ptp(density, axis=0) > 1e-12 * np.abs(density).max(axis=0)
    if varies.any():
        chosen = density[:, varies]
        weights, k[varies] = _stack.psis(chosen)
        result[varies] = np.logaddexp.reduce(weights + chosen, axis=0)
        relative = np.exp(chosen - result[varies]) - 1
        error[varies] = np.sqrt(np.square(np.exp(weights) * relative).sum(axis=0))
    return result, k, error


def compare_models(
    models: Mapping[str, Fit] | Sequence[str | Model],
    scores: Any = None,
    *,
    progress: Callable[[str], None] | None = None,
    **fit_options: Any,
) -> pd.DataFrame:
    """Rank models by how well they predict the scores of unseen topics, best first.

    Parameters
    ----------
    models : mapping of name to Fit, or sequence of models
        Fits of the same scores by name, or models to fit first.
    scores : DataFrame, optional
        The scores, topics x systems, if models are to be fitted.
    progress : callable, optional
        Called with a short description of each step.
    **fit_options
        Passed to :func:`bayescorr.fit`, if models are to be fitted.

    Returns
    -------
    DataFrame
        One row per model, the best first, with ``elpd`` (higher is better) and its standard error
        ``se``; ``diff``, the elpd less that of the best model, and its standard error ``diff_se``
        over topics; ``p_loo``; and ``max_pareto_k`` (reliable up to 0.7). ``attrs["words"]`` is a
        sentence about the best model; ``attrs["convergence"]`` has the fits that did not converge.

    Notes
    -----
    A better prediction of scores is not always a better estimate of tau. Densities of continuous
    scores and of counts cannot be compared; mixing such models is an error.

    References
    ----------
    A. Vehtari, A. Gelman, J. Gabry. Practical Bayesian model evaluation using leave-one-out
    cross-validation and WAIC. Statistics and Computing 27(5), 2017.

    Examples
    --------
    >>> compare_models({})
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: Need at least 2 models to compare; got 0.
    """
    tell = progress or (lambda text: None)
    fits = _fits(models, scores, fit_options, tell)
    _check_same(fits)
    tell("leaving out each topic")
    found = {name: loo(fit) for name, fit in fits.items()}
    order = sorted(found, key=lambda name: -found[name].elpd)
    best = found[order[0]]
    rows = []
    for name in order:
        one = found[name]
        apart = one.pointwise - best.pointwise
        gap = (float(apart.sum()), _standard_error(apart.to_numpy()))
        rows.append([name, one.elpd, one.se, *gap, one.p_loo, float(one.pareto_k.max())])
    columns = ["model", "elpd", "se", "diff", "diff_se", "p_loo", "max_pareto_k"]
    table = pd.DataFrame(rows, columns=columns)
    table.attrs["words"] = _in_words(table)
    table.attrs["convergence"] = {
        name: fit.convergence for name, fit in fits.items() if not fit.convergence.passed
    }
    return table


def _fits(
    models: Any, scores: Any, options: dict[str, Any], tell: Callable[[str], None]
) -> dict[str, Fit]:
    if isinstance(models, str):
        models = [models]
    if len(models) < 2:
        raise OptionError(f"Need at least 2 models to compare; got {len(models)}.")
    if isinstance(models, Mapping):
        return dict(models)
    if scores is None:
        raise OptionError(
            "Cannot fit the models without scores.",
            "Pass scores, or fits by name: compare_models({'a': fit_a, 'b': fit_b}).",
        )
    known = {model.name: model for model in map(get_model, models)}
    # Sampling takes long, so what cannot be compared is noticed before.
    _check_kinds(known)
    fits: dict[str, Fit] = {}
    for name, model in known.items():
        tell(f"fitting {name}")
        # Warn about ties once, not once per model.
        fits[name] = fit_model(scores, model, **{"warn": not fits, **options})
    return fits


def _check_kinds(models: Mapping[str, Model]) -> None:
    """Raise an error for models without densities of topics, or with densities of several kinds."""
    for model in models.values():
        if type(model).log_likelihood is Model.log_likelihood:
            raise model.cannot("compute the density of a topic's scores")
    kinds = {name: model.density_of for name, model in models.items()}
    if len(set(kinds.values())) > 1:
        what = ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
        raise ModelError(
            f"The models compute densities of different kinds: {what}.",
            "Compare models of the same kind.",
        )


def _check_same(fits: Mapping[str, Fit]) -> None:
    """Raise an error for fits of different scores or densities of different kinds."""
    first, *others = fits
    scores = sort_labels(fits[first].scores)
    for name in others:
        if not sort_labels(fits[name].scores).equals(scores):
            raise OptionError(
                f"The fits {first!r} and {name!r} are of different scores.",
                "Compare models fitted to the same topics and systems.",
            )
    _check_kinds({name: fit.model for name, fit in fits.items()})


def _standard_error(values: FloatArray) -> float:
    return float(np.sqrt(len(values) * np.var(values, ddof=1)))


def _in_words(table: pd.DataFrame) -> str:
    best, second = table.iloc[0], table.iloc[1]
    gap, error = -second["diff"], second["diff_se"]
    verdict = "more than" if gap > 2 * error else "not more than"
    text = (
        f"{best['model']} predicts unseen topics best; its lead over {second['model']} is "
        f"{gap:.1f}, {verdict} twice its standard error ({error:.1f})."
    )
    if not (table["max_pareto_k"] <= MOST_K).all():
        text += f" Some Pareto k exceed {MOST_K}: the numbers are unreliable."
    return text


def prior_sensitivity(
    fit: Fit,
    scale: Sequence[float] = (0.5, 2.0),
    *,
    coefficients: Any = DEFAULT_COEFFICIENTS,
    inference: str = "laplace",
    random_seed: RandomSeed = None,
    **fit_options: Any,
) -> pd.DataFrame:
    """Fit again with each number of the priors halved and doubled, to see how estimates change.

    Parameters
    ----------
    fit : Fit
        The fit to start from.
    scale : sequence of float
        Factors by which each prior is multiplied, one at a time.
    coefficients : sequence of str or callable
        Names of coefficients, or functions f(truth, observed).
    inference : {"laplace", "nuts"}
        How to fit again. Laplace approximations are compared with that of the original priors and
        start from it. If that one is poor, NUTS samples instead.
    random_seed : int or Generator, optional
        By default the seed of ``fit``, so that Monte-Carlo error does not hide small changes.
    **fit_options
        Passed to :func:`bayescorr.fit`. By default draws, tune and chains are those of ``fit``.

    Returns
    -------
    DataFrame
        Columns prior, factor, value (of the prior), coefficient, estimate and change, the
        difference from the estimate of ``fit``; in the order of the model's priors.

    Notes
    -----
    A change below twice the Monte-Carlo error, sd / sqrt(effective sample size) of ``summary()``,
    may be chance.

    Examples
    --------
    >>> import bayescorr
    >>> fit = bayescorr.fit(bayescorr.load_dataset("demo"), "bootstrap-shrunk", random_seed=1)
    >>> table = bayescorr.prior_sensitivity(fit, coefficients="tau")
    >>> table.set_index(["prior", "factor"])["change"].gt(0).to_dict()
    {('prior_topics', 0.5): True, ('prior_topics', 2.0): False}
    """
    model, priors = fit.model, fit.priors
    if not priors:
        raise ModelError(f"The model {model.name!r} has no priors.", "Use a model with priors.")
    stored = {name: int(fit.idata.attrs[name]) for name in ("draws", "tune", "chains")}
    options: dict[str, Any] = {
        **stored,
        "random_seed": int(fit.idata.attrs["random_seed"]) if random_seed is None else random_seed,
        "higher_is_better": fit.higher_is_better,
        "missing": "model" if fit.scores.isna().to_numpy().any() else "error",
        "score_sd": fit.score_sd,
        "warn": False,
        "inference": inference,
        **fit_options,
    }

    def estimates(changed: Mapping[str, float]) -> pd.DataFrame:
        again = fit_model(fit.scores, model, priors=changed, **options)
        return again.estimates(coefficients=coefficients)[["coefficient", "estimate"]]

    reference = before = fit.estimates(coefficients=coefficients)["estimate"]
    if inference == "laplace" and isinstance(model, PyMCModel):
        base = fit if fit.inference == "laplace" else _approximation(fit, options)
        if base is None:
            options["inference"] = "nuts"
        else:
            options["start"] = base.normal
            reference = estimates(priors)["estimate"]
    tables = []
    for name, value in priors.items():
        for factor in scale:
            changed = {**priors, name: factor * value}
            table = estimates(changed)
            table["change"] = table["estimate"] - reference
            table["estimate"] = before + table["change"]
            tables.append(table.assign(prior=name, factor=factor, value=changed[name]))
    columns = ["prior", "factor", "value", "coefficient", "estimate", "change"]
    return pd.concat(tables, ignore_index=True)[columns]


def _approximation(fit: Fit, options: Mapping[str, Any]) -> Fit | None:
    """Return the Laplace approximation of a fit; None if it is poor."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            found = fit_model(fit.scores, fit.model, priors=fit.priors, **options)
        except ModelError:
            return None
    return found if found.convergence.passed else None
