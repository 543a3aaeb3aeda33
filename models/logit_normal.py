r"""Scores between 0 and 1, with zeros: the default on the logit scale.

.. math::
    \mathrm{logit}\,x_t = y_t \sim N(\nu, \Sigma), \quad \nu \mid \Sigma \sim N(\nu_0 1,\;
    \kappa\,\Sigma), \quad \mu_s = E[x_{ts}] = \int \frac{N(y;\, \nu_s, \Sigma_{ss})}{1 + e^{-y}} dy

with the covariance of the default. Scores of at most ``floor``, such as 0, and of at least
1 - ``floor`` are censored: y is only known to lie beyond, and each such cell is a parameter. Latent
means and covariance are integrated out, then drawn in closed form, and the true means follow by
Gauss-Hermite quadrature.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import expit, logit

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Draws, Model, Priors
from bayescorr.errors import ModelError
from bayescorr.models import _cells
from bayescorr.models._quadrature import logistic_location, logistic_mean
from bayescorr.models.matrix_t import MatrixT


class LogitNormal(MatrixT):
    """Matrix-t model of the logits, censored near 0 and 1."""

    name = "logit-normal"
    description = "Scores between 0 and 1 with zeros: the default on the logit scale, censored"
    citation = (
        "Logistic-normal: Aitchison & Shen 1980, Biometrika 67(2); censoring: Tobin 1958, "
        "Econometrica 26(1)"
    )
    good_for = "Bounded scores with skewed distributions and many zeros, such as AP on hard topics"
    bad_for = "Coarse measures: every 0 and 1 is a parameter, some mix slowly; see beta-binomial"
    # Stated on the logit scale itself, where a topic's systems differ by about 1.
    priors = {**MatrixT.priors, "scale": 1.5, "mu0_sd": 2.0}
    takes_score_sd = False
    target_accept = 0.95
    #: Scores up to this, and from one less this, are censored.
    floor = 0.005

    def check(self, data: ModelData) -> None:
        """Raise an error for scores outside [0, 1]."""
        check_unit_interval(self.name, data)

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Logits of the scores, and which of them are censored."""
        latent = self.logits(data)
        cells = _cells.uncertain(latent) or {"guess": latent.values}
        return {**cells, **_cells.censored(latent.values, logit(self.floor)), "n": data.n_topics}

    def latent_scores(self, x: SimpleNamespace, data: ModelData) -> Any:
        """Logits with a parameter for every cell that is missing or censored."""
        return _cells.beyond(x, _cells.latent(x, data))

    def complete_scores(self, draws: Draws, data: ModelData) -> FloatArray:
        """Return the logits that ``latent_scores`` stands for."""
        latent = self.logits(data)
        values = np.broadcast_to(
            _cells.complete(draws, latent), (len(draws["c"]), *data.values.shape)
        ).copy()
        cells = _cells.censored(latent.values, logit(self.floor))
        used = cells["side"] != 0
        topic, system = np.divmod(cells["position"][used].astype(int), data.n_systems)
        values[:, topic, system] += cells["side"][used] * draws["beyond"][:, used]
        return values

    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Draw latent means and variances in closed form; integrate over topics."""
        result = []
        for part in _batches(draws, 256):
            posterior = self.posterior(part, data, priors)
            means = posterior.draw_means(rng)
            result.append(logistic_mean(means, _sds(posterior.draw_covariance(means, rng))))
        return np.concatenate(result)

    # None has a closed form on the scale of the scores, with censoring.
    new_means = Model.new_means
    covariance = Model.covariance
    log_likelihood = Model.log_likelihood

    def new_topics(
        self,
        draws: Draws,
        true_means: FloatArray,
        data: ModelData,
        priors: Priors,
        n_topics: int,
        rng: Generator,
    ) -> FloatArray:
        """Draw scores on new topics, with latent parameters that give these true means."""
        result = []
        for part in _batches({**draws, "true_means": true_means}, 256):
            posterior = self.posterior(part, data, priors)
            means = posterior.draw_means(rng)
            # The second round draws Sigma given (nearly) the latent means behind the true means.
            for _ in range(2):
                covariance = posterior.draw_covariance(means, rng)
                means = logistic_location(part["true_means"], _sds(covariance))
            noise = rng.standard_normal((len(means), n_topics, data.n_systems))
            factor = np.linalg.cholesky(covariance)
            result.append(self.scores(means[:, None] + noise @ factor.transpose(0, 2, 1)))
        return np.concatenate(result)

    def simulate(
        self, draw: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw Sigma, latent means and the scores from the prior."""
        means, covariance, values = self.simulate_normal(draw, self.logits(data), priors, rng)
        return logistic_mean(means, np.sqrt(np.diag(covariance))), self.scores(values)

    def logits(self, data: ModelData) -> ModelData:
        """Bring the data to the logit scale, within the bounds."""
        values = np.clip(logit(data.values), logit(self.floor), -logit(self.floor))
        return replace(data, values=values, location=0.0, scale=1.0)

    def scores(self, logits: FloatArray) -> FloatArray:
        """Scores from logits, 0 and 1 beyond the bounds."""
        scores = expit(logits)
        return np.where(scores <= self.floor, 0.0, np.where(scores >= 1 - self.floor, 1.0, scores))


def check_unit_interval(name: str, data: ModelData) -> None:
    """Raise an error for scores outside [0, 1]."""
    low, high = np.nanmin(data.values), np.nanmax(data.values)
    if low < 0 or high > 1:
        raise ModelError(
            f"The model {name!r} needs scores between 0 and 1; got {low:g} to {high:g}.",
            "Divide the scores by their largest possible value, or use the default model.",
        )


def _batches(draws: Draws, size: int) -> list[dict[str, FloatArray]]:
    """Split the draws, so that covariance matrices are not held all at once."""
    starts = range(0, len(draws["c"]), size)
    return [{name: x[start : start + size] for name, x in draws.items()} for start in starts]


def _sds(covariance: FloatArray) -> FloatArray:
    return np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
