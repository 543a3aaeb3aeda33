# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Replicating Cummins 2012
#
# *On the Inference of Average Precision from Score Distributions* (CIKM 2012) fits one distribution to the scores of relevant documents
# and one to those of the others. It infers average precision from the fitted model in two ways: the expected average precision of
# the ranking, **E[ap]** (its eq. 1), and the area under the precision-recall curve of the model, **AuPR** (its eq. 2 and
# Algorithm 1). It finds that AuPR is better, both in correlation with the actual average precision and in error, and that 64 points of
# integration are enough.
#
# The paper used three TREC collections that are not public. This notebook uses the 225 queries of the Cranfield
# collection with the paper's two systems, BM25 and a language model with Jelinek-Mercer smoothing of 0.2. The runs contain all matching documents with
# their raw scores. The notebook looks for `cranfield/` in the folder in `BAYESCORR_DATA` (`qrels.txt`, and `full/` with these two
# runs). If it is missing, the notebook simulates scores from gamma distributions and says so.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import bayescorr
from bayescorr.scores.trec import read_run

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
folder = Path(os.environ.get("BAYESCORR_DATA", "no-data")) / "cranfield"


def simulated_run(shape, rng, topics=80):
    """Simulate a run and its judgments: gamma-distributed scores, higher for relevant documents."""
    rows = []
    for topic in range(topics):
        for number in range(300):
            relevant = number < 8
            score = rng.gamma(shape + 3 * relevant * rng.uniform(0.4, 2), 2.0)
            rows.append((f"q{topic}", f"d{number}", score, int(relevant)))
    table = pd.DataFrame(rows, columns=["topic", "doc", "score", "relevance"])
    return table.sort_values(["topic", "score"], ascending=[True, False])


if (folder / "full").is_dir():
    qrels = folder / "qrels.txt"
    runs = {
        path.name.removesuffix(".gz").removesuffix(".run"): path
        for path in sorted((folder / "full").iterdir())
    }
    print(f"Cranfield: {', '.join(runs)}")
else:
    rng = np.random.default_rng(1)
    tables = {"gamma-3": simulated_run(3.0, rng), "gamma-5": simulated_run(5.0, rng)}
    runs = {name: table.drop(columns="relevance") for name, table in tables.items()}
    qrels = tables["gamma-3"][["topic", "doc", "relevance"]]
    print("Not a replication: the Cranfield runs are not available; scores are simulated.")

# %% [markdown]
# ## One run, one method
#
# Topics with fewer than two relevant or fewer than two other documents among those returned cannot be fitted. They are reported and left out.

# %%
first = next(iter(runs))
table = bayescorr.infer_ap(runs[first], qrels, family="gamma", method="aupr", warn=False)
print(f"{len(table.attrs['left_out'])} topics left out")
table.head(4).round(3)

# %%
bayescorr.plot_inferred(table, title=f"{first}, AuPR with 64 points");
# %% [markdown]
# ## Figures 1 and 2
#
# Kendall's τ and root mean square error between actual and inferred average precision over topics, by number of integration points.
# E[ap] has no integration points, so it is a line.

# %%
points = [4, 16, 64, 256] if small else [4, 8, 16, 32, 64, 128, 256, 512, 1024]
rows, inferred = [], {}
for system, run in runs.items():
    for method, number in [("expected", None), *(("aupr", n) for n in points)]:
        found = bayescorr.infer_ap(
            run, qrels, "gamma", method, points=number or 64, warn=False
        )
        error = bayescorr.inference_error(found)
        rows.append(
            [
                system,
                "gamma",
                method,
                number,
                int(error["topics"]),
                error["tau"],
                error["rmse"],
            ]
        )
        if number in (None, 64):
            inferred[system, method] = found
figures = pd.DataFrame(
    rows, columns=["system", "family", "method", "points", "topics", "tau", "rmse"]
)
figures = figures.astype({"points": "Int64"}).round(4)
figures[figures["points"].isna() | figures["points"].isin([4, 16, 64, 256])]

# %%
fig, axes = plt.subplots(
    2, len(runs), figsize=(9, 6), sharex=True, sharey="row", layout="constrained"
)
for row, (criterion, label) in enumerate(
    {"tau": "Kendall's τ", "rmse": "RMS error"}.items()
):
    for ax, system in zip(axes[row], runs):
        part = figures[figures["system"] == system]
        area = part[part["method"] == "aupr"]
        ax.plot(area["points"].astype(float), area[criterion], "o-", label="AuPR")
        ax.axhline(
            part.loc[part["method"] == "expected", criterion].item(),
            color="C1",
            ls="--",
            label="E[ap]",
        )
        ax.set_xscale("log", base=2)
        ax.set_xticks(points, [str(n) for n in points])
        ax.set(xlabel="points" if row else "", title="" if row else system)
        ax.grid(alpha=0.3)
    axes[row, 0].set_ylabel(f"{label} with actual AP")
axes[0, 0].legend()
plt.show()

# %% [markdown]
# Could the difference be due to the choice of topics? Resampling topics gives a standard error for each difference.

# %%
rng = np.random.default_rng(2012)
rows = []
for system in runs:
    expected, area = inferred[system, "expected"], inferred[system, "aupr"]
    actual = area["actual"].to_numpy()
    both = np.stack([area["inferred"], expected.loc[area.index, "inferred"]])

    def criteria(chosen):
        tau = bayescorr.tau_b(actual[chosen], both[:, chosen])
        return np.array(
            [
                tau[0] - tau[1],
                np.subtract(
                    *np.sqrt(((both[:, chosen] - actual[chosen]) ** 2).mean(axis=1))
                ),
            ]
        )

    n = len(actual)
    draws = np.array(
        [criteria(rng.integers(n, size=n)) for _ in range(50 if small else 400)]
    )
    for name, value, spread in zip(
        ["tau", "rmse"], criteria(np.arange(n)), draws.std(axis=0)
    ):
        rows.append([system, name, value, spread])
differences = pd.DataFrame(
    rows, columns=["system", "criterion", "AuPR minus E[ap]", "standard error"]
).round(4)
differences

# %% [markdown]
# **Agreement.** The paper shows curves and no numbers, so we compare its findings: AuPR beats E[ap] in both
# criteria on both systems, and it reaches its plateau by 64 points. Both hold on Cranfield with the paper's model of two gammas, the first by
# five standard errors or more.

# %%
for system, part in figures.groupby("system"):
    expected = part[part["method"] == "expected"].iloc[0]
    area = part[part["method"] == "aupr"].set_index("points")
    better = (
        area.loc[64, "tau"] > expected["tau"] and area.loc[64, "rmse"] < expected["rmse"]
    )
    moved = (
        (area.loc[64:, ["tau", "rmse"]] - area.loc[64, ["tau", "rmse"]])
        .abs()
        .to_numpy()
        .max()
    )
    print(
        f"{system}: AuPR better in both: {'yes' if better else 'no'}; moves by {moved:.4f} beyond 64 points"
    )

# %% [markdown]
# ## Other families
#
# The paper says that a model of two lognormals gives higher correlation and otherwise similar results. This is not the case here. Which method is better depends on
# the family, and so does the quality of the better one.

# %%
rows = []
for system, run in runs.items():
    for family in ("gamma", "lognormal", "normal", "exponential-normal"):
        for method in ("aupr", "expected"):
            found = bayescorr.inference_error(
                bayescorr.infer_ap(run, qrels, family, method, warn=False)
            )
            rows.append([system, family, method, found["tau"], found["rmse"]])
families = pd.DataFrame(rows, columns=["system", "family", "method", "tau", "rmse"])
families.pivot(index=["system", "family"], columns="method", values=["tau", "rmse"]).round(3)

# %% [markdown]
# With gammas and normals AuPR is better in both criteria, with lognormals in correlation only, and with the exponential-normal model in neither. The gamma
# family is the best on both systems.

# %% [markdown]
# ## Table 1: which models satisfy the convexity hypothesis
#
# The recall-fallout convexity hypothesis says that a higher score never means a lower probability of relevance. The function fits each model and
# follows this probability along the scores.

# %%
bayescorr.table_of_hypotheses()

# %% [markdown]
# This agrees with the paper's Table 1 except for the last row, where the paper exchanges the supports of the exponential-normal model. Its
# text, like the literature, uses the exponential for the non-relevant documents.

# %% [markdown]
# ## From runs to a posterior of τ
#
# Inferred average precision is a score like any other: a table of topics by systems, ready for `fit` and `estimate`. To get more than two
# systems, this section mixes the two runs with weights from 0 to 1 (scores divided by the mean of their topic). How close are the rankings of the mixtures by
# actual and by inferred average precision, each to *its own* true ranking? The model is `bootstrap-shrunk`, which needs no sampling.
# `infer_scores` creates such a table from run files.

# %%
one, two = (
    run if isinstance(run, pd.DataFrame) else read_run(run) for run in runs.values()
)
both = one.merge(two, on=["topic", "doc"], suffixes=("_one", "_two"))
for column in ("score_one", "score_two"):
    both[column] /= both.groupby("topic")[column].transform("mean")
actual, guessed = {}, {}
for weight in np.linspace(0, 1, 5 if small else 11).round(2):
    mixed = both[["topic", "doc"]].assign(
        score=weight * both["score_one"] + (1 - weight) * both["score_two"]
    )
    mixed = mixed.sort_values(["topic", "score"], ascending=[True, False])
    found = bayescorr.infer_ap(mixed, qrels, warn=False)
    actual[f"mix-{weight}"], guessed[f"mix-{weight}"] = found["actual"], found["inferred"]
tables = {"actual AP": pd.DataFrame(actual), "inferred AP": pd.DataFrame(guessed)}
parts = [
    bayescorr.fit(scores, "bootstrap-shrunk", random_seed=1, warn=False, missing="drop")
    .estimates()
    .assign(scores=label)
    for label, scores in tables.items()
]
pd.concat(parts)[["scores", "coefficient", "estimate", "lower", "upper"]].round(3)

# %%
means = pd.DataFrame({label: scores.mean() for label, scores in tables.items()})
print(f"tau between the two observed rankings: {bayescorr.tau(*means.to_numpy().T):.3f}")
means.round(4)

# %% [markdown]
# The two rankings are the same. But the ranking by *inferred* average precision is almost certain, and that by actual average precision is
# not. Inference smooths away the accidental order of single documents, and the rest changes evenly from mixture to
# mixture on every topic. This certainty is about the ranking by a smoother measure, not about the ranking by average precision. An
# interval is always about the scores it was computed from.

# %% [markdown]
# Now 27 real runs, from matching single words to language models, with 100 documents per topic. A run that is cut off misses some relevant documents, so average
# precision is computed over all documents judged relevant: `denominator="judged"`.

# %%
try:
    inferred = bayescorr.infer_scores(folder / "runs", folder / "qrels.txt", denominator="judged")
    actual = bayescorr.score_runs(folder / "runs", folder / "qrels.txt", "AP").loc[inferred.index]
    tables = {"actual AP": actual, "inferred AP": inferred}
    print(f"{inferred.shape[1]} runs, {len(inferred)} topics of which average precision can be inferred for every run")
except bayescorr.BayescorrError as error:
    print(f"The runs are not available: {error.message}\nUsing the mixtures above instead.")
parts = [
    bayescorr.fit(scores, "bootstrap-shrunk" if small else None, random_seed=1, warn=False)
    .estimates()
    .assign(scores=label)
    for label, scores in tables.items()
]
pd.concat(parts)[["scores", "method", "coefficient", "estimate", "lower", "upper"]].round(3)

# %%
means = pd.DataFrame({label: scores.mean() for label, scores in tables.items()})
print(f"tau between the two observed rankings: {bayescorr.tau(*means.to_numpy().T):.3f}")

# %% [markdown]
# These real runs differ in more than a weight. Both rankings are about equally certain, and they nearly agree.
#
# The next cell stores the curves and their table in `docs/validation` for the
# [replication ledger](../docs/reference/generated/replication-ledger.md).

# %%
kept = Path("../docs/validation")
if (folder / "full").is_dir() and not small and kept.is_dir():
    figures.to_csv(kept / "cummins2012.csv", index=False)
    differences.to_csv(kept / "cummins2012-differences.csv", index=False)
    fig.savefig(kept / "cummins2012.png", dpi=100)
