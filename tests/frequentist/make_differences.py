"""Write the differences that bandwidths.R gives to R: python make_differences.py > differences.txt.

Each line is the name of a case, then its differences. Those of the demo collection are real
per-topic differences; the others are of the same kinds: normal, skewed, with many zeros, on a grid.
The lines of TREC matrices, if at hand, name the matrix and the two columns.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import bayescorr as bc

TREC = (
    ("adhoc5_ap", 3, 50), ("adhoc6_ap", 0, 70), ("adhoc6_ap", 11, 12), ("adhoc7_ap", 20, 40),
    ("adhoc8_ap", 5, 100), ("web2010_ap", 8, 60), ("web2011_ap", 1, 33), ("web2011_p10", 2, 45),
)  # fmt: skip


def cases():
    rng = np.random.default_rng(20160717)
    for n in (2, 3, 5, 10, 20, 50, 100, 250):
        yield f"normal-{n}", rng.normal(0.02, 0.2, n)
        yield f"skewed-{n}", rng.beta(1, 4, n) - rng.beta(1, 5, n)
        if n >= 10:
            zeros = rng.random(n) < 0.3
            yield f"zeros-{n}", np.where(zeros, 0.0, rng.beta(1, 3, n) - rng.beta(1, 3, n))
            yield f"grid-{n}", rng.integers(-3, 6, n) / 8
            yield f"outlier-{n}", np.r_[rng.normal(0, 0.01, n - 1), 0.9]
    demo = bc.load_dataset("demo").to_numpy()
    for i, j in ((0, 1), (0, 29), (4, 17), (10, 11), (13, 22), (7, 8)):
        yield f"demo-{i}-{j}", demo[:, i] - demo[:, j]


def main(folder: Path) -> None:
    for name, differences in cases():
        print(name, *(repr(float(x)) for x in differences))
    for name, i, j in TREC:
        values = pd.read_csv(folder / "trec" / f"{name}.csv").to_numpy()
        print(f"{name}-{i}-{j}", *(repr(float(x)) for x in values[:, i] - values[:, j]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
