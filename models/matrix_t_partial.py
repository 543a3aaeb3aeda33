r"""Conditions of which some were judged on a part of the topics: a monotone pattern, closed form.

The columns of the whole conditions, L, have scores on all N topics, those of the partial ones, H,
on n of these. Under the normal-inverse-Wishart of ``matrix_t_conditions``, the parameters of
:math:`x_L`, and those of the regression of :math:`x_H` on :math:`x_L`, are independent. The topics
without H inform the former only, so the density of all scores and the posterior factor:

.. math::
    p(X_L^{N}, X_H^{n}) &= p(X_L^{N})\, \frac{p(X_L^{n}, X_H^{n})}{p(X_L^{n})} \\
    p(\mu_L, \mu_H \mid X_L^{N}, X_H^{n}) &= p(\mu_L \mid X_L^{N})\,
    p(\mu_H \mid \mu_L, X_L^{n}, X_H^{n})

Each density on the right is a matrix-t density; the last factor is the conditional distribution of
the multivariate t of all true means given the n topics, with c + n + 2 degrees of freedom, centre
:math:`\hat\mu` and scatter :math:`B/n\, G`. With :math:`G = A A'`, L before H, and :math:`w =
A_{LL}^{-1}(\mu_L - \hat\mu_L)`,

.. math::
    \mu_H = \hat\mu_H + A_{HL}\,w + \sqrt{\frac{B/n + w'w}{\chi^2_{c+n+2+l}}}\; A_{HH}\,z

where l is the number of columns of L. Reference: Liu, Journal of Multivariate Analysis 1993
(monotone patterns under an inverse Wishart).
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Draws, Priors
from bayescorr.conditions.columns import PartialData
from bayescorr.models.matrix_t_conditions import MatrixTConditions

if TYPE_CHECKING:
    import pymc as pm

#: Draws whose matrices are factorised at once.
_CHUNK = 256


class MatrixTPartial(MatrixTConditions):
    """Matrix-t model of several conditions, some of them judged on a part of the topics."""

    name = "matrix-t-partial"
    description = "The default model of several conditions, some of them with fewer topics"
    good_for = "Human judgments on some topics, those of language models on all"
    bad_for = "Conditions with the same topics"

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Return those of all columns, and of the whole conditions on all and on shared topics."""
        assert isinstance(data, PartialData)
        found = super().inputs(data)
        for name, one in (("whole", data.whole), ("part", data.part)):
            found |= {f"{name}_{key}": value for key, value in super().inputs(one).items()}
        return found

    def build(self, data: ModelData, priors: Priors) -> pm.Model:
        """Build the marginal model: the density of all scores factors."""
        import pymc as pm
        import pytensor.tensor as pt

        with pm.Model(coords=data.coords) as model:
            x, p = self.declare(data, priors)
            c, parameters, mu0 = self.declare_parameters(p)

            def density(prefix: str = "") -> Any:
                names = [*MatrixTConditions.inputs(self, data)]
                of = SimpleNamespace(**{name: getattr(x, prefix + name) for name in names})
                return self.density(of, p, c, parameters, mu0, pt)

            pm.Potential("scores", density("whole_") + density() - density("part_"))
        return model

    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Draw the true means of the columns themselves, not of their sums and contrasts."""
        assert isinstance(data, PartialData)
        whole = self.posterior(draws, data.whole, priors).draw_means(rng) @ data.whole_turn
        joint = self.posterior(draws, data, priors)
        centre = joint.centre @ data.turn
        distance = (joint.means - joint.level) @ data.turn
        centred = joint.centred @ data.turn
        scatter = centred.T @ centred
        size, m = centre.shape
        known = whole.shape[1]
        freedom = draws["c"] + joint.topics + 2 + known
        chi = np.sqrt(rng.chisquare(freedom))
        noise = rng.standard_normal((size, m - known))
        result = np.hstack([whole, np.empty((size, m - known))])
        for start in range(0, size, _CHUNK):
            part = slice(start, start + _CHUNK)
            some = {name: values[part] for name, values in draws.items()}
            apart = distance[part]
            g = some["c"][:, None, None] * self.plain_target(some, data)
            g += scatter + joint.floor * np.eye(m)
            g += joint.prior_weight * apart[:, :, None] * apart[:, None, :]
            factor = np.linalg.cholesky(g)
            off = (whole[part] - centre[part, :known])[..., None]
            w = np.linalg.solve(factor[:, :known, :known], off)
            spread = joint.shrinkage / joint.topics + np.square(w).sum(axis=(1, 2))
            towards = factor[:, known:, :known] @ w
            loose = factor[:, known:, known:] @ noise[part][..., None]
            scale = np.sqrt(spread) / chi[part]
            result[part, known:] = (
                centre[part, known:] + (towards + scale[:, None, None] * loose)[..., 0]
            )
        return result

    def plain_target(self, draws: Draws, data: PartialData) -> FloatArray:
        """Compute T of the columns themselves, draws x columns x columns."""
        parameters = {name: x if x.ndim > 1 else x[:, None] for name, x in draws.items()}
        sd = self.target_sd(parameters, np)[:, data.owner.astype(int)]
        rho, phi = (draws[name][:, None, None] for name in ("rho", "phi"))
        inner = phi * data.joined + (1 - phi) * np.eye(len(data.owner))
        return np.asarray(sd[:, :, None] * sd[:, None, :] * (rho + (1 - rho) * inner))
