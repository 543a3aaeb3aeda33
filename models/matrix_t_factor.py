r"""The default around a factor target: groups of systems that vary together.

.. math::
    T = D\,\{\rho\,11' + (1 - \rho)\,[\ell\ell' + \mathrm{diag}(1 - \ell_s^2)]\}\,D,
    \qquad (1 + \ell_s) / 2 \sim \mathrm{Beta}(a, a)

and everything else as in the default: the first factor is common to all systems, the second sets
systems with positive loadings apart from those with negative ones. The diagonal of T is D squared.
Mu and Sigma are integrated out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from bayescorr.models.matrix_t import MatrixT


class MatrixTFactor(MatrixT):
    """Matrix-t model whose target has factors that tell groups of systems apart."""

    name = "matrix-t-factor"
    description = "The default around a covariance target with groups of systems (factors)"
    citation = (
        "Factor target of a shrunk covariance: Ledoit & Wolf 2003; normal-inverse-Wishart: "
        "Gelman et al., Bayesian Data Analysis, 3rd ed., section 3.6"
    )
    good_for = "Few topics and systems that come in groups, such as several runs per participant"
    bad_for = "Many systems: its spread w mixes slowly (draws=2000, tune=1000), tau hardly changes"
    priors = {**MatrixT.priors, "loading": 2.0}

    def target_parameters(self, c: Any, p: SimpleNamespace, dim: str = "system") -> dict[str, Any]:
        """Declare the parameters of the target T."""
        import pymc as pm

        # The sign of the factor is arbitrary.
        half = pm.Beta("_half", p.loading, p.loading, dims=dim)
        return {**super().target_parameters(c, p, dim), "_half": half}

    def target(self, parameters: Mapping[str, Any], xp: Any, x: Any = None) -> tuple[Any, Any]:
        """Compute T as diagonal and loadings, with NumPy or PyTensor."""
        rest, common = super().target(parameters, xp)
        ell = 2 * parameters["_half"] - 1
        groups = (xp.sqrt(rest) * ell)[..., None]
        return (1 - ell**2) * rest, xp.concatenate([common, groups], axis=-1)
