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

from bayescorr._numbers import FloatArray, row_factor
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
        whole = self.posterior(draws, data.whole, priors).draw_means(rng)
        size, known = whole.shape
        chi = np.sqrt(rng.chisquare(draws["c"] + data.n_topics + 2 + known))
        rest = np.empty((size, len(data.turn) - known))
        for start in range(0, size, _CHUNK):
            part = slice(start, start + _CHUNK)
            some = {name: values[part] for name, values in draws.items()}
            centre, noise = self.given_whole(some, whole[part], data, priors, rng)
            rest[part] = centre + noise / chi[part, None]
        return np.hstack([whole @ data.whole_turn, rest])

    def given_whole(
        self, draws: Draws, whole: FloatArray, data: PartialData, priors: Priors, rng: Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Return the centre of mu_H given mu_L, and noise that is to be divided by chi.

        ``whole`` has sums and contrasts of mu_L. G = K + V V', where K joins the columns of a
        system only, and is diagonal (Delta) in sums and contrasts of L; V has few columns. With C =
        I + V_L' Delta^-1 V_L and W = V_H - K_HL Delta^-1 V_L, the covariance A_HH A_HH' is K_HH -
        K_HL Delta^-1 K_LH + W C^-1 W', so that only C is factorised.
        """
        size, known = whole.shape
        part, joint = (self.posterior(draws, one, priors) for one in (data.part, data))
        parameters = {name: x if x.ndim > 1 else x[:, None] for name, x in draws.items()}
        c, rho, phi = (parameters[name] for name in ("c", "rho", "phi"))
        variance = c * self.target_sd(parameters, np)[:, data.owner[known:].astype(int)] ** 2
        # V: rho, the scatter of the shared topics, and the distance from the prior mean.
        scatter = row_factor(joint.centred @ data.turn).T
        apart = ((joint.means - joint.level) @ data.turn)[:, known:]
        v_whole = _side_by_side(
            np.sqrt(c)[..., None] * part.loadings,
            data.whole_turn @ scatter[:known],
            np.sqrt(joint.prior_weight) * (part.means - part.level)[..., None],
        )
        v_rest = _side_by_side(
            np.sqrt(rho * variance)[..., None],
            scatter[known:],
            np.sqrt(joint.prior_weight) * apart[..., None],
        )
        # K: `joined` where P joins two columns, `own` more on the diagonal.
        own = (1 - rho) * (1 - phi) * variance + joint.floor
        joined = (1 - rho) * phi * variance
        joins = data.joined[known:, :known] @ data.whole_turn.T
        scaled = v_whole / part.diagonal[..., None]
        w = v_rest - joined[..., None] * (joins @ scaled)
        rank = v_whole.shape[2]
        root = np.linalg.cholesky(np.eye(rank) + v_whole.swapaxes(1, 2) @ scaled)
        half = np.linalg.inv(root)  # C^-1 is half' half
        off = (whole - part.centre)[..., None]
        solved = half.swapaxes(1, 2) @ (half @ (scaled.swapaxes(1, 2) @ off))
        towards = joined * ((off[..., 0] / part.diagonal) @ joins.T) + (w @ solved)[..., 0]
        left = (off - v_whole @ solved)[..., 0]
        length = (left**2 / part.diagonal).sum(axis=1) + np.square(solved).sum(axis=(1, 2))
        joined_left = joined - joined**2 * ((1 / part.diagonal) @ np.square(joins).T)
        first_of_system = data.joined[known:, known:].argmax(axis=1)
        z = rng.standard_normal((3, size, max(rank, len(scatter) - known)))
        m = len(first_of_system)
        noise = np.sqrt(own) * z[0, :, :m]
        noise += np.sqrt(joined_left) * z[1, :, first_of_system].T
        noise += (w @ (half.swapaxes(1, 2) @ z[2, :, :rank, None]))[..., 0]
        spread = np.sqrt(joint.shrinkage / joint.topics + length)
        return (joint.centre @ data.turn)[:, known:] + towards, spread[:, None] * noise


def _side_by_side(first: FloatArray, shared: FloatArray, last: FloatArray) -> FloatArray:
    """Join matrices, draws x columns x any number; the middle one is the same for all draws."""
    return np.concatenate([first, np.broadcast_to(shared, (len(first), *shared.shape)), last], 2)
