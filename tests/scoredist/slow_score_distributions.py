"""Slow, obvious versions of what bayescorr.scoredist computes, straight from the paper's text."""

from __future__ import annotations

from itertools import product
from math import exp, inf, lgamma, log

from scipy import stats

SCIPY = {
    "gamma": lambda shape, scale: stats.gamma(shape, scale=scale),
    "lognormal": lambda mu, sigma: stats.lognorm(sigma, scale=exp(mu)),
    "normal": lambda mu, sigma: stats.norm(mu, sigma),
    "exponential": lambda scale: stats.expon(scale=scale),
    "poisson": lambda rate: stats.poisson(rate),
}


def expected_ap_by_enumeration(probabilities):
    """Mean over all relevance assignments of sum(precision at relevant ranks) / R, R held fixed."""
    fixed = sum(probabilities)
    total = 0.0
    for labels in product([0, 1], repeat=len(probabilities)):
        chance = 1.0
        for p, label in zip(probabilities, labels, strict=True):
            chance *= p if label else 1 - p
        found = gain = 0.0
        for rank, label in enumerate(labels, start=1):
            found += label
            gain += label * found / rank
        total += chance * gain / fixed
    return total


def algorithm_1(top, points, mixing, relevant, nonrelevant):
    """Algorithm 1, line by line; densities are functions of the score that may return infinity."""
    score = 2 * top
    recall = fallout = ap = 0.0
    ds = score / points
    precisions, recalls = [], []
    for i in range(points):
        score = 2 * top - (i + 1) * ds if i < points - 1 else 0.0
        recall += relevant(score, ds) * ds
        fallout += nonrelevant(score, ds) * ds
        returned = mixing * recall + (1 - mixing) * fallout
        precisions.append(mixing * recall / returned if returned > 0 else 0.0)
        recalls.append(recall)
        if i > 0:
            ap += (recalls[i] - recalls[i - 1]) * (precisions[i] + precisions[i - 1]) / 2
    return ap


def gamma_density(shape, scale):
    """Density of a gamma; where it is infinite, the mean density of the rectangle above."""

    def density(s, ds):
        if s > 0:
            return exp((shape - 1) * log(s) - s / scale - lgamma(shape) - shape * log(scale))
        at_zero = inf if shape < 1 else 1 / scale if shape == 1 else 0.0
        return stats.gamma(shape, scale=scale).cdf(ds) / ds if at_zero == inf else at_zero

    return density


def gamma_fit(scores, relevant, shared="scale"):
    """Section 3: method of moments, the scale of the non-relevant scores for both."""
    means, variances = {}, {}
    for kind in (True, False):
        values = [s for s, r in zip(scores, relevant, strict=True) if r == kind]
        means[kind] = sum(values) / len(values)
        variances[kind] = sum((v - means[kind]) ** 2 for v in values) / len(values)
    scale = variances[False] / means[False]
    shape = means[False] / scale
    if shared == "scale":
        return (means[True] / scale, scale), (shape, scale)
    if shared == "shape":
        return (shape, means[True] / shape), (shape, scale)
    own = variances[True] / means[True]
    return (means[True] / own, own), (shape, scale)
