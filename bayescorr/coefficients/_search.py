# mypy: disable-error-code="untyped-decorator"
"""Compiled searches: which systems to leave out of a set, and which draws to keep."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def most_left_out(
    rows: np.ndarray, start: np.ndarray, weights: np.ndarray, budget: int, most: int
) -> tuple[np.ndarray, int, bool]:
    """Choose as many candidates as possible that together touch rows of at most ``budget`` weight.

    Candidate c touches ``rows[start[c]:start[c + 1]]``. Candidates come with the cheapest first. Of
    choices of the same size the cheapest wins, and the first one found among equals. Return the
    choice, its cost, and whether no better one exists; the search ends after ``most`` steps.

    Bound: a row touched by s candidates costs each of them 1/s of its weight, which never counts
    a row of a choice more than once.
    """
    n = len(start) - 1
    size = np.zeros(len(weights))
    for row in rows:
        size[row] += 1.0
    touched = np.zeros(len(weights), np.int64)
    # 0: not yet decided, 1: left out, 2: kept.
    state = np.zeros(n, np.int64)
    chosen = np.zeros(n, np.bool_)
    most_chosen = -1
    least_cost = 0
    shares = np.empty(n)
    count = 0
    cost = 0
    p = 0
    steps = 0
    while p >= 0:
        if p == n:
            if count > most_chosen or (count == most_chosen and cost < least_cost):
                most_chosen = count
                least_cost = cost
                for c in range(n):
                    chosen[c] = state[c] == 1
            p -= 1
        elif state[p] == 0:
            steps += 1
            if steps > most and most_chosen >= 0:
                return chosen, least_cost, False
            # What each remaining candidate costs at least, the cheapest first.
            for c in range(p, n):
                share = 0.0
                for t in range(start[c], start[c + 1]):
                    if touched[rows[t]] == 0:
                        share += weights[rows[t]] / size[rows[t]]
                q = c - p
                while q > 0 and shares[q - 1] > share:
                    shares[q] = shares[q - 1]
                    q -= 1
                shares[q] = share
            more = 0
            total = 0.0
            least = cost + 0.0
            for q in range(n - p):
                total += shares[q]
                if cost + total > budget + 1e-6:
                    break
                more += 1
                if count + more <= most_chosen:
                    least = cost + total
            if count + more < most_chosen or (
                count + more == most_chosen and least > least_cost - 1 + 1e-6
            ):
                p -= 1
                continue
            extra = 0
            for t in range(start[p], start[p + 1]):
                if touched[rows[t]] == 0:
                    extra += weights[rows[t]]
            if cost + extra <= budget:
                state[p] = 1
                count += 1
                cost += extra
                for t in range(start[p], start[p + 1]):
                    touched[rows[t]] += 1
            else:
                state[p] = 2
            p += 1
        elif state[p] == 1:
            count -= 1
            extra = 0
            for t in range(start[p], start[p + 1]):
                touched[rows[t]] -= 1
                if touched[rows[t]] == 0:
                    extra += weights[rows[t]]
            cost -= extra
            # Keeping a candidate that costs nothing cannot be better.
            if extra == 0:
                state[p] = 0
                p -= 1
            else:
                state[p] = 2
                p += 1
        else:
            state[p] = 0
            p -= 1
    return chosen, least_cost, True


@njit(cache=True, nogil=True)
def drop_for_agreement(
    draws: np.ndarray, failures: np.ndarray, pairs: np.ndarray, budget: int
) -> tuple[np.ndarray, np.ndarray]:
    """Drop at most ``budget`` draws, so that the others agree on many pairs.

    ``draws`` is draws x systems. ``failures`` (systems x systems) counts the draws that do not put
    row above column and is updated. ``pairs`` (pairs x 2) are those to decide, the ones to prefer
    among equals first. In each step the pair with the fewest failures is decided.

    Return the price of each pair, the number of draws dropped before all others agree on it (-1 if
    they never do), and which draws were kept.
    """
    m = draws.shape[1]
    kept = np.ones(len(draws), np.bool_)
    price = np.where(failures == 0, 0, -1)
    dropped = 0
    while dropped < budget:
        fewest = budget - dropped + 1
        above = 0
        below = 0
        for k in range(len(pairs)):
            found = failures[pairs[k, 0], pairs[k, 1]]
            if 0 < found < fewest:
                fewest = found
                above = pairs[k, 0]
                below = pairs[k, 1]
                if found == 1:
                    break
        if fewest > budget - dropped:
            break
        dropped += fewest
        for d in range(len(draws)):
            if kept[d] and not draws[d, above] > draws[d, below]:
                kept[d] = False
                for i in range(m):
                    mine = draws[d, i]
                    for j in range(m):
                        if not mine > draws[d, j]:
                            failures[i, j] -= 1
                            if failures[i, j] == 0 and i != j:
                                price[i, j] = dropped
    return price, kept


@njit(cache=True, nogil=True)
def first_failures(draws: np.ndarray, price: np.ndarray) -> np.ndarray:
    """Return the lowest price of the pairs that each draw contradicts; -1 if it agrees with all."""
    m = draws.shape[1]
    found = np.full(len(draws), -1)
    for d in range(len(draws)):
        for i in range(m):
            mine = draws[d, i]
            for j in range(m):
                cost = price[i, j]
                if cost >= 0 and not mine > draws[d, j] and (found[d] < 0 or cost < found[d]):
                    found[d] = cost
    return found
