"""Make the embedded demo collection: bayescorr/scores/data/demo.csv.

Run ``python scripts/make_demo_data.py``; the same seed gives the same file. The scores are made up
to look like average precision on an ad hoc collection: skewed, bounded, with zeros, topics that
differ more than systems, families of systems that fail on the same topics, and two runs that are
nearly the same.

On a latent scale, the score of system s of family f on topic t is
    intercept + spread * level[s] + difficulty[t] + taste[f, t] + quirk[s, t],
mapped to (0, 1) and raised to a power, so that difficult topics crowd at 0. A system finds nothing
at all where an exponential threshold is not reached. As the latent levels are known, so is the true
ranking of such systems.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

SEED = 20160717
OUTPUT = Path(__file__).resolve().parents[1] / "bayescorr" / "scores" / "data" / "demo.csv"
FIRST_TOPIC, TOPICS = 401, 50

# Families of systems, each system with its latent level.
FAMILIES = {
    "lexical": {
        "bm25": -0.10, "bm25-b0.4": -0.04, "bm25-stop": -0.16, "bm25-title": -0.24,
        "tfidf": -0.52, "tfidf-cos": -0.66, "bool-and": -1.30,
    },
    "language model": {
        "ql-dirichlet": -0.12, "ql-jm": -0.30, "ql-sdm": 0.02, "ql-fdm": 0.05, "ql-title": -0.36,
    },
    "divergence": {"dph": -0.06, "pl2": -0.14, "inl2": -0.20, "lgd": -0.26},
    "feedback": {
        "bm25-rm3": 0.16, "bm25-rm3-20docs": 0.16, "ql-rm1": 0.04, "ql-rm3": 0.12, "dph-bo1": 0.19,
        "dph-kl": 0.15,
    },
    "dense": {"dense-small": -0.40, "dense-base": 0.00, "dense-late": 0.26, "sparse-learned": 0.30},
    "combined": {"fuse-lex": 0.10, "fuse-all": 0.36, "rerank-base": 0.34, "rerank-large": 0.50},
}  # fmt: skip
TWINS = ("bm25-rm3", "bm25-rm3-20docs")

SPREAD, DIFFICULTY, TASTE, QUIRK = 1.2, 1.0, 0.5, 0.6
INTERCEPT, POWER, NOTHING_FOUND = -0.5, 1.8, 0.012


def make_scores(random_seed: int = SEED, topics: int = TOPICS) -> pd.DataFrame:
    rng = np.random.default_rng(random_seed)
    difficulty = DIFFICULTY * rng.standard_normal(topics)
    columns = {}
    for systems in FAMILIES.values():
        taste = TASTE * rng.standard_normal(topics)
        for name, level in systems.items():
            latent = (
                INTERCEPT
                + SPREAD * level
                + difficulty
                + taste
                + QUIRK * rng.standard_normal(topics)
            )
            scores = (1 / (1 + np.exp(-latent))) ** POWER
            scores[scores < NOTHING_FOUND * rng.standard_exponential(topics)] = 0.0
            columns[name] = scores
    original, twin = TWINS
    changed = rng.random(topics) < 0.3
    shift = 1 + 0.02 * rng.standard_normal(topics)
    columns[twin] = np.where(changed, np.minimum(columns[original] * shift, 1), columns[original])
    index = pd.Index([str(FIRST_TOPIC + i) for i in range(topics)], name="topic")
    return pd.DataFrame(columns, index=index).round(4)


def make_csv() -> str:
    return make_scores().to_csv(float_format="%.4f", lineterminator="\n")


if __name__ == "__main__":
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(make_csv(), encoding="utf-8")
    print(f"{OUTPUT.name}: {len(make_scores())} topics written")
