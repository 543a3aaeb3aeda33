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
# You have scores on a few topics, from a pilot or from last year's track, and want to know how many topics the next collection needs for its
# ranking of systems to be close to the true one. A posterior answers this directly: it holds what is known about the true means *and* about
# how scores vary from topic to topic, so one can draw topic sets that do not exist yet and see how well they would rank.
#
# The pilot here is 20 topics of TREC 7 ad hoc (average precision, the worst quarter of the systems left out as usual).
# `load_dataset("adhoc7_ap")` fetches the matrix once, or reads it from the folder that `BAYESCORR_DATA` names; with neither, the embedded
# collection takes its place.

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
    print("adhoc7_ap is not at hand; the embedded collection instead.")
everything = bayescorr.drop_worst(bayescorr.drop_identical(everything), 0.25)
if small:
    everything = everything.iloc[:, :8]
rng = np.random.default_rng(7)
chosen = rng.permutation(len(everything))[:20]
pilot = everything.iloc[np.sort(chosen)]
print(f"{pilot.shape[1]} systems, {len(pilot)} of {len(everything)} topics")

# %% [markdown]
# ## How good is the ranking by the pilot itself?

# %%
fit = bayescorr.fit(
    pilot, random_seed=1, **(dict(draws=100, tune=150, chains=2) if small else {})
)
print(fit.in_words())

# %% [markdown]
# ## New topic sets
#
# For each posterior draw of the true means and of the covariance of scores, draw the means over *n* new topics and correlate the two. The band
# holds both kinds of uncertainty: what the pilot leaves open about systems and topics, and the luck of the draw of topics.

# %%
sizes = [10, 20, 30, 50, 75, 100, 150, 200, 300]
plan = bayescorr.expected_coefficient(fit, sizes, "tau", random_seed=1)
plan.table(level=0.9, target=0.9).round(3)

# %%
plan.plot(level=0.9, target=0.9);
# %% [markdown]
# `ML` and `MSQD` are extrapolations of the estimators of Urbano & Marrero 2016 to other topic-set sizes. They take the observed differences of the
# pilot for the true ones, which makes systems look easier to tell apart than they are, so ML promises more than the posterior. MSQD, whose standard deviations
# are a little too large, makes up for it at this size of pilot and can promise less.
#
# ## The number
#
# "How many topics?" needs three choices: which coefficient, how high, and how sure.

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
# Numbers for high targets are large and uncertain. That is the honest state of things: near-duplicate systems need very many topics to be told
# apart, and every collection has some. If such pairs do not matter to you, $\tau$ is the wrong goal: $\tau_{GAP}$ hardly counts them, and
# `fit.compare_systems(a, b, rope=0.01)` asks whether a difference matters at all.

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
# Topics that are judged already can be kept. Then the pilot's luck, good or bad, stays in the means, and the band starts at the posterior of the
# pilot's own $\tau$.

# %%
more = bayescorr.expected_coefficient(
    fit, [20, 30, 50, 100, 200], "tau", extend=True, random_seed=1
)
more.table(level=0.9).round(3)

# %% [markdown]
# ## Beside it: generalizability theory
#
# The classical answer looks at variances: how much of the variance of mean scores is due to systems. $E\rho^2$ and $\Phi$ near 1 say that differences
# between systems stand out from noise *on the average*. They are easily near .95 while many pairs are still unordered.

# %%
theory = bayescorr.generalizability(pilot)
theory

# %%
theory.topics_needed(0.95)

# %% [markdown]
# ## Was the plan right?
#
# The whole collection of 50 topics is more than the pilot, but not the truth. A simulator fitted to all of it has a truth that is known: how do
# rankings by n of *its* topics really correlate with its truth, beside what the pilot promised?

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
# The bands hold what really happens, and their middle is close to it. Two things to know before reading
# much into that: the truth of a simulator fitted to 50 topics spreads systems as widely as the observed means of those topics, which is wider than the
# truth behind them, so reality is likely less rosy; and one pilot proves nothing, another 20 topics would promise something else. Whether bands hold what they say *on average over pilots* is a question
# for a study, see [what was checked](../docs/explanation/validation.md).
#
# On the command line: `bayescorr topics scores.csv --target 0.9`.
