"""The coefficients of vectors already paired up: checks of their own, then kernels."""

from __future__ import annotations

import math

import numpy as np

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._pairs import Pairs, tied_groups
from bayescorr.errors import CoefficientError


def expected(pairs: Pairs, strict: bool, gaps: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compute tau, tau_ap and (if ``gaps``) tau_gap, expected over observed ties, in one pass."""
    from bayescorr.coefficients import _kernels

    order, first = pairs.observed_groups
    nodes = weights = np.empty(0)
    if gaps:
        largest = int((np.arange(pairs.systems) - first).max()) + 1
        if largest > _kernels.LARGEST_ENUMERATED:
            nodes, weights = np.polynomial.legendre.leggauss(_nodes(largest))
            nodes, weights = (nodes + 1) / 2, weights / 2
    settings = (strict, gaps, nodes, weights)
    out = pairs.run(_kernels.expected, pairs.truth, order, first, *settings, columns=3)
    return pairs.shaped(out[:, 0]), pairs.shaped(out[:, 1]), pairs.shaped(out[:, 2])


def _nodes(largest: int) -> int:
    # Half the size of the group is exact; so many are enough for 14 digits (checked up to 400).
    return min((largest + 1) // 2, math.ceil(3.2 * math.sqrt(largest)))


def tau(pairs: Pairs, strict: bool = False) -> FloatArray:
    """Kendall's tau, expected over observed ties."""
    return expected(pairs, strict, gaps=False)[0]


def tau_ap(pairs: Pairs, strict: bool = False) -> FloatArray:
    """AP correlation, expected over observed ties."""
    return expected(pairs, strict, gaps=False)[1]


def tau_gap(pairs: Pairs, strict: bool = False) -> FloatArray:
    """Gap-sensitive correlation, expected over observed ties."""
    return expected(pairs, strict, gaps=True)[2]


def tau_a(pairs: Pairs) -> FloatArray:
    """Kendall's tau for a truth without ties."""
    _refuse_true_ties(pairs, "tau_a", "tau or tau_b")
    return tau(pairs)


def tau_ap_a(pairs: Pairs) -> FloatArray:
    """AP correlation for a truth without ties."""
    _refuse_true_ties(pairs, "tau_ap_a", "tau_ap or tau_ap_b")
    return tau_ap(pairs)


def tau_b(pairs: Pairs) -> FloatArray:
    """Kendall's tau corrected for ties on both sides."""
    from bayescorr.coefficients import _kernels

    _refuse_constant(pairs, "tau_b")
    out = pairs.run(_kernels.signs, pairs.truth, pairs.observed, columns=3)
    everything = pairs.systems * (pairs.systems - 1) / 2
    untied = np.sqrt(everything - out[:, 1]) * np.sqrt(everything - out[:, 2])
    return pairs.shaped(out[:, 0] / untied)


def tau_ap_b(pairs: Pairs) -> FloatArray:
    """Symmetric AP correlation with ties on both sides."""
    from bayescorr.coefficients import _kernels

    _refuse_constant(pairs, "tau_ap_b")
    forward = pairs.run(_kernels.above_groups, pairs.truth, *pairs.observed_groups, columns=1)
    turned = Pairs(pairs.observed, pairs.truth, pairs.observed_row, pairs.truth_row, pairs.shape)
    back = turned.run(_kernels.above_groups, turned.truth, *turned.observed_groups, columns=1)
    return pairs.shaped(forward[:, 0] + back[:, 0] - 1)


def pearson(pairs: Pairs) -> FloatArray:
    """Pearson's correlation."""
    _refuse_constant(pairs, "pearson")
    x, y = _standardised(pairs.truth), _standardised(pairs.observed)
    return pairs.shaped(np.einsum("ij,ij->i", x[pairs.truth_row], y[pairs.observed_row]))


def spearman(pairs: Pairs) -> FloatArray:
    """Pearson's correlation of the ranks."""
    from scipy.stats import rankdata

    _refuse_constant(pairs, "spearman")
    x, y = rankdata(pairs.truth, axis=1), rankdata(pairs.observed, axis=1)
    return pearson(Pairs(x, y, pairs.truth_row, pairs.observed_row, pairs.shape))


def _standardised(values: FloatArray) -> FloatArray:
    # Divided by the largest deviation first, so that squares of tiny ones do not vanish.
    deviations = values - values.mean(axis=1, keepdims=True)
    deviations /= np.abs(deviations).max(axis=1, keepdims=True)
    scaled: FloatArray = deviations / np.linalg.norm(deviations, axis=1, keepdims=True)
    return scaled


def _refuse_constant(pairs: Pairs, name: str) -> None:
    for values, what in ((pairs.truth, "truth"), (pairs.observed, "observed means")):
        constant = int((values == values[:, :1]).all(axis=1).sum())
        if constant:
            raise CoefficientError(
                f"{name} is undefined when all systems tie: the {what} are all equal"
                + (f" in {constant} of {len(values)} vectors." if len(values) > 1 else "."),
                "Use tau, tau_ap or tau_gap, which are defined for any ties, or leave these out.",
            )


def _refuse_true_ties(pairs: Pairs, name: str, instead: str) -> None:
    _, first = tied_groups(pairs.truth)
    tied = int((first != np.arange(pairs.systems)).any(axis=1).sum())
    if tied:
        raise CoefficientError(
            f"{name} takes a truth without ties: "
            + (f"{tied} of {len(first)} truths have ties." if len(first) > 1 else "it has ties."),
            f"Use {instead}, which allow them.",
        )
