# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # How many topics? Planning a new collection
#
# You have scores on a few topics, from a pilot or from last year's track. How many topics does the next collection need so that its ranking is close to the
# true one? A posterior answers this directly. It describes both the true means *and* how scores vary from topic to topic, so we can simulate new
# topic sets and see how well they rank the systems.
#
# The pilot here is 20 topics of TREC 7 ad hoc (average precision, without the worst quarter of the systems, as usual).
# `load_dataset("adhoc7_ap")` downloads the matrix once, or reads it from the folder in `BAYESCORR_DATA`. If neither works, the notebook uses the embedded
# collection.

# %%
import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import bayescorr

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
try:
    everything = bayescorr.load_dataset("adhoc7_ap")
    print("TREC 7 ad hoc, average precision")
except bayescorr.BayescorrError:
    everything = bayescorr.load_dataset("demo")
    print("adhoc7_ap is not available; using the embedded collection.")
everything = bayescorr.drop_worst(bayescorr.drop_identical(everything), 0.25)
if small:
    everything = everything.iloc[:, :8]
rng = np.random.default_rng(7)
chosen = rng.permutation(len(everything))[:20]
pilot = everything.iloc[np.sort(chosen)]
print(f"{pilot.shape[1]} systems, {len(pilot)} of {len(everything)} topics")

# %% [markdown]
# ## How good is the ranking from the pilot itself?

# %%
fit = bayescorr.fit(
    pilot, random_seed=1, **(dict(draws=100, tune=150, chains=2) if small else {})
)
print(fit)

# %% [markdown]
# ## New topic sets
#
# For each posterior draw of the true means and of the covariance of scores, draw the means over *n* new topics and correlate them with the true means. The band
# includes two kinds of uncertainty: what the pilot leaves open about systems and topics, and which new topics are drawn.

# %%
sizes = [10, 20, 30, 50, 75, 100, 150, 200, 300]
plan = bayescorr.expected_coefficient(fit, sizes, "tau", random_seed=1)
plan.table(level=0.9, target=0.9).round(3)

# %%
plan.plot(level=0.9, target=0.9);
# %% [markdown]
# `ML` and `MSQD` extrapolate the estimators of Urbano & Marrero 2016 to other topic-set sizes. They use the observed differences of the pilot as the true ones. Systems
# then look easier to tell apart than they are, so ML is more optimistic than the posterior. The standard deviations of MSQD are a little too large, which compensates for this
# with a pilot of this size and can overcompensate.
#
# ## The number
#
# "How many topics?" requires three choices: which coefficient, how high, and with what probability.

# %%
rows = []
for coefficient in ("tau", "tau_ap"):
    for target in (0.8, 0.9):
        need = bayescorr.topics_needed(fit, coefficient, target, 0.9, random_seed=1)
        rows.append(
            [
                coefficient,
                target,
                need.topics,
                need.topics_on_average,
                need.extrapolated.get("MSQD"),
            ]
        )
columns = [
    "coefficient",
    "target",
    "topics, with probability .9",
    "topics, on average",
    "MSQD's extrapolation",
]
pd.DataFrame(rows, columns=columns)

# %%
print(bayescorr.topics_needed(fit, "tau", 0.9, 0.9, random_seed=1))

# %% [markdown]
# The numbers for high targets are large and uncertain. This is realistic: it takes very many topics to tell near-duplicate systems apart, and every collection has
# some. If such pairs do not matter to you, $\tau$ is the wrong target. $\tau_{GAP}$ gives them little weight, and
# `fit.compare_systems(a, b, rope=0.01)` tells you whether a difference matters at all.

# %%
gap = bayescorr.expected_coefficient(fit, sizes, "tau_gap", random_seed=1)
fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for found, colour in ((plan, "#0072B2"), (gap, "#D55E00")):
    table = found.table(level=0.9)
    ax.fill_between(
        table["n_topics"], table["lower"], table["upper"], color=colour, alpha=0.2
    )
    ax.plot(
        table["n_topics"],
        table["estimate"],
        "o-",
        ms=4,
        color=colour,
        label=found.coefficient,
    )
ax.set(xlabel="number of topics", ylabel="correlation with the true ranking")
ax.legend(frameon=False);
# %% [markdown]
# ## Adding topics to the pilot
#
# You can keep the topics that are already judged. The means then still contain the luck of the pilot, good or bad, and the band starts at the posterior of
# the pilot's own $\tau$.

# %%
more = bayescorr.expected_coefficient(
    fit, [20, 30, 50, 100, 200], "tau", extend=True, random_seed=1
)
more.table(level=0.9).round(3)

# %% [markdown]
# ## For comparison: generalizability theory
#
# The classical approach looks at variances: which share of the variance of mean scores comes from systems. If $E\rho^2$ and $\Phi$ are near 1, differences
# between systems are large relative to noise *on average*. Both can be near .95 while the order of many pairs is still uncertain.

# %%
theory = bayescorr.generalizability(pilot)
theory

# %%
theory.topics_needed(0.95)

# %% [markdown]
# ## Was the plan right?
#
# The whole collection of 50 topics is more than the pilot, but it is not the truth. A simulator fitted to all of it has a known truth. How well do rankings from n of
# *its* topics correlate with its truth, compared with what the pilot predicted?

# %%
simulator = bayescorr.EffectsSimulator(everything)
truth = simulator.true_means.to_numpy()
trials = 50 if small else 500
rows = []
for k, size in enumerate([10, 20, 50, 100, 200]):
    real = np.array(
        [
            bayescorr.tau(
                truth, simulator.sample(size, random_seed=1000 * k + i).mean().to_numpy()
            )
            for i in range(trials)
        ]
    )
    promised = bayescorr.expected_coefficient(fit, [size], "tau", random_seed=1)
    low, high = np.quantile(promised.draws[0], [0.05, 0.95])
    inside = np.mean((real >= low) & (real <= high))
    rows.append([size, promised.draws.mean(), low, high, real.mean(), real.std(), inside])
columns = [
    "topics",
    "promised",
    "lower (90%)",
    "upper",
    "really, on average",
    "sd",
    "share inside the band",
]
pd.DataFrame(rows, columns=columns).round(3)

# %% [markdown]
# The bands contain what happens in the simulation, and their middle is close to it. Two caveats apply. First, the simulator is fitted to 50 topics, and its truth spreads the systems
# as widely as the observed means of those topics do. The real truth is less spread out, so real results are likely to be worse. Second, this is one pilot; another 20 topics
# would give another prediction. Whether the bands are correct *on average over pilots* needs a study: see [evidence](../docs/evidence/index.md).
#
# On the command line: `bayescorr topics scores.csv --target 0.9`.
