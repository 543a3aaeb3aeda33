r"""The default: correlated systems whose true means differ as their scores do.

.. math::
    x_t &\sim N(\mu, \Sigma), \quad \Sigma \sim IW(m + 1 + c,\; c\,T + \varepsilon^2 I), \quad
    T = D\,[\rho\,11' + (1 - \rho) I]\,D \\
    \mu \mid \Sigma &\sim N(\mu_0 1,\; \kappa\,\Sigma), \quad \kappa = 1 / \text{prior\_topics} \\
    D_s &= s\,e^{d_s}, \quad d_s \sim N(0, w^2), \; \textstyle\sum_s d_s = 0, \quad
    \log s \sim N(\log \text{scale},\; \text{scale\_sd}^2 + w^2 / m)

Near-duplicate runs have near-equal true means, so the prior variance of a difference of true means
is proportional to the variance of the difference of scores: the prior is worth ``prior_topics``
topics on which all systems tie. That strength is fixed at 4: on real topics, stronger and weaker
priors and strengths learned from the scores predict no better (``scripts/validate_strength.py``).
Mu and Sigma are integrated out; m + 4 parameters are sampled. The last line integrates out the
centre of independent log D. The prior of w stays away from zero, where w hardly matters and the
sampler gets lost. Epsilon keeps contrasts that do not vary from pulling D and c towards zero
(``_niw``).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Draws, Priors, PyMCModel
from bayescorr.models import _cells, _niw

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
    good_for = "AP, nDCG, P@10 and 0/1 items at any number of topics"
    bad_for = "RR and ERR with few topics: its tau is too high, by less with prior_topics=10"
    priors = {
        "prior_topics": 4.0,
        "strength": 12.0,
        "strength_sd": 0.6,
        "rho_a": 2.0,
        "rho_b": 2.0,
        "scale": 1.3,
        "scale_sd": 0.5,
        "spread": 0.3,
        "spread_sd": 0.7,
        "mu0_sd": 10.0,
    }
    takes_missing = True
    takes_score_sd = True
    target_accept = 0.95
    any_size = True
    #: Whether the true means have the g-prior; a flat one otherwise.
    informative = True

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Return sufficient statistics; the cells themselves if some are uncertain."""
        if cells := _cells.uncertain(data):
            return {**cells, "n": data.n_topics}
        return {"factor": data.scatter_factor, "means": data.means, "n": data.n_topics}

    def build(self, data: ModelData, priors: Priors) -> pm.Model:
        """Build the marginal model over c, mu0 and the parameters of the target."""
        import pymc as pm
        import pytensor.tensor as pt

        with pm.Model(coords=data.coords) as model:
            x, p = self.declare(data, priors)
            if hasattr(x, "factor"):
                factor, means = x.factor, x.means
            else:
                scores = self.latent_scores(x, data)
                means = scores.mean(axis=0)
                factor = (scores - means).T

            c = pm.LogNormal("c", pt.log(p.strength), p.strength_sd)
            mu0 = pm.Normal("mu0", 0, p.mu0_sd) if self.informative else 0.0
            delta, loadings = self.target(self.target_parameters(c, p), pt, x)
            kappa = 1 / p.prior_topics if self.informative else None
            density = _niw.log_marginal(factor, means, x.n, c, delta, loadings, mu0, kappa)
            pm.Potential("scores", density)
        return model

    def latent_scores(self, x: SimpleNamespace, data: ModelData) -> Any:
        """Return the scores with a parameter for every uncertain cell."""
        return _cells.latent(x, data)

    def complete_scores(self, draws: Draws, data: ModelData) -> FloatArray:
        """Return the scores that ``latent_scores`` stands for, per draw if cells are parameters."""
        return _cells.complete(draws, data)

    def target_parameters(self, c: Any, p: SimpleNamespace, dim: str = "system") -> dict[str, Any]:
        """Declare the parameters of the target T, in coordinates that are nearly uncorrelated.

        Most eigenvalues of an inverse-Wishart Sigma are near those of c T / (c + m), so scores
        inform the root of (1 - rho) c / (c + m) times s more than s alone. Many topics inform d
        well and few do not, so e is between d and d / w: d over the root of w.
        """
        import pymc as pm
        import pytensor.tensor as pt

        rho = pm.Beta("rho", p.rho_a, p.rho_b)
        w = pm.LogNormal("w", pt.log(p.spread), p.spread_sd)
        e = pm.ZeroSumNormal("e", pt.sqrt(w), dims=dim)
        m = e.shape[0]
        shift = (pt.log1p(-rho) + pt.log(c / (c + m))) / 2
        scale_sd = pt.sqrt(p.scale_sd**2 + w**2 / m)
        log_scale = pm.Normal("log_scale", pt.log(p.scale) + shift, scale_sd)
        s = pm.Deterministic("s", pt.exp(log_scale - shift))
        return {"rho": rho, "s": s, "w": w, "e": e}

    def target(self, parameters: Mapping[str, Any], xp: Any, x: Any = None) -> tuple[Any, Any]:
        """Compute T = D [rho 11' + (1 - rho) I] D as diagonal and loadings, with NumPy or PyTensor.

        ``x`` has the inputs of the model by name.
        """
        rho, sd = parameters["rho"], self.target_sd(parameters, xp)
        return (1 - rho) * sd**2, (xp.sqrt(rho) * sd)[..., None]

    def target_sd(self, parameters: Mapping[str, Any], xp: Any) -> Any:
        """Compute D, where e is d over the root of w."""
        s, w, e = (parameters[name] for name in ("s", "w", "e"))
        return s * xp.exp(xp.sqrt(w) * e)

    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Draw mu given the hyperparameters, in closed form."""
        return data.to_scores(self.posterior(draws, data, priors).draw_means(rng))

    def new_means(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        n_topics: int,
        rng: Generator,
    ) -> FloatArray:
        """Draw means over new topics given the hyperparameters, in closed form."""
        return data.to_scores(self.posterior(draws, data, priors).draw_means(rng, n_topics))

    def covariance(
        self, draws: Draws, true_means: FloatArray, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Draw Sigma given mu and the hyperparameters, in closed form."""
        means = (true_means - data.location) / data.scale
        return data.scale**2 * self.posterior(draws, data, priors).draw_covariance(means, rng)

    def log_likelihood(self, draws: Draws, data: ModelData, priors: Priors) -> FloatArray:
        """Compute the exact density of each topic given the others and the hyperparameters."""
        if data.uncertain:
            raise self.cannot("leave topics out where scores are missing or measured with error")
        jacobian = data.n_systems * np.log(data.scale)
        return self.posterior(draws, data, priors).log_predictive() - jacobian

    def simulate(
        self, draw: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw Sigma, mu and the scores from the prior."""
        if not self.informative:
            raise self.cannot("simulate collections: its prior on the means is improper")
        means, _, scores = self.simulate_normal(draw, data, priors, rng)
        return data.to_scores(means), data.to_scores(scores)

    def simulate_normal(
        self, draw: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Draw mu, Sigma and scores on the standard scale, given one draw of the parameters."""
        delta, loadings = self.target(draw, np, data)
        c, m, kappa = float(draw["c"]), data.n_systems, 1 / priors["prior_topics"]
        scale = c * (np.diag(delta) + loadings @ loadings.T) + _niw.FLOOR * np.eye(m)
        covariance = _niw.inverse_wishart(m + 1 + c, scale, rng)
        factor = np.linalg.cholesky(covariance)
        means = self.level(draw, data) + np.sqrt(kappa) * factor @ rng.standard_normal(m)
        return means, covariance, means + rng.standard_normal((data.n_topics, m)) @ factor.T

    def level(self, draws: Mapping[str, Any], data: ModelData) -> Any:
        """Return the prior mean of mu, one for all systems or one for each."""
        return draws["mu0"] if self.informative else np.zeros(len(draws["c"]))

    def posterior(self, draws: Draws, data: ModelData, priors: Priors) -> _niw.Posterior:
        """Return the posterior of mu and Sigma given the hyperparameters, in closed form."""
        columns = {name: x if x.ndim > 1 else x[:, None] for name, x in draws.items()}
        delta, loadings = self.target(columns, np, data)
        return _niw.Posterior(
            scores=self.complete_scores(draws, data),
            c=draws["c"],
            delta=delta,
            loadings=loadings,
            mu0=self.level(draws, data),
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
