"""Speed of inferring average precision: a run of 1,000 topics with 1,000 documents each.

The baseline is a plain Python loop over the documents. Both start from joined scores and judgments,
or from tables of text labels, where looking up documents by name takes most of the time.
"""

from __future__ import annotations

from math import exp, lgamma, log
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

import bayescorr as bc
from bayescorr.scoredist.families import get_family
from bayescorr.scoredist.infer import fit_topics, infer_topics
from bayescorr.scoredist.judged import judge_run

TOPICS = DOCUMENTS = 1000


@pytest.fixture(scope="module")
def tables():
    """A run and its qrels, scores drawn from known gammas."""
    rng = np.random.default_rng(1)
    relevant = rng.random((TOPICS, DOCUMENTS)) < 0.03
    shape = np.where(relevant, 8.0, 3.0)
    scores = rng.gamma(shape)
    order = np.argsort(-scores, axis=1)
    scores, relevant = (np.take_along_axis(x, order, axis=1).ravel() for x in (scores, relevant))
    topics = np.repeat([f"{t + 301}" for t in range(TOPICS)], DOCUMENTS)
    names = np.array([f"FT{i:07d}" for i in range(50_000)])
    chosen = [rng.choice(len(names), DOCUMENTS, replace=False) for _ in range(TOPICS)]
    documents = names[np.concatenate(chosen)]
    ranks = np.tile(np.arange(1, DOCUMENTS + 1), TOPICS)
    run = pd.DataFrame({"topic": topics, "doc": documents, "rank": ranks, "score": scores})
    good = {"topic": topics[relevant], "doc": documents[relevant], "relevance": 1}
    return run, pd.DataFrame(good)


def read_in_python(run, qrels):
    good: dict[str, set[str]] = {}
    for topic, document in zip(qrels["topic"].tolist(), qrels["doc"].tolist(), strict=True):
        good.setdefault(topic, set()).add(document)
    ranked: dict[str, list[tuple[float, bool]]] = {}
    columns = (run[name].tolist() for name in ("topic", "doc", "score"))
    for topic, document, score in zip(*columns, strict=True):
        ranked.setdefault(topic, []).append((score, document in good[topic]))
    return ranked


def infer_in_python(ranked, method, points=64):
    """Actual and inferred average precision of every topic, a document at a time."""
    found = {}
    for topic, documents in ranked.items():
        count, total = [0, 0], [0.0, 0.0]
        actual = 0.0
        for rank, (score, relevant) in enumerate(documents, 1):
            count[relevant] += 1
            total[relevant] += score
            if relevant:
                actual += count[1] / rank
        mean0, mean1 = total[0] / count[0], total[1] / count[1]
        variance = 0.0
        for score, relevant in documents:
            if not relevant:
                variance += (score - mean0) ** 2
        scale = variance / count[0] / mean0
        k1, k0, mixing = mean1 / scale, mean0 / scale, count[1] / len(documents)
        c1, c0 = (lgamma(k) + k * log(scale) for k in (k1, k0))
        inferred = before = recall = fallout = precision = 0.0
        if method == "expected":
            for rank, (score, _) in enumerate(documents, 1):
                good = mixing * exp((k1 - 1) * log(score) - score / scale - c1)
                bad = (1 - mixing) * exp((k0 - 1) * log(score) - score / scale - c0)
                p = good / (good + bad)
                inferred += p / rank * (1 + before)
                before += p
            inferred /= before
        else:
            width = 2 * documents[0][0] / points
            for i in range(points - 1, 0, -1):
                score, last = i * width, (recall, precision)
                recall += exp((k1 - 1) * log(score) - score / scale - c1) * width
                fallout += exp((k0 - 1) * log(score) - score / scale - c0) * width
                precision = mixing * recall / (mixing * recall + (1 - mixing) * fallout)
                if i < points - 1:
                    inferred += (recall - last[0]) * (precision + last[1]) / 2
        found[topic] = actual / count[1], inferred
    return found


def seconds(function, repeat):
    """Return the shortest time of several runs, which other work on the machine disturbs least."""
    times = []
    for _ in range(repeat):
        start = perf_counter()
        result = function()
        times.append(perf_counter() - start)
    return min(times), result


@pytest.mark.parametrize("method", ["aupr", "expected"])
@pytest.mark.benchmark(group="1,000 topics x 1,000 documents")
def test_from_scores_and_relevance(benchmark, tables, method):
    judged = judge_run(*tables, get_family("gamma"))
    ranked = read_in_python(*tables)

    def infer():
        model, used = fit_topics(judged, "gamma", True, "moments")
        return judged.average_precision(), infer_topics(model, judged, used, method, 64)

    actual, inferred = infer()
    slow, peer = seconds(lambda: infer_in_python(ranked, method), 3)
    np.testing.assert_allclose(np.array(list(peer.values())), np.c_[actual, inferred], rtol=1e-9)
    benchmark.pedantic(infer, rounds=30)
    benchmark.extra_info["times as fast as a Python loop"] = slow / benchmark.stats["min"]
    assert slow / benchmark.stats["min"] >= 50


@pytest.mark.parametrize("method", ["aupr", "expected"])
@pytest.mark.benchmark(group="1,000 topics x 1,000 documents")
def test_from_tables(benchmark, tables, method):
    def infer():
        return bc.infer_ap(*tables, method=method)

    table = infer()
    slow, peer = seconds(lambda: infer_in_python(read_in_python(*tables), method), 2)
    np.testing.assert_allclose(
        np.array([peer[topic] for topic in table.index]),
        table[["actual", "inferred"]],
        rtol=1e-9,
    )
    benchmark.pedantic(infer, rounds=5)
    benchmark.extra_info["times as fast as a Python loop"] = slow / benchmark.stats["min"]
    assert slow / benchmark.stats["min"] > 1
    assert benchmark.stats["min"] < 2
