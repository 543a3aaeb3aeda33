# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Replicating Bavdaz 2018
#
# The master's thesis *Toward Rank Correlation as a Measure of Confidence in Information Retrieval Experiment Results* (TU Delft) adds intervals to the estimators of Urbano &
# Marrero 2016. It computes the variance of τ and τ_AP, including the dependence between pairs of systems, and a normal interval from it. It then counts how often
# such intervals contain the actual correlation, on collections simulated from TREC Web 2010 and 2011 with average precision and P@10, by the copula simulator of
# Urbano & Nagler 2018, at 20 to 100 topics and five levels.
#
# The study is `bayescorr study run bavdaz-2018 --out DIR --trials 100`. This notebook reads the stored summary (`docs/validation/studies/bavdaz-2018`). If
# that is missing, the notebook runs a very small version of the study and says so. The thesis shows its results as figures, so we compare with what it
# says about them.
#
# Methods named `-thesis` follow the thesis: the variance from 10,000 sampled pairs of pairs, a normal interval, and for split-half the spread over pairs
# of samples. The other methods draw all pairs jointly and use quantile intervals.

# %%
import os
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import bayescorr

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
plt.rcParams["figure.dpi"] = 72
stored = Path("../docs/validation/studies/bavdaz-2018")
if (stored / "intervals.csv").exists():
    summary, intervals = (
        pd.read_csv(stored / f"{name}.csv") for name in ("summary", "intervals")
    )
    cells = summary.groupby(["source", "n_topics"])["collections"].first()
    print(
        f"The stored study: {cells.sum()} simulated collections, {cells.min()} to {cells.max()} per collection and size."
    )
else:
    with tempfile.TemporaryDirectory() as folder:
        study = bayescorr.load_study("bavdaz-2018").smoke_size()
        results = bayescorr.run_study(study, Path(folder) / "study", workers=1)
    summary, intervals = (
        bayescorr.summarise(results),
        bayescorr.summarise_intervals(results),
    )
    print(
        "Not a replication: no stored study; two collections simulated from the embedded one."
    )
thesis = ["ML-thesis", "MSQD-thesis", "RES-thesis", "SH-thesis"]
ours = [name for name in ("ML", "MSQD", "RES", "KD") if name in set(summary["method"])]

# %% [markdown]
# ## Figures 5.1 and 5.2: error and bias

# %%
summary["measure"] = np.where(summary["source"].str.contains("p10"), "P@10", "AP")
table = (
    summary[summary["method"].isin(thesis)]
    .groupby(["coefficient", "measure", "method", "n_topics"])[["error", "bias"]]
    .mean()
)
table.unstack("n_topics").round(3)

# %% [markdown]
# The thesis says of these figures: split-half always has a high error and a large negative bias. The others are similar, with errors of .02-.03 for τ and .03-.04 for
# τ_AP at 50 topics. RES has the highest bias, and it is positive.

# %%
near = summary[summary["method"].isin(thesis[:3]) & summary["n_topics"].isin([40, 60])]
print("error of ML, MSQD and RES, mean of 40 and 60 topics:")
print(
    near.groupby(["coefficient", "measure"])["error"].mean().round(4).to_string()
    if len(near)
    else "not in this study"
)
half = summary[summary["method"] == "SH-thesis"]
print(f"bias of split-half: {half['bias'].min():+.3f} to {half['bias'].max():+.3f}")
most = summary[summary["method"].isin(thesis[:3])].pivot_table(
    index=["source", "n_topics", "coefficient"], columns="method", values="bias"
)
print(
    f"RES has the highest bias of the three in {(most.idxmax(axis=1) == 'RES-thesis').mean():.0%} of the cells"
)

# %% [markdown]
# ## Figures 5.4 to 5.7: coverage
#
# Dashed lines are the nominal levels.


# %%
def draw(coefficient, methods):
    sources = intervals["source"].unique()
    fig, axes = plt.subplots(
        len(sources),
        len(methods),
        figsize=(2.5 * len(methods) + 1, 2.1 * len(sources) + 0.6),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for i, (row, source) in enumerate(zip(axes, sources)):
        for ax, method in zip(row, methods):
            part = intervals[
                (intervals["source"] == source)
                & (intervals["method"] == method)
                & (intervals["coefficient"] == coefficient)
            ]
            for k, (level, line) in enumerate(part.groupby("level")):
                ax.plot(
                    line["n_topics"],
                    line["coverage"],
                    "o-",
                    ms=3,
                    lw=1,
                    color=f"C{k}",
                    label=f"{level:g}",
                )
                ax.axhline(level, color=f"C{k}", ls="--", lw=0.8)
            ax.set_title(method if i == 0 else "", fontsize=10)
        row[0].set_ylabel(source)
    for ax in axes[-1]:
        ax.set_xlabel("topics")
    fig.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="outside right upper",
        title="level",
        frameon=False,
    )


draw("tau", thesis)

# %%
draw("tau_ap", thesis)

# %% [markdown]
# The thesis says: split-half never comes close to the nominal coverage. The others cover *more* than nominal for levels below 99%. The coverage of ML and MSQD
# falls with more topics, more so for τ; that of RES is more stable. The next table shows coverage minus nominal level, averaged over collections and the levels below .99:

# %%
intervals["excess"] = intervals["coverage"] - intervals["level"]
below = intervals[intervals["level"] < 0.99]
excess = (
    below[below["method"].isin(thesis)]
    .groupby(["coefficient", "method", "n_topics"])["excess"]
    .mean()
)
excess.unstack("n_topics").round(3)

# %% [markdown]
# ## All pairs of pairs instead of a sample
#
# The thesis suspects that its intervals are too wide because only some pairs of pairs enter the variance. With all of them:

# %%
excess = (
    below[below["method"].isin(ours)]
    .groupby(["coefficient", "method", "n_topics"])["excess"]
    .mean()
)
excess.unstack("n_topics").round(3)

# %%
variances = summary.pivot_table(
    index=["coefficient", "n_topics"], columns="method", values="variance"
)
pairs = {name: f"{name}-thesis" for name in ("ML", "MSQD", "RES")}
pd.DataFrame(
    {
        name: variances[name] / variances[other]
        for name, other in pairs.items()
        if name in variances
    }
).round(3)

# %% [markdown]
# The second table is the mean estimated variance from all pairs of pairs, divided by that from sampled ones. For τ the ratio is near 1, so sampling is *not* the reason for the
# wide intervals.
#
# For τ_AP the sampled sums are very noisy. Many are negative and are cut off at 0, which gives an interval without width, while others are too
# large. Such intervals cover much less than their level although their mean variance is too high. The thesis found the opposite, coverage above nominal. Its formula for scaling the
# sampled sum is misprinted, so it may have computed something else. With all pairs of pairs, intervals of τ_AP have about their nominal coverage, except for RES at 20 topics, which is about 11 points too low.
#
# There is another reason for wide intervals. The variance is that of τ over possible truths *given the
# scores*, whereas coverage is counted over samples of topics from one fixed truth. The two need not be the same. See
# [what an interval can promise](../docs/explanation/intervals.md).
#
# ## Figure 5.8: estimated against true variance

# %%
part = summary[summary["method"].isin(thesis[:3])]
fig, axes = plt.subplots(1, 2, figsize=(8.5, 4), layout="constrained")
for ax, coefficient in zip(axes, ("tau", "tau_ap")):
    for k, (method, rows) in enumerate(
        part[part["coefficient"] == coefficient].groupby("method")
    ):
        ax.plot(
            np.sqrt(rows["actual_variance"]),
            np.sqrt(rows["variance"]),
            "os^"[k],
            ms=5,
            alpha=0.8,
            label=method,
        )
    top = 1.05 * np.sqrt(part[["variance", "actual_variance"]].to_numpy().max())
    ax.plot([0, top], [0, top], color="0.6", lw=0.8)
    ax.set(title=coefficient, xlabel="true standard deviation", ylabel="estimated")
axes[0].legend(frameon=False);
# %%
ratio = (
    part.assign(ratio=part["variance"] / part["actual_variance"])
    .groupby(["coefficient", "method"])["ratio"]
    .agg(["mean", "min", "max"])
)
ratio.round(2)

# %% [markdown]
# The thesis says that RES estimates the variance of τ quite accurately, and that the estimate is too high in all other cases.
#
# ## Section 5.4.2: how many pairs of pairs
#
# There are millions of pairs of pairs of systems. The thesis samples them and chooses a number (10,000 to 20,000) beyond which the variance changes little.
# The figure shows the variance from sampled pairs divided by that from all pairs, with its spread over collections and sizes.

# %%
settling = stored.parent / "bavdaz-2018-pairs" / "summary.csv"
if settling.exists():
    table = pd.read_csv(settling)
    cell = ["source", "n_topics", "coefficient"]
    whole = table[~table["method"].str.contains("-")].set_index([*cell, "method"])["variance"]
    some = table[table["method"].str.contains("-")].copy()
    some[["estimator", "pairs"]] = some["method"].str.split("-", expand=True)
    some["pairs"] = some["pairs"].astype(int)
    keys = pd.MultiIndex.from_frame(some[[*cell, "estimator"]])
    some["ratio"] = some["variance"].to_numpy() / whole.reindex(keys).to_numpy()
    groups = some.groupby(["coefficient", "estimator", "pairs"])["ratio"]
    fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    for ax, coefficient in zip(axes, ("tau", "tau_ap")):
        for k, estimator in enumerate(("ML", "MSQD", "RES")):
            mean, sd = groups.mean()[coefficient, estimator], groups.std()[coefficient, estimator]
            ax.errorbar(mean.index * (0.97 + 0.03 * k), mean, sd, fmt="os^"[k] + "-", ms=4, lw=1, label=estimator)
        ax.axhline(1, color="0.6", lw=0.8)
        ax.set(title=coefficient, xlabel="sampled pairs of pairs", xscale="log")
    axes[0].set_ylabel("variance over that of all pairs")
    axes[0].legend(frameon=False)
    print(groups.agg(["mean", "std"]).unstack("estimator").round(3).to_string())
else:
    print("The study bavdaz-2018-pairs is not stored here: bayescorr study run bavdaz-2018-pairs --out DIR --trials 3")

# %% [markdown]
# An error bar is one standard deviation over cells, each a mean of three collections. With few pairs the sampled sum is often negative and cut off at 0, so its mean is too
# high. From about 5,000 pairs on the mean is about right and only the precision improves. At 10,000 pairs the standard deviation is a fifth of the variance for τ, but most of
# the variance for τ_AP, whose weights differ much from pair to pair. Joint draws of all pairs avoid the question and are faster.
#
# The [replication ledger](../docs/reference/generated/replication-ledger.md) lists every claim and whether it agrees. To reproduce:
#
#     bayescorr study run bavdaz-2018 --out DIR --trials 100
#     bayescorr study summary DIR --intervals
#     bayescorr study plot DIR
