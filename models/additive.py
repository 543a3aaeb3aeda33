r"""Two-way additive models: a system effect plus a topic effect plus independent noise.

.. math::
    x_{ts} = \mu_s + \beta_t + \varepsilon_{ts}, \quad \mu_s \sim N(\mu_0, \sigma_{system}^2),
    \quad \beta_t \sim N(0, \sigma_{topic}^2), \quad \varepsilon_{ts} \sim N(0, \sigma_s^2)

with one noise sd for all systems (``additive``) or :math:`\log\sigma_s = \log\sigma + w\,e_s`
(``additive-hetero``). The field has used them; they are for teaching and comparison. Near-duplicate
systems share most of their noise, which these models treat as independent, so their intervals are
far too narrow.

All effects are normal, so given the standard deviations they integrate out: with
:math:`V = \mathrm{diag}(\sigma_s^2) + \sigma_{topic}^2 11'` the topics are :math:`N(\mu, V)`, the
observed means :math:`N(0, V/n + \sigma_{system}^2 I + \sigma_{\mu_0}^2 11')`, and both matrices are
diagonal plus rank one. Where cells are missing or measured with error, topic effects integrate out
topic by topic and :math:`\mu` is sampled.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from bayescorr._numbers import FloatArray
from bayescorr.bayes.data import ModelData
from bayescorr.bayes.model import Draws, Priors, PyMCModel

if TYPE_CHECKING:
    import pymc as pm

_LOG_2PI = float(np.log(2 * np.pi))


class Additive(PyMCModel):
    """Two-way additive model with the same noise for all systems."""

    name = "additive"
    description = "Two-way additive: system effect + topic effect + equal independent noise"
    citation = "Carterette 2011, Model-Based Inference about IR Systems, ICTIR"
    good_for = "Teaching and comparison: what the field has used; fast at any size"
    bad_for = "Intervals: it treats correlated noise as independent and is far too confident"
    priors = {"topic": 3.0, "system": 1.5, "noise": 1.0, "noise_sd": 0.5, "mu0_sd": 10.0}
    takes_missing = True
    takes_score_sd = True
    any_size = True

    def inputs(self, data: ModelData) -> dict[str, Any]:
        """Return sufficient statistics; the cells themselves if some are uncertain."""
        if not data.uncertain:
            return {"factor": data.scatter_factor, "means": data.means, "n": data.n_topics}
        error = 0.0 if data.score_sd is None else data.score_sd / data.scale
        return {
            "cells": np.where(data.missing, 0.0, data.standard),
            "seen": ~data.missing,
            "error": np.where(data.missing, 0.0, error),
        }

    def build(self, data: ModelData, priors: Priors) -> pm.Model:
        """Build the model over the standard deviations, effects integrated out."""
        import pymc as pm
        import pytensor.tensor as pt

        with pm.Model(coords=data.coords) as model:
            x, p = self.declare(data, priors)
            topic = pm.HalfNormal("sigma_topic", p.topic)
            system = pm.HalfNormal("sigma_system", p.system)
            scores = x.cells[0] if data.uncertain else x.means
            noise = self.noise(self.noise_parameters(p), pt) * pt.ones_like(scores)
            if not data.uncertain:
                variances = noise**2, topic**2, system**2, p.mu0_sd**2
                density = _log_marginal(x.factor, x.means, x.n, *variances, pt)
            else:
                mu0 = pm.Normal("mu0", 0, p.mu0_sd)
                effects = pm.Normal("effects", 0, 1, dims="system")
                mu = pm.Deterministic("mu", mu0 + system * effects, dims="system")
                variance = noise**2 + x.error**2
                density = _log_topics(x.cells - mu, x.seen, variance, topic**2, pt).sum()
            pm.Potential("scores", density)
        return model

    def noise_parameters(self, p: SimpleNamespace) -> dict[str, Any]:
        """Declare the parameters of the noise."""
        import pymc as pm
        import pytensor.tensor as pt

        return {"sigma": pm.LogNormal("sigma", pt.log(p.noise), p.noise_sd)}

    def noise(self, parameters: Any, xp: Any) -> Any:
        """Compute the sd of the noise of each system, in NumPy or PyTensor."""
        return parameters["sigma"]

    def true_means(
        self, draws: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Draw mu given the standard deviations, in closed form."""
        if "mu" in draws:
            return data.to_scores(draws["mu"])
        noise, topic, system = self._variances(draws, data)
        n, size = data.n_topics, noise.shape
        common = priors["mu0_sd"] ** 2
        # Draw means and observed means from the prior; correct by what was observed instead.
        mu = np.sqrt(system) * rng.standard_normal(size)
        mu += np.sqrt(common) * rng.standard_normal((len(mu), 1))
        observed = mu + np.sqrt(noise / n) * rng.standard_normal(size)
        observed += np.sqrt(topic / n) * rng.standard_normal((len(mu), 1))
        solved = _solve(noise / n + system, topic / n + common, data.means - observed)
        mu += system * solved + common * solved.sum(axis=-1, keepdims=True)
        return data.to_scores(mu)

    def covariance(
        self, draws: Draws, true_means: FloatArray, data: ModelData, priors: Priors, rng: Generator
    ) -> FloatArray:
        """Compute V = diag(sigma_s^2) + sigma_topic^2 11'."""
        noise, topic, _ = self._variances(draws, data)
        return data.scale**2 * (noise[:, :, None] * np.eye(data.n_systems) + topic[:, :, None])

    def log_likelihood(self, draws: Draws, data: ModelData, priors: Priors) -> FloatArray:
        """Compute the density of each topic given the others, or given mu if it is sampled."""
        noise, topic, system = self._variances(draws, data)
        jacobian = (~data.missing).sum(axis=1) * np.log(data.scale)
        if data.uncertain:
            density = [
                _log_topics(cells - draws["mu"], seen, noise + error**2, topic[:, 0], np)
                for cells, seen, error in zip(*self.inputs(data).values(), strict=True)
            ]
            return np.stack(density, axis=1) - jacobian
        variances = noise, topic[:, 0], system[:, 0], priors["mu0_sd"] ** 2

        def marginal(values: FloatArray) -> FloatArray:
            means = values.mean(axis=0)
            return _log_marginal((values - means).T, means, len(values), *variances, np)

        everything = marginal(data.standard)
        without = [marginal(np.delete(data.standard, t, axis=0)) for t in range(data.n_topics)]
        return everything[:, None] - np.stack(without, axis=1) - jacobian

    def simulate(
        self, draw: Draws, data: ModelData, priors: Priors, rng: Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw effects and scores from the prior."""
        n, m = data.n_topics, data.n_systems
        mu0 = priors["mu0_sd"] * rng.standard_normal()
        mu = mu0 + draw["sigma_system"] * rng.standard_normal(m)
        topics = draw["sigma_topic"] * rng.standard_normal((n, 1))
        noise = self.noise(draw, np) * rng.standard_normal((n, m))
        return data.to_scores(mu), data.to_scores(mu + topics + noise)

    def _variances(
        self, draws: Draws, data: ModelData
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Variances of noise (draws x systems), topics and systems (draws x 1)."""
        columns = {name: x if x.ndim > 1 else x[:, None] for name, x in draws.items()}
        noise = self.noise(columns, np) * np.ones(data.n_systems)
        return noise**2, columns["sigma_topic"] ** 2, columns["sigma_system"] ** 2


class AdditiveHetero(Additive):
    """Two-way additive model with noise of each system's own size."""

    name = "additive-hetero"
    description = "Two-way additive: system effect + topic effect + independent noise per system"
    good_for = "Teaching and comparison: systems that vary more or less than others"
    priors = {**Additive.priors, "spread": 0.5}

    def noise_parameters(self, p: SimpleNamespace) -> dict[str, Any]:
        """Declare the parameters of the noise."""
        import pymc as pm

        return {
            **super().noise_parameters(p),
            "w": pm.HalfNormal("w", p.spread),
            "e": pm.Normal("e", 0, 1, dims="system"),
        }

    def noise(self, parameters: Any, xp: Any) -> Any:
        """Compute the sd of the noise of each system, in NumPy or PyTensor."""
        return parameters["sigma"] * xp.exp(parameters["w"] * parameters["e"])


def _log_marginal(
    factor: Any, means: Any, n: Any, noise: Any, topic: Any, system: Any, common: Any, xp: Any
) -> Any:
    """Log density of complete scores given variances, all effects integrated out."""
    m = noise.shape[-1]
    log_det, squares = _diagonal_plus_one(
        noise, topic, (factor**2).sum(axis=1), (((1 / noise) @ factor) ** 2).sum(axis=-1), xp
    )
    within = (n - 1) * (log_det + m * _LOG_2PI) + m * xp.log(n) + squares
    spread = noise / n + system[..., None]
    log_det, squares = _diagonal_plus_one(
        spread, topic / n + common, means**2, (means / spread).sum(axis=-1) ** 2, xp
    )
    return -(within + log_det + m * _LOG_2PI + squares) / 2


def _log_topics(residuals: Any, seen: Any, noise: Any, topic: Any, xp: Any) -> Any:
    """Log density of the seen cells of each topic, its effect integrated out."""
    weights = seen / noise
    log_det = (seen * xp.log(noise)).sum(axis=-1) + xp.log1p(topic * weights.sum(axis=-1))
    cross = (weights * residuals).sum(axis=-1) ** 2
    squares = (weights * residuals**2).sum(axis=-1)
    squares = squares - topic * cross / (1 + topic * weights.sum(axis=-1))
    return -(seen.sum(axis=-1) * _LOG_2PI + log_det + squares) / 2


def _diagonal_plus_one(d: Any, b: Any, square: Any, cross: Any, xp: Any) -> tuple[Any, Any]:
    """log|A| and tr(A^-1 R), A = diag(d) + b 11', from diag(R) and (1/d)' R (1/d)."""
    total = (1 / d).sum(axis=-1)
    log_det = xp.log(d).sum(axis=-1) + xp.log1p(b * total)
    return log_det, (square / d).sum(axis=-1) - b * cross / (1 + b * total)


def _solve(d: FloatArray, b: FloatArray, right: FloatArray) -> FloatArray:
    """(diag(d) + b 11')^-1 times ``right``, draws on the first axis."""
    scaled = right / d
    total = (1 / d).sum(axis=-1, keepdims=True)
    return scaled - b / (1 + b * total) * scaled.sum(axis=-1, keepdims=True) / d
