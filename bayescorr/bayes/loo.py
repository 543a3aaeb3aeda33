r"""How well does a model predict topics it has not seen? Leave one topic out, without refitting.

With :math:`l_{dt} = \log p(x_t \mid x_{-t}, \theta_d)` for draws :math:`\theta_d` of the posterior
given all topics, leaving topic t out asks for the mean of :math:`\exp l_{dt}` under
:math:`p(\theta \mid x_{-t}) \propto p(\theta \mid x) \exp(-l_t)`: importance weights, smoothed by a
generalised Pareto distribution (Vehtari, Gelman & Gabry 2017; Vehtari et al. 2024). Where mu and
Sigma are integrated out, they are left out exactly, and only the few hyperparameters are weighted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bayescorr._numbers import FloatArray
from bayescorr.bayes import _stack
from bayescorr.bayes.fit import fit as fit_model
from bayescorr.bayes.model import Model
from bayescorr.bayes.result import Fit
from bayescorr.errors import ModelError, OptionError, listing

#: The largest Pareto k at which weights can be trusted (Vehtari et al. 2024).
MOST_K = 0.7


@dataclass(frozen=True, eq=False)
class LOO:
    """What leaving one topic out found.

    Attributes
    ----------
    elpd : float
        Expected log predictive density: the sum over topics of the log density of a topic's scores
        given the other topics; higher is better.
    se : float
        Its standard error, over topics.
    p_loo : float
        How much less it is than the density with nothing left out: the effective number of sampled
        parameters. Those that are integrated out do not count.
    pointwise, pareto_k : Series
        Log density and Pareto k of each topic; k up to 0.7 is fine.
    """

    elpd: float
    se: float
    p_loo: float
    pointwise: pd.Series
    pareto_k: pd.Series

    @property
    def exact(self) -> bool:
        """Whether the density was the same in all draws, so that nothing had to be weighted."""
        return bool((self.pareto_k == -np.inf).all())

    @property
    def unreliable(self) -> list[Any]:
        """Topics that change the posterior too much to be left out by weighting."""
        return list(self.pareto_k.index[~(self.pareto_k <= MOST_K)])

    def __str__(self) -> str:
        text = f"elpd {self.elpd:.1f} (standard error {self.se:.1f}), p_loo {self.p_loo:.1f}"
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
    The scale on which priors are stated is that of all topics; it is not computed again without
    the topic left out. Identical systems count once.

    References
    ----------
    A. Vehtari, A. Gelman, J. Gabry. Practical Bayesian model evaluation using leave-one-out
    cross-validation and WAIC. Statistics and Computing 27(5), 2017.

    Examples
    --------
    >>> import bayescorr
    >>> from scipy.stats import norm
    >>> from bayescorr.models.flat import Flat
    >>> class Fixed(Flat):  # every score is normal, with mean 0.2 and sd 0.2
    ...     def log_likelihood(self, draws, data, priors):
    ...         density = norm.logpdf(data.values, 0.2, 0.2).sum(axis=1)
    ...         return np.tile(density, (len(draws["tau"]), 1))
    >>> scores = bayescorr.load_dataset("demo").iloc[:, :4]
    >>> found = loo(bayescorr.fit(scores, Fixed(), random_seed=1))
    >>> round(found.elpd, 1), round(found.se, 1), found.exact
    (53.7, 15.3, True)
    >>> loo(bayescorr.fit(scores, "flat", random_seed=1))
    Traceback (most recent call last):
    ...
    bayescorr.errors.ModelError: The model 'flat' cannot give the density of a topic's scores. ...
    """
    density = fit.log_likelihood()
    pointwise, k = leave_out(density)
    overall = np.logaddexp.reduce(density, axis=0) - np.log(len(density))
    topics = pd.Index(sorted_topics(fit), name="topic")
    return LOO(
        elpd=float(pointwise.sum()),
        se=_standard_error(pointwise),
        p_loo=float((overall - pointwise).sum()),
        pointwise=pd.Series(pointwise, index=topics, name="elpd"),
        pareto_k=pd.Series(k, index=topics, name="pareto_k"),
    )


def leave_out(density: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Log density of each topic with its own influence taken out of the draws, and Pareto k.

    Parameters
    ----------
    density : array, draws x topics
        Log density of each topic given the draw (and all other topics).

    Returns
    -------
    array, array
        Log predictive density and Pareto k by topic; k is -inf where all draws agree.

    Examples
    --------
    >>> leave_out(np.array([[-1.0, -2.0], [-1.0, -2.0]]))
    (array([-1., -2.]), array([-inf, -inf]))
    """
    result, k = density[0].astype(float), np.full(density.shape[1], -np.inf)
    varies = np.ptp(density, axis=0) > 1e-12 * np.abs(density).max(axis=0)
    if varies.any():
        chosen = density[:, varies]
        weights, k[varies] = _stack.psis(chosen)
        result[varies] = np.logaddexp.reduce(weights + chosen, axis=0)
    return result, k


def compare_models(
    models: Mapping[str, Fit] | Sequence[str | Model],
    scores: Any = None,
    **fit_options: Any,
) -> pd.DataFrame:
    """Rank models by how well they predict the scores of topics they have not seen, best first.

    Parameters
    ----------
    models : mapping of name to Fit, or sequence of models
        Fits of the same scores by the names to show; or names of models, which are fitted first.
    scores : DataFrame, optional
        The scores, topics x systems, where models are to be fitted.
    **fit_options
        Passed to :func:`bayescorr.fit`, where models are to be fitted.

    Returns
    -------
    DataFrame
        One row per model, the best first, with ``elpd`` (higher is better) and its standard error
        ``se``; ``diff``, the elpd less that of the best model (0 for the best, negative for all
        others), and its standard error ``diff_se``, from the differences topic by topic; ``p_loo``;
        and ``max_pareto_k`` (the numbers can be trusted up to 0.7). ``attrs["words"]`` says in one
        sentence which model predicts best, and whether by more than twice the standard error.

    Notes
    -----
    A better prediction of scores is not always a better estimate of tau: this ranks models of the
    scores. Densities of different things (scores on a continuous scale, counts) do not compare, and
    such models are refused.

    References
    ----------
    A. Vehtari, A. Gelman, J. Gabry. Practical Bayesian model evaluation using leave-one-out
    cross-validation and WAIC. Statistics and Computing 27(5), 2017.

    Examples
    --------
    >>> compare_models({})
    Traceback (most recent call last):
    ...
    bayescorr.errors.OptionError: No models to compare. Give at least two.
    """
    fits = _fits(models, scores, fit_options)
    _check_same(fits)
    found = {name: loo(fit) for name, fit in fits.items()}
    order = sorted(found, key=lambda name: -found[name].elpd)
    best = found[order[0]]
    rows = []
    for name in order:
        difference = found[name].pointwise - best.pointwise
        rows.append(
            {
                "model": name,
                "elpd": found[name].elpd,
                "se": found[name].se,
                "diff": float(difference.sum()),
                "diff_se": _standard_error(difference.to_numpy()),
                "p_loo": found[name].p_loo,
                "max_pareto_k": float(found[name].pareto_k.max()),
            }
        )
    table = pd.DataFrame(rows)
    table.attrs["words"] = _in_words(table)
    return table


def sorted_topics(fit: Fit) -> list[Any]:
    """Topics in the order in which models see them."""
    from bayescorr.scores.check import sort_labels

    return list(sort_labels(fit.scores).index)


def _fits(models: Any, scores: Any, options: dict[str, Any]) -> dict[str, Fit]:
    if isinstance(models, str):
        models = [models]
    if len(models) < 2:
        raise OptionError(
            "No models to compare." if not models else "Only one model to compare.",
            "Give at least two.",
        )
    if isinstance(models, Mapping):
        return dict(models)
    if scores is None:
        raise OptionError(
            "Models to compare, but no scores to fit them to.",
            "Give the scores too, or fits by name: compare_models({'a': fit_a, 'b': fit_b}).",
        )
    fits: dict[str, Fit] = {}
    for model in models:
        name = model if isinstance(model, str) else model.name
        # The ties of the scores are worth a warning once, not once per model.
        fits[name] = fit_model(scores, model, **{"warn": not fits, **options})
    return fits


def _check_same(fits: Mapping[str, Fit]) -> None:
    """Refuse fits of different scores, and densities of different things."""
    first, *others = fits
    scores = fits[first].scores
    for name in others:
        other = fits[name].scores
        same = set(other.index) == set(scores.index) and set(other.columns) == set(scores.columns)
        if not same or not other.loc[scores.index, scores.columns].equals(scores):
            raise OptionError(
                f"The fits {first!r} and {name!r} are of different scores.",
                "Compare models fitted to the same topics and systems.",
            )
    kinds = {name: fit.model.density_of for name, fit in fits.items()}
    if len(set(kinds.values())) > 1:
        what = ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
        raise ModelError(
            f"The models give densities of different things: {what}.",
            "Compare models of the same kind with each other.",
        )


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
        text += f" Some Pareto k are above {MOST_K}: the numbers are rough."
    return text
