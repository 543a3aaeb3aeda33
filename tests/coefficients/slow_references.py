"""The obvious way to compute every coefficient, one loop per sum, all orders of ties tried."""

from __future__ import annotations

from itertools import permutations, product
from statistics import mean


def orders(observed):
    """All orders of the systems, best first, that agree with the observed means."""
    groups = [
        [i for i, value in enumerate(observed) if value == level]
        for level in sorted(set(observed), reverse=True)
    ]
    for choice in product(*(permutations(group) for group in groups)):
        yield [i for group in choice for i in group]


def swapped(truth, observed, j, i, strict):
    """Is system i, placed below j, truly better? Strictly: only if j was observed as better."""
    return truth[i] > truth[j] and not (strict and observed[i] == observed[j])


def tau(truth, observed, strict=False):
    m = len(truth)

    def one(order):
        pairs = [
            swapped(truth, observed, order[q], order[p], strict) for p in range(m) for q in range(p)
        ]
        return 1 - 2 * mean(pairs)

    return mean(one(order) for order in orders(observed))


def tau_ap(truth, observed, strict=False):
    m = len(truth)

    def one(order):
        shares = [
            mean(swapped(truth, observed, order[q], order[p], strict) for q in range(p))
            for p in range(1, m)
        ]
        return 1 - 2 * mean(shares)

    return mean(one(order) for order in orders(observed))


def tau_gap(truth, observed, strict=False):
    m = len(truth)

    def one(order):
        shares = []
        for p in range(1, m):
            i, above = order[p], order[:p]
            gaps = sum(abs(truth[j] - truth[i]) for j in above)
            wrong = sum(
                abs(truth[j] - truth[i]) for j in above if swapped(truth, observed, j, i, strict)
            )
            shares.append(wrong / gaps if gaps > 0 else 0.0)
        return 1 - 2 * mean(shares)

    return mean(one(order) for order in orders(observed))


def tau_ap_b(truth, observed):
    return (_tau_ap_b_of(truth, observed) + _tau_ap_b_of(observed, truth)) / 2


def _tau_ap_b_of(truth, observed):
    shares = []
    for i in range(len(truth)):
        above = [j for j in range(len(truth)) if observed[j] > observed[i]]
        if above:
            shares.append(mean(truth[j] > truth[i] for j in above))
    return 2 * mean(shares) - 1


def top(values, k):
    """The systems that reach the k-th highest value."""
    border = sorted(values, reverse=True)[k - 1]
    return [i for i, value in enumerate(values) if value >= border]


def tau_at_k(truth, observed, k):
    inside = top(truth, k)
    return tau([truth[i] for i in inside], [observed[i] for i in inside])


def overlap_at_k(truth, observed, k):
    inside = top(truth, k)
    return mean(sum(i in inside for i in order[:k]) / k for order in orders(observed))


def rbo(truth, observed, p=0.9):
    m = len(truth)
    overlaps = [overlap_at_k(truth, observed, d) for d in range(1, m + 1)]
    return p**m + (1 - p) * sum(p**d * overlap for d, overlap in enumerate(overlaps))


def max_drop(truth, observed):
    m = len(truth)
    last = [sum(truth[j] >= truth[i] for j in range(m)) for i in range(m)]
    rank = [mean(order.index(i) + 1 for order in orders(observed)) for i in range(m)]
    return max(0, *(rank[i] - last[i] for i in range(m)))
