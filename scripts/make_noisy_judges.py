"""Make relevance judgments of three judges with known faults from those of a collection.

    python scripts/make_noisy_judges.py COLLECTION OUT

COLLECTION has ``qrels.txt`` (grades 1-4, 0 is not relevant) and ``runs/``, some of whose names
contain ``stem``. OUT gets, the same for the same seed:

- ``strict.qrels``: only grades 1 and 2 count; 3 and 4 become 0.
- ``noisy.qrels``: 10% of the labels, chosen at random, are flipped between relevant and not.
- ``stemmed.qrels``: a judge who favours the stemmed runs and is shown the documents in the top 10
  of any run. One that only stemmed runs have there becomes relevant with probability 0.3; a
  relevant one that only the others have there becomes not relevant with probability 0.7.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from bayescorr.scores.trec import read_qrels, read_run

SEED = 19
FLIPPED, TAKEN_UP, LET_GO = 0.1, 0.3, 0.7
DEPTH = 10


def strict(qrels: pd.DataFrame) -> pd.DataFrame:
    """Count grades 1 and 2 only."""
    return qrels.assign(relevance=qrels["relevance"].where(qrels["relevance"] <= 2, 0))


def noisy(qrels: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Flip some labels: relevant ones to 0, others to 1."""
    flipped = rng.random(len(qrels)) < FLIPPED
    others = (qrels["relevance"] == 0).astype(int)
    return qrels.assign(relevance=qrels["relevance"].mask(flipped, others))


def stemmed(qrels: pd.DataFrame, runs: list[Path], rng: np.random.Generator) -> pd.DataFrame:
    """Favour documents that only stemmed runs found."""
    keys = ["topic", "doc"]
    found = pd.concat([read_run(path).assign(stem="stem" in path.name) for path in runs])
    shown = found[found["rank"] <= DEPTH]
    by = shown.groupby([*keys, "stem"]).size().unstack(fill_value=0).gt(0)
    pool = qrels[[*keys, "relevance"]].merge(by.reset_index(), on=keys, how="outer")
    pool = pool.fillna({"relevance": 0, True: False, False: False}).sort_values(keys)
    pool = pool.astype({"relevance": int, True: bool, False: bool})
    luck = rng.random(len(pool))
    take_up = pool[True] & ~pool[False] & (pool["relevance"] == 0) & (luck < TAKEN_UP)
    let_go = pool[False] & ~pool[True] & (luck < LET_GO)
    return pool.assign(relevance=pool["relevance"].mask(take_up, 1).mask(let_go, 0))


def write(qrels: pd.DataFrame, path: Path) -> None:
    """Write judgments in TREC format."""
    lines = (f"{row.topic} 0 {row.doc} {row.relevance}" for row in qrels.itertuples())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{path}: {len(qrels)} labels, {(qrels['relevance'] > 0).sum()} relevant")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collection", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(given.seed)
    qrels = read_qrels(given.collection / "qrels.txt")
    runs = sorted((given.collection / "runs").iterdir())
    write(strict(qrels), given.out / "strict.qrels")
    write(noisy(qrels, rng), given.out / "noisy.qrels")
    write(stemmed(qrels, runs, rng), given.out / "stemmed.qrels")


if __name__ == "__main__":
    main()
