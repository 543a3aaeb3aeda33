r"""The default: correlated systems whose true means differ as their scores do.

.. math::
    x_t &\sim N(\mu, \Sigma), \quad \Sigma \sim IW(m + 1 + c,\; c\,T), \quad
    T = D\,[\rho\,11' + (1 - \rho) I]\,D \\
    \mu \mid \Sigma &\sim N(\mu_0 1,\; \kappa\,\Sigma), \quad \kappa = 1 / \text{prior\_topics} \\
    \log D_s &= \log s + w\,e_s, \quad e_s \sim N(0, 1)

Near-duplicate runs have near-equal true means, so the prior variance of a difference of true means
is proportional to the variance of the difference of scores: the prior is worth ``prior_topics``
topics on which all systems tie. Mu and Sigma are integrated out; m + 5 parameters are sampled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayescorr.bayes.data import Array, ModelData
from bayescorr.bayes.model import Draws, Priors, PyMCModel
from bayescorr.models import _niw

if TYPE_CHECKING:
    import pymc as pm


class MatrixT(PyMCModel):
    """Matrix-t model with a g-prior on the means."""

    name = "matrix-t"
    description = "Correlated systems, true means that differ in proportion to the scores (default)"
    citation = (
        "Normal-inverse-Wishart: Gelman et al., Bayesian Data Analysis, 3rd ed., section 3.6; "
        "g-prior: Zellner 1986"
    )
    good_for = "Continuous measures such as AP or nDCG at any number of topics"
    bad_for = "Coarse measures such as P@10 with 10 topics or fewer: tau is then biased high"
    priors = {
        "prior_topics": 20 / 3,
        "strength": 12.0,
        "strength_sd": 0.6,
        "rho_a": 2.0,
        "rho_b": 2.0,
        "scale": 1.3,
        "scale_sd": 0.5,
        "spread": 0.5,
        "mu0_sd": 10.0,
    }
    takes_missing = True
    takes_score_sd = True
    #: Whether the true means have the g-prior; a flat one otherwise.
    informative = True

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Sufficient statistics; the cells themselves where some are not known exactly."""
        if cells := _uncertain_cells(data):
            return {**cells, "n": data.n_topics}
        return {"factor": data.scatter_factor, "means": data.means, "n": data.n_topics}

    def build(self, data: ModelData, priors: Priors) -> pm.Model:
        """Build the marginal model over c, rho, D and mu0."""
        import pymc as pm
        import pytensor.tensor as pt

        with pm.Model(coords=data.coords) as model:
            x, p = self.declare(data, priors)
            if hasattr(x, "factor"):
                factor, means = x.factor, x.means
            else:
                scores = _latent_scores(x, data)
                means = scores.mean(axis=0)
                factor = (scores - means).T

            c = pm.LogNormal("c", pt.log(p.strength), p.strength_sd)
            rho = pm.Beta("rho", p.rho_a, p.rho_b)
            s = pm.LogNormal("s", pt.log(p.scale), p.scale_sd)
            w = pm.HalfNormal("w", p.spread)
            e = pm.Normal("e", 0, 1, dims="system")
            mu0 = pm.Normal("mu0", 0, p.mu0_sd) if self.informative else 0.0

            sd = s * pt.exp(w * e)
            kappa = 1 / p.prior_topics if self.informative else None
            target = {"delta": (1 - rho) * sd**2, "loadings": (pt.sqrt(rho) * sd)[:, None]}
            pm.Potential(
                "scores", _niw.log_marginal(factor, means, x.n, c, **target, mu0=mu0, kappa=kappa)
            )
        return model

    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: np.random.Generator
    ) -> Array:
        """Draw mu given the hyperparameters, in closed form."""
        return data.to_scores(self._posterior(draws, data, priors).draw_means(rng))

    def covariance(
        self,
        draws: Draws,
        true_means: Array,
        data: ModelData,
        priors: Priors,
        rng: np.random.Generator,
    ) -> Array:
        """Draw Sigma given mu and the hyperparameters, in closed form."""
        means = (true_means - data.location) / data.scale
        return data.scale**2 * self._posterior(draws, data, priors).draw_covariance(means, rng)

    def log_likelihood(self, draws: Draws, data: ModelData, priors: Priors) -> Array:
        """Exact density of each topic given the others and the hyperparameters."""
        if _uncertain_cells(data):
            raise self.cannot("leave topics out where scores are missing or measured with error")
        jacobian = data.n_systems * np.log(data.scale)
        return self._posterior(draws, data, priors).log_predictive() - jacobian

    def simulate(
        self, draw: Draws, data: ModelData, priors: Priors, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Draw Sigma, mu and the scores from the prior."""
        if not self.informative:
            raise self.cannot("simulate collections: its prior on the means is improper")
        delta, loadings = _target({name: np.asarray(value)[None] for name, value in draw.items()})
        means, scores = _niw.simulate(
            float(draw["c"]),
            delta[0],
            loadings[0],
            float(draw["mu0"]),
            1 / priors["prior_topics"],
            data.n_topics,
            rng,
        )
        return data.to_scores(means), data.to_scores(scores)

    def _posterior(self, draws: Draws, data: ModelData, priors: Priors) -> _niw.Posterior:
        delta, loadings = _target(draws)
        return _niw.Posterior(
            scores=_complete_scores(draws, data),
            c=draws["c"],
            delta=delta,
            loadings=loadings,
            mu0=draws.get("mu0", np.zeros(len(draws["c"]))),
            kappa=1 / priors["prior_topics"] if self.informative else None,
        )


class MatrixTFlat(MatrixT):
    """Matrix-t model with a flat prior on the means."""

    name = "matrix-t-flat"
    description = "Correlated systems, no prior on the true means"
    citation = "Normal-inverse-Wishart: Gelman et al., Bayesian Data Analysis, 3rd ed., section 3.6"
    good_for = "Seeing what the prior on the means does; many topics"
    bad_for = "Few topics: like ML, it takes observed differences at face value and is biased high"
    priors = {
        name: value
        for name, value in MatrixT.priors.items()
        if name not in ("prior_topics", "mu0_sd")
    }
    informative = False


def _target(draws: Draws) -> tuple[Array, Array]:
    """T = D [rho 11' + (1 - rho) I] D as diagonal and loadings."""
    sd = draws["s"][:, None] * np.exp(draws["w"][:, None] * draws["e"])
    rho = draws["rho"][:, None]
    return (1 - rho) * sd**2, (np.sqrt(rho) * sd)[:, :, None]


def _uncertain_cells(data: ModelData) -> dict[str, Array]:
    """Where scores are not known exactly: a guess, and the scale of its error, for every cell."""
    if data.score_sd is None and not data.missing.any():
        return {}
    topic = np.nanmean(data.standard - data.means, axis=1, keepdims=True)
    guess = np.where(data.missing, data.means + topic, data.standard)
    error = np.zeros_like(guess) if data.score_sd is None else data.score_sd / data.scale
    return {"guess": guess, "error": np.where(data.missing, 0.0, error)}


def _latent_scores(x: Any, data: ModelData) -> Any:
    """Scores with a parameter for every cell that is missing or measured with error."""
    import pymc as pm
    import pytensor.tensor as pt

    scores = x.guess
    if data.score_sd is not None:
        scores = scores + x.error * pm.Normal("noise", 0, 1, dims=("topic", "system"))
    if data.missing.any():
        missing = pm.Flat("missing", shape=int(data.missing.sum()))
        cells = np.nonzero(data.missing)
        scores = pt.set_subtensor(scores[cells], x.guess[cells] + missing)
    return scores


def _complete_scores(draws: Draws, data: ModelData) -> Array:
    """The scores that ``_latent_scores`` stands for, per draw where cells are parameters."""
    cells = _uncertain_cells(data)
    if not cells:
        return data.standard
    scores = np.repeat(cells["guess"][None], len(draws["c"]), axis=0)
    if "noise" in draws:
        scores += cells["error"] * draws["noise"]
    if "missing" in draws:
        scores[:, data.missing] = cells["guess"][data.missing] + draws["missing"]
    return scores
