r"""A normal approximation of a posterior: the Laplace approximation, averaged over itself.

Laplace's approximation puts the centre where the gradient of the log density vanishes, with the
negative Hessian there as precision. Where parameters form a funnel, as a spread and its deviations
do, the mode is far from most of the posterior. Here both conditions hold on average over the normal
:math:`q = N(m, P^{-1})` itself (Opper & Archambeau 2009, eqs. 6 and 7):

.. math:: E_q[\nabla \log p(x)] = 0, \qquad P = -E_q[\nabla^2 \log p(x)],

which is the normal with the smallest Kullback-Leibler divergence from q to p. Averages are over
points :math:`m \pm \sqrt d\,L u`, with :math:`L L' = P^{-1}` and u the columns of random
orthogonal matrices, exact for polynomials of degree 3. By Stein's identity :math:`E_q[\nabla^2 \log
p] = E_q[\nabla \log p(x) (x - m)'] P`, so only gradients are needed. The fixed point is found by
damped Newton steps.

References: M. Opper, C. Archambeau. The variational Gaussian approximation revisited. Neural
Computation 21, 2009. C. Stein. Estimation of the mean of a multivariate normal distribution. Annals
of Statistics 9, 1981.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bayescorr._numbers import FloatArray

#: f(x) -> log density and its gradient; not finite where the density is undefined.
LogDensity = Callable[[FloatArray], tuple[float, FloatArray]]

#: The search ends if the centre moves by less than this many standard deviations, and no standard
#: deviation changes by more than this share.
SETTLED = 0.03
#: An approximation is usable if another step would change it by at most this much.
USABLE = 0.1
#: Newton steps at most, and halvings of one step.
_MOST_STEPS, _MOST_HALVINGS = 60, 6
#: A step changes a standard deviation by at most this factor.
_MOST_CHANGE = 2.5
#: Shares of a Newton step within this many standard deviations of the solution.
_NEAR, _SHARES = 3.0, (0.25, 4.0)
#: Rotations of the points near the end of the search; one is enough before.
_ROTATIONS = 2
#: Before the first normal, the log density climbs by at most this in each coordinate, with about
#: this many gradients. More would lead to the mode of a funnel.
_REACH, _CLIMB = 1.0, 10
#: The first normal has standard deviations of at most this, and is made narrower until the density
#: is defined at all of its points.
_WIDTHS = (0.2, 0.05, 0.01)


@dataclass(frozen=True)
class Normal:
    """A normal approximation and how well its equations hold."""

    centre: FloatArray
    #: L, where L L' is the covariance.
    factor: FloatArray
    #: How far another step would move the centre, in standard deviations.
    shift: float
    #: By how much it would change a standard deviation at most, as a share.
    change: float
    #: Gradients used.
    gradients: int

    @property
    def settled(self) -> bool:
        """Whether the equations hold well enough."""
        return max(self.shift, self.change) <= USABLE

    def at(self, standard: FloatArray) -> FloatArray:
        """Return the points with these standard coordinates, (size x) d."""
        return self.centre + standard @ self.factor.T


class Evaluator:
    """Evaluate a log density at many points, in threads; counts the gradients."""

    def __init__(self, log_density: LogDensity, workers: int) -> None:
        self.log_density = log_density
        self.workers = workers
        self.count = 0

    def __call__(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log densities and gradients of points, size x d."""
        self.count += len(points)
        values, gradients = np.empty(len(points)), np.empty_like(points)

        def evaluate(part: range) -> None:
            for i in part:
                values[i], gradients[i] = self.log_density(points[i])

        workers = min(self.workers, len(points))
        parts = [range(i, len(points), workers) for i in range(workers)]
        if workers == 1:
            evaluate(parts[0])
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(evaluate, parts))
        return values, gradients


@dataclass(frozen=True)
class _State:
    """A normal, and the averages over it."""

    centre: FloatArray
    factor: FloatArray
    #: Lower bound of the log evidence, up to a constant; minus infinity if undefined at a point.
    bound: float
    #: Mean gradient and minus the mean Hessian, in coordinates in which the normal is standard.
    gradient: FloatArray
    curvature: FloatArray


def approximate(evaluate: Evaluator, start: FloatArray | Normal, rng: Generator) -> Normal:
    """Find the normal approximation, from a similar one or a point where the density is defined.

    The result has an infinite ``shift`` if the density is not defined around that point.
    """
    d = len(start.centre if isinstance(start, Normal) else start)
    coarse, fine = _cubature(d, 1, rng), _cubature(d, _ROTATIONS, rng)
    if isinstance(start, Normal):
        points, state = fine, _average(evaluate, start.centre, start.factor, fine)
    else:
        points, state = coarse, _start(evaluate, _climb(evaluate, start), coarse)
    share, taken, before, shift, change = 1.0, 1.0, None, np.inf, np.inf
    for _ in range(_MOST_STEPS):
        if not np.isfinite(state.bound):
            break
        values, vectors = np.linalg.eigh(state.curvature)
        scale = np.clip(values, _MOST_CHANGE**-2, _MOST_CHANGE**2)
        step = vectors @ ((vectors.T @ state.gradient) / scale)
        shift = float(np.linalg.norm(step))
        change = float(np.abs(np.log(np.maximum(values, 1e-12))).max()) / 2
        if shift < SETTLED and change < SETTLED:
            if points is fine:
                break
            points, before = fine, None
            state = _average(evaluate, state.centre, state.factor, points)
            continue
        whole = np.concatenate([step, ((vectors * np.log(scale)) @ vectors.T).ravel() / 2])
        share = _share(share, whole, before)
        before = whole
        most = min(share, 2 * taken)
        state, taken = _advance(evaluate, state, step, (vectors, scale), points, most)
    return Normal(state.centre, state.factor, shift, change, evaluate.count)


def _share(share: float, step: FloatArray, before: FloatArray | None) -> float:
    """Return which share of a Newton step to take, given the last one and its share.

    Steps that repeat their predecessor are too short, steps that reverse it are too long: if one is
    r times the other, the steps would vanish with 1 / (1 - r) times the share.
    """
    if before is None or step @ step > _NEAR**2:
        return 1.0
    ratio = float(step @ before) / float(before @ before)
    return float(np.clip(share / (1 - min(ratio, 0.9)), *_SHARES))


def _advance(
    evaluate: Evaluator,
    state: _State,
    step: FloatArray,
    curvature: tuple[FloatArray, FloatArray],
    points: FloatArray,
    share: float,
) -> tuple[_State, float]:
    """Take this share of a Newton step, or as much of it as does not lower the bound.

    The result is the next state and the share.
    """
    vectors, scale = curvature
    share = min(share, 2 * np.sqrt(len(step)) / max(float(np.linalg.norm(step)), 1e-12))
    for _ in range(_MOST_HALVINGS):
        centre = state.centre + share * state.factor @ step
        factor = state.factor @ (vectors * scale ** (-share / 2)) @ vectors.T
        following = _average(evaluate, centre, factor, points)
        if following.bound > state.bound - SETTLED:
            break
        share /= 2
    return following, share


def _climb(evaluate: Evaluator, start: FloatArray) -> FloatArray:
    """Return a point near ``start`` with a higher density."""
    from scipy.optimize import minimize

    def descent(x: FloatArray) -> tuple[float, FloatArray]:
        (value,), (gradient,) = evaluate(x[None])
        return (-value, -gradient) if np.isfinite(value) else (np.inf, np.zeros_like(x))

    box = np.column_stack([start - _REACH, start + _REACH])
    found = minimize(
        descent, start, jac=True, method="L-BFGS-B", bounds=box, options={"maxfun": _CLIMB}
    )
    return np.asarray(found.x)


def _start(evaluate: Evaluator, start: FloatArray, points: FloatArray) -> _State:
    """Return a normal around a point: as wide as its absolute curvature says, within limits."""
    for width in _WIDTHS:
        small = _average(evaluate, start, width / 10 * np.eye(len(start)), points)
        if not np.isfinite(small.bound):
            continue
        values, vectors = np.linalg.eigh(small.curvature / (width / 10) ** 2)
        sd = 1 / np.sqrt(np.maximum(np.abs(values), width**-2))
        state = _average(evaluate, start, (vectors * sd) @ vectors.T, points)
        if np.isfinite(state.bound):
            return state
    return small


def _average(
    evaluate: Evaluator, centre: FloatArray, factor: FloatArray, points: FloatArray
) -> _State:
    """Average the density, its gradient and its Hessian over a normal."""
    values, gradients = evaluate(centre + points @ factor.T)
    if not np.isfinite(values).all():
        d = len(centre)
        return _State(centre, factor, -np.inf, np.zeros(d), np.eye(d))
    bound = float(values.mean() + np.linalg.slogdet(factor)[1])
    white = gradients @ factor
    curvature = -white.T @ points / len(points)
    return _State(centre, factor, bound, white.mean(axis=0), (curvature + curvature.T) / 2)


def _cubature(d: int, rotations: int, rng: Generator) -> FloatArray:
    """Return points with mean 0 and covariance I, all of length sqrt(d), in opposite pairs."""
    bases = [np.linalg.qr(rng.standard_normal((d, d)))[0] for _ in range(rotations)]
    half = np.sqrt(d) * np.concatenate(bases)
    return np.concatenate([half, -half])


def residual_score(evaluate: Evaluator, normal: Normal, standard: FloatArray) -> FloatArray:
    """Return the gradient of log p - log q at points in standard coordinates, size x d."""
    _, gradients = evaluate(normal.at(standard))
    return gradients @ normal.factor + standard


def implied_change(
    standard: FloatArray, residual: FloatArray, values: FloatArray
) -> tuple[float, float]:
    """Return by how much the residual score would change the mean and the sd of a quantity.

    Parameters
    ----------
    standard : array, draws x d
        Standard coordinates of the draws.
    residual : array, points x d
        Residual scores of the first draws.
    values : array, draws
        The quantity of each draw.

    Returns
    -------
    tuple of float
        Both as a share of the sd.
    """
    apart = values - values.mean()
    variance = float(np.square(apart).mean())
    if variance == 0:
        return 0.0, 0.0
    share, mean, spread = _along(standard, residual, apart / np.sqrt(variance))
    # The variance changes along the direction of the quantity, and along that of its square.
    square, more, _ = _along(standard, residual, np.square(apart) / variance - 1)
    ratio = 1 + share * (spread - 1) + np.sqrt(square) * more
    return float(np.sqrt(share) * mean), float(np.sqrt(max(ratio, 0.0)) - 1)


def _along(
    standard: FloatArray, residual: FloatArray, values: FloatArray
) -> tuple[float, float, float]:
    r"""Return what the residual score implies along the direction in which a quantity varies most.

    Let u be that direction in the standard coordinates z (the regression of the quantity, with mean
    0, on z), :math:`t = u'z` and h the residual score along u. With :math:`h \approx a_0 + a_1 t +
    a_2 (t^2 - 1)`, the density of t is proportional to the standard normal density times
    :math:`\exp(a_0 t + a_1 t^2 / 2 + a_2 (t^3 / 3 - t))` instead of the standard normal density.
    The result is the variance of the quantity that t explains, and mean and variance of t.
    """
    slope = standard.T @ values / len(values)
    length = float(np.linalg.norm(slope))
    direction = slope / length
    t, h = standard[: len(residual)] @ direction, residual @ direction
    terms = np.column_stack([np.ones_like(t), t, np.square(t) - 1])
    a = np.linalg.lstsq(terms, h, rcond=None)[0]
    grid = np.linspace(-4, 4, 161)
    log_ratio = a[0] * grid + a[1] * grid**2 / 2 + a[2] * (grid**3 / 3 - grid)
    log_weight = log_ratio - grid**2 / 2
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    mean = float(weight @ grid)
    # Of the regression, noise alone would give this much.
    by_chance = np.square(values).mean() * len(slope) / len(values)
    explained = max(length**2 - float(by_chance), 0.0)
    return explained, mean, float(weight @ np.square(grid)) - mean**2
