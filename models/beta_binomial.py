r"""Measures on a grid, such as P@10: counts with topics and systems behind them.

.. math::
    k\,x_{ts} &\sim \mathrm{BetaBinomial}(k,\; p_{ts}\,\varphi,\; (1 - p_{ts})\,\varphi), \quad
    \mathrm{logit}\,p_{ts} = a_s + \lambda_s' f_t, \quad f_t \sim N(0, I_q) \\
    a_s &= a_0 + \sqrt\kappa\,(\lambda_s' f_0 + \sigma\,\epsilon_s), \quad f_0 \sim N(0, I_q),
    \; \epsilon_s \sim N(0, 1), \quad \kappa = 1 / \text{prior\_topics} \\
    \lambda_{s1} &= \lambda\,e^{w e_s}, \quad \lambda_{sj} = \gamma\,\ell_{sj},\; j = 2, \ldots, q

The first factor is the difficulty of a topic, the others favour groups of systems. The prior of the
intercepts is one more draw of a topic, shrunk: systems that score alike have intercepts alike;
sigma is what the noise of one score amounts to on the logit scale,
:math:`\sigma^2 = (\varphi + k) / [k (\varphi + 1)\,p_0 (1 - p_0)]`
at :math:`p_0 = \mathrm{logit}^{-1} a_0`. True means are
:math:`E[p_{ts}]` over topics, by Gauss-Hermite quadrature. The grid k is the smallest that all
scores lie on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from bayescorr._numbers import FloatArray
from bayescorr.bayes._stack import density_op
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Draws, Priors, PyMCModel
from bayescorr.errors import ModelError
from bayescorr.models._quadrature import logistic_mean
from bayescorr.models.logit_normal import check_unit_interval

if TYPE_CHECKING:
    import pymc as pm

#: The finest grid that is recognised: P@100.
FINEST = 100


#: 600 topics and 25 systems (15,000 scores) were not sampled within ten minutes.
MOST_SCORES = 10_000


class BetaBinomial(PyMCModel):
    """Beta-binomial counts with topic factors on the logit scale.

    Parameters
    ----------
    grid : int, optional
        The k of scores that are multiples of 1/k; by default the smallest that fits.
    """

    name = "beta-binomial"
    description = "Measures on a grid such as P@10: overdispersed counts, topic factors"
    citation = (
        "Beta-binomial: Skellam 1948, JRSS B 10(2); factors on the logit scale: Moustaki 1996"
    )
    good_for = "P@10, RR-like success counts and other measures with few distinct values"
    bad_for = "Near-duplicate systems, whose noise it treats as independent; continuous measures"
    priors = {
        "prior_topics": 20 / 3,
        "a0_sd": 1.5,
        "topic": 1.5,
        "topic_sd": 0.5,
        "spread": 0.3,
        "group": 0.7,
        "precision": 10.0,
        "precision_sd": 1.0,
    }
    takes_missing = True
    target_accept = 0.99
    #: Number of factors, q.
    factors = 2

    def __init__(self, grid: int | None = None) -> None:
        self.grid = grid

    def check(self, data: ModelData) -> None:
        """Raise an error for scores that are not on a grid."""
        check_unit_interval(self.name, data)
        if find_grid(data.values, self.grid) is None:
            steps = f"1/{self.grid}" if self.grid else f"1/k for any k up to {FINEST}"
            raise ModelError(
                f"The model {self.name!r} needs scores that are multiples of {steps}.",
                "Use the default model or logit-normal for continuous measures.",
            )
        if data.values.size > MOST_SCORES:
            raise ModelError(
                f"The model {self.name!r} supports at most {MOST_SCORES:,} scores, because it "
                f"samples parameters for every topic; got {data.values.size:,}.",
                "Use the default model: the mean of so many scores is nearly normal.",
            )

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Return the counts, -1 where missing, and the grid."""
        grid = find_grid(data.values, self.grid) or FINEST
        counts = np.where(data.missing, -1.0, np.round(data.values * grid))
        return {"counts": counts, "grid": grid}

    def build(self, data: ModelData, priors: Priors) -> pm.Model:
        """Build the model over intercepts, loadings and topic factors."""
        import pymc as pm
        import pytensor.tensor as pt

        from bayescorr.models._beta_binomial_density import density

        factors = list(range(1, self.factors + 1))
        with pm.Model(coords={**data.coords, "factor": factors, "group": factors[1:]}) as model:
            x, p = self.declare(data, priors)
            phi = pm.LogNormal("phi", pt.log(p.precision), p.precision_sd)
            difficulty = pm.LogNormal("lambda", pt.log(p.topic), p.topic_sd)
            w = pm.HalfNormal("w", p.spread)
            e = pm.Normal("e", 0, 1, dims="system")
            gamma = pm.HalfNormal("gamma", p.group)
            # The sign of a group factor is arbitrary.
            ell = pm.Normal("_ell", 0, 1, dims=("system", "group"))
            # First factor: lambda f_t1 = b_t + lambda z / sqrt(n), where the b_t sum to zero. All
            # systems inform b; only the prior informs z, how easy these topics are.
            b = pm.ZeroSumNormal("b", sigma=difficulty, dims="topic")
            z = pm.Normal("z", 0, 1)
            f = pm.Normal("_f", 0, 1, dims=("topic", "group"))
            f0 = pm.Normal("_f0", 0, 1, dims="factor")
            epsilon = pm.Normal("epsilon", 0, 1, dims="system")
            # So the level at these topics is a parameter, and a0 ~ Normal(0, a0_sd) follows.
            ease = difficulty * _ease(f0, z, p.prior_topics, data.n_topics, pt)
            a0 = pm.Normal("level", ease, p.a0_sd) - ease

            loadings = _loadings(difficulty, w, e, gamma, ell, pt)
            sigma = _noise(phi, x.grid, a0, pt)
            a = a0 + (pt.dot(loadings, f0) + sigma * epsilon) / pt.sqrt(p.prior_topics)
            f1 = b / difficulty + z / np.sqrt(data.n_topics)
            eta = a + pt.dot(pt.concatenate([f1[:, None], f], axis=1), loadings.T)
            operation = density_op(density, differentiable=(2, 3))
            pm.Potential("scores", operation(x.counts, x.grid, eta, phi))
        return model

    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Integrate over topics: E[p] with logit p normal."""
        loadings, a = self._intercepts(draws, data, priors)
        return logistic_mean(a, np.sqrt((loadings**2).sum(axis=-1)))

    def new_topics(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        n_topics: int,
        rng: Generator,
    ) -> FloatArray:
        """Draw scores on new topics."""
        loadings, a = self._intercepts(draws, data, priors)
        f = rng.standard_normal((len(a), n_topics, self.factors))
        p = np.clip(expit(a[:, None] + f @ loadings.transpose(0, 2, 1)), 1e-13, 1 - 1e-13)
        phi, grid = draws["phi"][:, None, None], int(self.inputs(data)["grid"])
        return rng.binomial(grid, rng.beta(phi * p, phi * (1 - p))) / grid

    def simulate(
        self, draw: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw the true means and the scores of new topics."""
        draws = {name: np.asarray(draw[name])[None] for name in draw}
        means = self.true_means(draws, data, priors, rng)
        return means[0], self.new_topics(draws, means, data, priors, data.n_topics, rng)[0]

    def _intercepts(
        self, draws: Draws, data: ModelData, priors: Priors
    ) -> tuple[FloatArray, FloatArray]:
        """Compute loadings (draws x systems x factors) and intercepts (draws x systems)."""
        difficulty, w, phi = (draws[name][:, None] for name in ("lambda", "w", "phi"))
        gamma = draws["gamma"][:, None, None]
        ease = _ease(draws["_f0"], draws["z"], priors["prior_topics"], data.n_topics, np)
        a0 = draws["level"][:, None] - difficulty * ease[:, None]
        loadings = _loadings(difficulty, w, draws["e"], gamma, draws["_ell"], np)
        sigma = _noise(phi, self.inputs(data)["grid"], a0, np)
        topic = np.einsum("dsq,dq->ds", loadings, draws["_f0"]) + sigma * draws["epsilon"]
        return loadings, a0 + topic / np.sqrt(priors["prior_topics"])


def find_grid(values: FloatArray, grid: int | None = None) -> int | None:
    """Return the smallest k up to 100 such that all values are multiples of 1/k, or None.

    Examples
    --------
    >>> find_grid(np.array([0.0, 0.3, 0.5]))
    10
    """
    seen = np.unique(values[~np.isnan(values)])
    for k in range(1, FINEST + 1) if grid is None else [grid]:
        # Scores are often written with four decimals.
        if np.abs(seen * k - np.round(seen * k)).max() <= 1e-4 * k:
            return k
    return None


def _loadings(difficulty: Any, w: Any, e: Any, gamma: Any, ell: Any, xp: Any) -> Any:
    """Put common and group factors side by side, in NumPy or PyTensor."""
    return xp.concatenate([(difficulty * xp.exp(w * e))[..., None], gamma * ell], axis=-1)


def _ease(f0: Any, z: Any, prior_topics: Any, topics: int, xp: Any) -> Any:
    """Compute how easy these topics are, including the prior's topic."""
    return f0[..., 0] / xp.sqrt(prior_topics) + z / np.sqrt(topics)


def _noise(phi: Any, grid: Any, a0: Any, xp: Any) -> Any:
    """Sd on the logit scale of the noise of one score at p0 = 1 / (1 + exp(-a0))."""
    # 1 / (p0 (1 - p0)) = 2 + 2 cosh(a0)
    return xp.sqrt((phi + grid) / (grid * (phi + 1)) * (2 + 2 * xp.cosh(a0)))
