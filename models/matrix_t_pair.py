r"""Two conditions on the same topics and systems: the default model of both at once.

The scores of topic t are a vector of 2m, m per condition, with

.. math::
    T = D\,\{\rho\,11' + (1 - \rho)\,[\varphi P + (1 - \varphi) I]\}\,D, \qquad
    \mu \mid \Sigma \sim N((\mu_{0A} 1, \mu_{0B} 1),\; \kappa\,\Sigma)

where P joins the two columns of a system: :math:`\varphi` is how much more strongly a system's two
scores are correlated than those of different systems. D is the same in both conditions, each of
which has its own scale. Everything else is as in the default. Sums and differences of a system's
two columns make P diagonal: an orthogonal change of coordinates, under which the
normal-inverse-Wishart keeps its form, with T diagonal plus rank one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayescorr.bayes.data import ConditionsData, ModelData
from bayescorr.bayes.model import Draws, Priors
from bayescorr.models import _niw
from bayescorr.models.matrix_t import MatrixT

if TYPE_CHECKING:
    import pymc as pm


class MatrixTPair(MatrixT):
    """Matrix-t model of two conditions, used by :func:`bayescorr.fit_pair`."""

    name = "matrix-t-pair"
    description = "The default model of two conditions at once"
    good_for = "Two measures, assessors or pool depths on the same topics and systems"
    bad_for = "A single table of scores"
    priors = {**MatrixT.priors, "phi_a": 1.0, "phi_b": 1.0}
    takes_missing = False
    takes_score_sd = False
    of_one_table = False

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Return sufficient statistics, and what each column stands for."""
        assert isinstance(data, ConditionsData)
        columns = {"join": data.join, "owner": data.owner, "level": data.level}
        return {**super().inputs(data), **columns}

    def build(self, data: ModelData, priors: Priors) -> pm.Model:
        """Build the marginal model over c, rho, phi, D and mu0."""
        import pymc as pm
        import pytensor.tensor as pt

        with pm.Model(coords=data.coords) as model:
            x, p = self.declare(data, priors)
            c = pm.LogNormal("c", pt.log(p.strength), p.strength_sd)
            parameters = self.target_parameters(c, p, "owner")
            parameters["phi"] = pm.Beta("phi", p.phi_a, p.phi_b)
            mu0 = pm.Normal("mu0", 0, p.mu0_sd, dims="level")

            delta, loadings = self.target(parameters, pt, x)
            means, kappa = x.means - x.level @ mu0, 1 / p.prior_topics
            density = _niw.log_marginal(x.factor, means, x.n, c, delta, loadings, 0.0, kappa)
            pm.Potential("scores", density)
        return model

    def target(self, parameters: Mapping[str, Any], xp: Any, x: Any = None) -> tuple[Any, Any]:
        """Compute T of sums and differences as diagonal and loadings, with NumPy or PyTensor."""
        rho, phi = parameters["rho"], parameters["phi"]
        sd = self.target_sd(parameters, xp)[..., x.owner.astype("int64")]
        delta = (1 - rho) * (1 + x.join * phi) * sd**2
        return delta, (xp.sqrt(rho) * xp.sqrt(1 + x.join) * sd)[..., None]

    def posterior(self, draws: Draws, data: ModelData, priors: Priors) -> _niw.Posterior:
        """Return the posterior of mu and Sigma given the hyperparameters, in closed form."""
        assert isinstance(data, ConditionsData)
        return replace(super().posterior(draws, data, priors), mu0=draws["mu0"] @ data.level.T)
