# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Bayesian against frequentist
#
# Which method should you trust? This notebook applies each of them to collections with a known truth. The collections are simulated after TREC 6, 7 and 8 ad hoc (average
# precision, best 75% of the systems, simulator of Urbano 2016) with 10, 20, 50 and 100 topics. Every method sees the same collections, so differences
# between methods are known much more precisely than the errors themselves.
#
# - **Frequentist**: ML, MSQD, RES and KD (Urbano & Marrero 2016), with intervals from joint draws of the differences.
# - **Bayesian**: `flat` (no prior), `bootstrap-shrunk` (no assumed distribution, a prior worth 20/3 topics on which all systems tie) and `matrix-t` (the
#   default: correlated systems, a prior worth four topics; here by its Laplace approximation).
#
# If you are new to Bayesian methods: a posterior is a set of, say, 4,000 versions of the truth, all equally plausible given the scores. Compute τ between each version and the
# observed ranking. The mean of these values is the estimate, and the middle 90% of them are the interval.
#
# The study is `bayescorr study run posterior-vs-frequentist --out DIR`. This notebook reads its stored summary. If that is missing, the notebook runs a very
# small study without compiled models and says so.

# %%
import os
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import bayescorr

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
stored = Path("../docs/validation/studies/posterior-vs-frequentist")
if (stored / "summary.csv").exists():
    summary, intervals, paired = (
        # NUTS saw only some of the collections, to check the Laplace approximation.
        pd.read_csv(stored / f"{name}.csv").query(
            "n_topics in [10, 20, 50, 100] and method != 'bayes:matrix-t-nuts'"
        )
        for name in ("summary", "intervals", "paired-MSQD")
    )
    cells = summary.groupby(["source", "n_topics"])["collections"].first()
    print(
        f"The stored study: {cells.sum()} simulated collections, {cells.min()} to {cells.max()} per collection and size."
    )
else:
    study = bayescorr.Study(
        name="very-small",
        sources=[{"name": "demo", "drop_worst": 0.25}],
        simulators=["effects"],
        topics=[10, 20],
        trials=5 if small else 100,
        methods=["ML", "MSQD", "RES", "KD", "bayes:flat", "bayes:bootstrap-shrunk"],
        coefficients=["tau", "tau_ap", "tau_gap"],
        levels=[0.5, 0.8, 0.9, 0.95],
        seed=1,
    )
    with tempfile.TemporaryDirectory() as folder:
        results = bayescorr.run_study(study, Path(folder) / "study", workers=1)
    summary, intervals = (
        bayescorr.summarise(results),
        bayescorr.summarise_intervals(results),
    )
    paired = bayescorr.paired_differences(results, "MSQD")
    print(
        "No stored study: a very small one on the embedded collection, without the default model."
    )
methods = list(summary["method"].unique())
sizes = sorted(summary["n_topics"].unique())


def averaged(table, value, keys=("method", "coefficient", "n_topics")):
    """Mean over collections, and its standard error, as text."""
    groups = table.groupby(list(keys), sort=False)
    mean, se = (
        groups[value].mean(),
        groups[f"{value}_se"].agg(lambda x: np.sqrt((x**2).sum()) / len(x)),
    )
    text = (
        mean.map("{:+.3f}".format if value in ("bias", "difference") else "{:.3f}".format)
        + " ± "
        + se.map("{:.3f}".format)
    )
    return text.unstack("n_topics")


# %% [markdown]
# ## Error: mean |estimate − actual|
#
# The number after ± is a standard error.

# %%
pd.set_option("display.width", 140)
averaged(summary[summary["coefficient"] == "tau"], "error")

# %% [markdown]
# All errors are similar. This is not a failure of the methods. A ranking that happens to be close to the truth looks like one that is not, so no method can
# tell them apart well ([the floor](../docs/explanation/intervals.md#the-floor)). The fair comparison is the paired difference from MSQD on the same collections. Below zero, the
# method is better than MSQD.

# %%
error = paired[(paired["measure"] == "error") & (paired["coefficient"] == "tau")]
averaged(error, "difference")

# %% [markdown]
# ## Bias: mean (estimate − actual)

# %%
averaged(
    summary[summary["coefficient"].isin(["tau", "tau_ap"])],
    "bias",
    ("coefficient", "method", "n_topics"),
)

# %%
fig, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", sharey=True)
for ax, coefficient in zip(axes, ("tau", "tau_ap")):
    part = (
        summary[summary["coefficient"] == coefficient]
        .groupby(["method", "n_topics"], sort=False)["bias"]
        .mean()
        .unstack(0)
    )
    for k, method in enumerate(methods):
        bayes = method.startswith("bayes:")
        ax.plot(
            part.index,
            part[method],
            "s-" if bayes else "o--",
            ms=4,
            lw=1.6 if bayes else 1,
            color=f"C{k}",
            label=method,
        )
    ax.axhline(0, color="0.6", lw=0.8)
    ax.set(
        title=coefficient,
        xlabel="topics",
        ylabel="bias",
        xscale="log",
        xticks=sizes,
        xticklabels=sizes,
    )
    ax.minorticks_off()
axes[1].legend(frameon=False, fontsize="small");
# %% [markdown]
# ML, RES, KD and `flat` take observed differences at face value. Observed differences include the luck that produced this ranking, so these methods are too
# optimistic, most of all with few topics. A prior that expects smaller true differences removes the bias. The default's estimates of τ are nearly unbiased at every
# size; those of τ_AP are a little low at 20 and 50 topics. MSQD achieves the same in another way: its standard deviation is too
# large by an amount that is [worth about three topics](../docs/explanation/msqd-and-posterior.md) of prior.
#
# ## Coverage
#
# How often does a 90% interval contain the actual coefficient?

# %%
averaged(
    intervals[(intervals["level"] == 0.9) & (intervals["coefficient"] == "tau")], "coverage"
)

# %%
fig, axes = plt.subplots(
    1,
    len(sizes),
    figsize=(2.7 * len(sizes) + 1.6, 3.3),
    layout="constrained",
    sharey=True,
    squeeze=False,
)
for ax, n in zip(axes[0], sizes):
    part = (
        intervals[(intervals["n_topics"] == n) & (intervals["coefficient"] == "tau")]
        .groupby(["method", "level"], sort=False)["coverage"]
        .mean()
        .unstack(0)
    )
    ax.plot([0, 1], [0, 1], color="0.6", lw=0.8)
    for k, method in enumerate(methods):
        if method in part:
            ax.plot(
                part.index,
                part[method],
                "s-" if method.startswith("bayes:") else "o--",
                ms=4,
                lw=1.2,
                color=f"C{k}",
                label=method,
            )
    ax.set(title=f"{n} topics", xlabel="nominal level", xlim=(0.45, 1), ylim=(0.3, 1.03))
axes[0, 0].set_ylabel("coverage of τ")
fig.legend(
    *axes[0, 0].get_legend_handles_labels(), loc="outside right upper", frameon=False
);
# %% [markdown]
# ## Width and interval score
#
# An interval from 0 to 1 always covers. The interval score (Winkler) adds a penalty for every miss to the width; lower is better. The first table shows the mean width of 90%
# intervals, the second the score.

# %%
ninety = intervals[(intervals["level"] == 0.9) & (intervals["coefficient"] == "tau")]
averaged(ninety, "width")

# %%
averaged(ninety, "score")

# %% [markdown]
# ## tau_gap
#
# It has no closed form in the pairwise probabilities. ML and RES estimate it from joint draws; MSQD and KD cannot.

# %%
gap = summary[summary["coefficient"] == "tau_gap"]
averaged(gap, "bias") if len(gap) else "Not in this study."

# %% [markdown]
# ## Which method wins where
#
# Counted by cell (collection and size): the method with the smallest error, the smallest absolute bias, the best interval score, and the coverage
# closest to 90%.


# %%
def winners(table, value):
    pivot = table[table["coefficient"] == "tau"].pivot_table(
        index=["source", "n_topics"], columns="method", values=value
    )
    return (
        pivot.idxmin(axis=1)
        .groupby("n_topics")
        .agg(
            lambda x: ", ".join(
                f"{name} {count}" for name, count in x.value_counts().items()
            )
        )
    )


nominal = intervals[intervals["level"] == 0.9]
pd.set_option("display.max_colwidth", None)
pd.DataFrame(
    {
        "error": winners(summary, "error"),
        "|bias|": winners(summary.assign(size=summary["bias"].abs()), "size"),
        "interval score": winners(nominal, "score"),
        "|coverage - .9|": winners(
            nominal.assign(off=(nominal["coverage"] - 0.9).abs()), "off"
        ),
    }
)

# %% [markdown]
# ## Cost

# %%
summary[summary["coefficient"] == "tau"].groupby("method", sort=False)[
    "seconds"
].median().rename("median seconds per collection").round(3).to_frame()

# %% [markdown]
# ## Conclusions
#
# - **50 topics or more, and you only need τ**: the choice hardly matters. MSQD is instant and as good as any.
# - **Few topics**: ML, RES, KD and `flat` are too optimistic. The default and MSQD have the smallest bias and error; `bootstrap-shrunk` is
#   in between.
# - **Intervals**: see the tables of coverage and score. A method that covers 99% at a nominal 90% is safe, but wider than necessary.
# - **Anything other than τ and τ_AP** (τ_GAP, ranks, the probability of being the best, plans for more topics) requires draws of the true means, and so a posterior.
# - **Coarse measures** such as P@10 are harder for all methods: see [model comparison](model-comparison.ipynb).
#
# The study does not show how the methods perform if topics are not a random sample, or if scores do not resemble those of TREC ad hoc. The simulator keeps the margins and
# correlations of real scores, but it is a model too.
