r"""The default: correlated systems whose true means differ as their scores do.

.. math::
    x_t &\sim N(\mu, \Sigma), \quad \Sigma \sim IW(m + 1 + c,\; c\,T), \quad
    T = D\,[\rho\,11' + (1 - \rho) I]\,D \\
    \mu \mid \Sigma &\sim N(\mu_0 1,\; \kappa\,\Sigma), \quad \kappa = 1 / \text{prior\_topics} \\
    D_s &= \epsilon + s\,e^{d_s}, \quad d_s \sim N(0, w^2), \; \textstyle\sum_s d_s = 0, \quad
    \log s \sim N(\log \text{scale},\; \text{scale\_sd}^2 + w^2 / m)

Near-duplicate runs have near-equal true means, so the prior variance of a difference of true means
is proportional to the variance of the difference of scores: the prior is worth ``prior_topics``
topics on which all systems tie. Mu and Sigma are integrated out; m + 4 parameters are sampled. The
last line is that of independent log D around a centre, the centre integrated out.
Systems always differ in spread, so w has a prior that stays away from zero: with half-normal w the
sampler gets lost where w is so small that it hardly matters. No D is below epsilon, a hundredth of
the sd of within-topic contrasts: without it, a system whose scores are all equal would pull its D
towards zero, and w after it, without end.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

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
    good_for = "Continuous measures such as AP or nDCG at any number of topics"
    bad_for = "Coarse measures such as P@10 with few topics, unless prior_topics is 10 or so"
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
    #: Epsilon, the smallest D: no score is known more exactly than that.
    least_sd = 0.01
    #: Whether the true means have the g-prior; a flat one otherwise.
    informative = True

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Sufficient statistics; the cells themselves where some are not known exactly."""
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
            delta, loadings = self.target(self.target_parameters(c, p), pt)
            kappa = 1 / p.prior_topics if self.informative else None
            pm.Potential(
                "scores",
                _niw.log_marginal(factor, means, x.n, c, delta, loadings, mu0, kappa),
            )
        return model

    def latent_scores(self, x: SimpleNamespace, data: ModelData) -> Any:
        """Scores with a parameter for every cell that is not known exactly."""
        return _cells.latent(x, data)

    def complete_scores(self, draws: Draws, data: ModelData) -> FloatArray:
        """Return the scores that ``latent_scores`` stands for, per draw if cells are parameters."""
        return _cells.complete(draws, data)

    def target_parameters(self, c: Any, p: SimpleNamespace, dim: str = "system") -> dict[str, Any]:
        """Declare the parameters of the target T, in coordinates that are nearly uncorrelated.

        Most eigenvalues of an inverse-Wishart Sigma are near those of c T / (c + m), so scores say
        more about the root of (1 - rho) c / (c + m) times s than about s alone. They say much about
        d where topics are many and little where they are few, which is why e is neither d nor d / w
        but between the two: d over the root of w.
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

    def target(self, parameters: Mapping[str, Any], xp: Any) -> tuple[Any, Any]:
        """T = D [rho 11' + (1 - rho) I] D as diagonal and loadings, in NumPy or PyTensor."""
        rho, sd = parameters["rho"], self.target_sd(parameters, xp)
        return (1 - rho) * sd**2, (xp.sqrt(rho) * sd)[..., None]

    def target_sd(self, parameters: Mapping[str, Any], xp: Any) -> Any:
        """D, where e is d over the root of w."""
        s, w, e = (parameters[name] for name in ("s", "w", "e"))
        return self.least_sd + s * xp.exp(xp.sqrt(w) * e)

    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: np.random.Generator
    ) -> FloatArray:
        """Draw mu given the hyperparameters, in closed form."""
        return data.to_scores(self.posterior(draws, data, priors).draw_means(rng))

    def covariance(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Draw Sigma given mu and the hyperparameters, in closed form."""
        means = (true_means - data.location) / data.scale
        return data.scale**2 * self.posterior(draws, data, priors).draw_covariance(means, rng)

    def log_likelihood(self, draws: Draws, data: ModelData, priors: Priors) -> FloatArray:
        """Exact density of each topic given the others and the hyperparameters."""
        if _cells.uncertain(data):
            raise self.cannot("leave topics out where scores are missing or measured with error")
        jacobian = data.n_systems * np.log(data.scale)
        return self.posterior(draws, data, priors).log_predictive() - jacobian

    def simulate(
        self, draw: Draws, data: ModelData, priors: Priors, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw Sigma, mu and the scores from the prior."""
        if not self.informative:
            raise self.cannot("simulate collections: its prior on the means is improper")
        means, _, scores = self.simulate_normal(draw, data, priors, rng)
        return data.to_scores(means), data.to_scores(scores)

    def simulate_normal(
        self, draw: Draws, data: ModelData, priors: Priors, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Draw mu, Sigma and scores on the standard scale, given one draw of the parameters."""
        delta, loadings = self._targets({name: np.asarray(draw[name])[None] for name in draw})
        c, mu0 = float(draw["c"]), float(draw["mu0"])
        kappa = 1 / priors["prior_topics"]
        return _niw.simulate(c, delta[0], loadings[0], mu0, kappa, data.n_topics, rng)

    def posterior(self, draws: Draws, data: ModelData, priors: Priors) -> _niw.Posterior:
        """Give the posterior of mu and Sigma given the hyperparameters, in closed form."""
        delta, loadings = self._targets(draws)
        return _niw.Posterior(
            scores=self.complete_scores(draws, data),
            c=draws["c"],
            delta=delta,
            loadings=loadings,
            mu0=draws.get("mu0", np.zeros(len(draws["c"]))),
            kappa=1 / priors["prior_topics"] if self.informative else None,
        )

    def _targets(self, draws: Draws) -> tuple[FloatArray, FloatArray]:
        """Diagonal and loadings of the target, draws on the first axis."""
        return self.target({name: x if x.ndim > 1 else x[:, None] for name, x in draws.items()}, np)


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
