r"""K conditions on the same topics and systems: the default model of all of them at once.

The scores of topic t are a vector of Km, m per condition, with

.. math::
    T = D\,\{\rho\,11' + (1 - \rho)\,[\varphi P + (1 - \varphi) I]\}\,D, \qquad
    \mu \mid \Sigma \sim N((\mu_{01} 1, \ldots, \mu_{0K} 1),\; \kappa\,\Sigma)

where P joins the K columns of a system: :math:`\varphi` is how much more strongly the scores of one
system are correlated than those of different systems. D is the same in all conditions, each of
which has its own scale. Everything else is as in the default. An orthogonal change of coordinates
per system, to the sum of its columns and K - 1 contrasts of them (Helmert), makes
:math:`\varphi P + (1 - \varphi) I` diagonal, :math:`1 + (K - 1)\varphi` for the sum and :math:`1 -
\varphi` for a contrast. The normal-inverse-Wishart keeps its form, with T diagonal plus rank one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Priors
from bayescorr.conditions.columns import ConditionsData
from bayescorr.models import _niw
from bayescorr.models.matrix_t import MatrixT

if TYPE_CHECKING:
    import pymc as pm


class MatrixTConditions(MatrixT):
    """Matrix-t model of several conditions, used by :func:`bayescorr.fit_conditions`."""

    name = "matrix-t-conditions"
    description = "The default model of several conditions at once"
    good_for = "Several judges, measures or pool depths on the same topics and systems"
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
            pm.Potential("scores", self.density(x, p, *self.declare_parameters(p), pt))
        return model

    def declare_parameters(self, p: SimpleNamespace) -> tuple[Any, dict[str, Any], Any]:
        """Declare c, the parameters of the target, and the levels."""
        import pymc as pm
        import pytensor.tensor as pt

        c = pm.LogNormal("c", pt.log(p.strength), p.strength_sd)
        parameters = self.target_parameters(c, p, "owner")
        parameters["phi"] = pm.Beta("phi", p.phi_a, p.phi_b)
        return c, parameters, pm.Normal("mu0", 0, p.mu0_sd, dims="level")

    def density(
        self,
        x: SimpleNamespace,
        p: SimpleNamespace,
        c: Any,
        parameters: Mapping[str, Any],
        mu0: Any,
        xp: Any,
    ) -> Any:
        """Return the log density of the scores x given the parameters."""
        delta, loadings = self.target(parameters, xp, x)
        means, kappa = x.means - x.level @ mu0, 1 / p.prior_topics
        return _niw.log_marginal(x.factor, means, x.n, c, delta, loadings, 0.0, kappa)

    def target(self, parameters: Mapping[str, Any], xp: Any, x: Any = None) -> tuple[Any, Any]:
        """Compute T of sums and contrasts as diagonal and loadings, with NumPy or PyTensor."""
        rho, phi = parameters["rho"], parameters["phi"]
        sd = self.target_sd(parameters, xp)[..., x.owner.astype("int64")]
        delta = (1 - rho) * (1 + x.join * phi) * sd**2
        return delta, (xp.sqrt(rho) * xp.sqrt(1 + x.join) * sd)[..., None]

    def level(self, draws: Mapping[str, Any], data: ModelData) -> Any:
        """Return the prior mean of mu, one for each column."""
        assert isinstance(data, ConditionsData)
        return draws["mu0"] @ data.level.T
