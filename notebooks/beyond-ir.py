# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Beyond retrieval: any benchmark of items by systems
#
# Nothing in the method is about search. Wherever *systems* are ranked by their mean over a sample of *items*, the same question can be asked: language
# models on tasks, classifiers on data sets, translation systems on sentences, methods on patients. The items play the part of the topics.
#
# What has to hold is that the items are a sample of those you care about. A leaderboard over *all* the tasks there will ever be has no sampling
# uncertainty; hardly any leaderboard is that.
#
# The data of this notebook are made up here, in one cell, so the truth is known: 14 models on 40 tasks, of three families with a few
# near-duplicate versions each, accuracies in percent, tasks of very different difficulty.

# %%
import os

import numpy as np
import pandas as pd

import bayescorr

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"


def benchmark(tasks, seed):
    """Accuracy of 14 models on tasks: ability and a family's taste against difficulty, on the logit scale."""
    rng = np.random.default_rng(seed)
    families = np.repeat(["alpha", "beta", "gamma"], [6, 5, 3])
    ability = np.concatenate(
        [np.linspace(0.9, 0.6, 6), np.linspace(0.8, 0.2, 5), [0.7, 0.1, -0.4]]
    )
    names = [
        f"{family}-{number}"
        for family in ("alpha", "beta", "gamma")
        for number in range(1, 1 + (families == family).sum())
    ]
    difficulty = rng.normal(0, 1.3, tasks)[:, None]
    taste = {family: rng.normal(0, 0.7, tasks) for family in ("alpha", "beta", "gamma")}
    own = rng.normal(0, 0.25, (tasks, 14))
    logit = (
        ability - difficulty + np.column_stack([taste[family] for family in families]) + own
    )
    accuracy = 100 / (1 + np.exp(-logit))
    return pd.DataFrame(
        accuracy, columns=names, index=[f"task-{i + 1}" for i in range(tasks)]
    ).round(1)


results = benchmark(40, seed=3)
truth = benchmark(20_000 if small else 200_000, seed=0).mean()
results.iloc[:4, :7]

# %% [markdown]
# ## The usual leaderboard

# %%
board = results.mean().sort_values(ascending=False).rename("mean accuracy").to_frame()
board["standard error"] = results.sem()
board.round(2).head(8)

# %% [markdown]
# The standard errors are large, because tasks differ in difficulty. They are also the wrong thing to look at: all models face the *same* tasks, so a hard
# task hurts all of them, and members of a family err together. What matters are differences.
#
# ## How much of the ranking is real?
#
# The model is `bootstrap-shrunk`: no distribution is assumed for the scores, and differences are shrunk a little. It needs no sampling. For scores
# in percent nothing has to be changed.

# %%
fit = bayescorr.fit(results, "bootstrap-shrunk", random_seed=1)
print(fit.in_words())
fit.estimates().round(3)

# %% [markdown]
# Since the data are made up, the actual correlation is known:

# %%
observed = results.mean()
{
    name: round(float(getattr(bayescorr, name)(truth[observed.index], observed)), 3)
    for name in ("tau", "tau_ap", "tau_gap")
}

# %% [markdown]
# This sample of tasks was an unlucky one: the actual correlations lie in the lower part of the intervals. A single number would have been far
# off; the interval is the answer. How often intervals hold the truth is counted at the end.
#
# ## Who is best, who is tied

# %%
fit.ranking().head(8).round(2)

# %%
fit.plot_ranking();
# %%
top = fit.top(3)
print(top)
for group in fit.groups(level=0.95):
    if len(group) > 1:
        print("cannot be told apart:", ", ".join(group))

# %% [markdown]
# A group is a run of neighbours none of whose pairs is ordered with 95% probability; systems further apart can be undecided too, as `fit.discordance()` shows.
#
# Two neighbours of a leaderboard deserve a direct answer, with the difference that you would call equal in practice (`rope`, here half a point):

# %%
first, second = fit.systems[:2]
print(fit.compare_systems(first, second, rope=0.5))

# %% [markdown]
# ## Errors: lower is better
#
# For losses, error rates or latencies say `higher_is_better=False`. The answer is the same.

# %%
errors = 100 - results
again = bayescorr.fit(errors, "bootstrap-shrunk", random_seed=1, higher_is_better=False)
round(float(again.draws("tau").mean() - fit.draws("tau").mean()), 12)

# %% [markdown]
# ## How often is the interval right?
#
# Two hundred made-up benchmarks with the same truth and other tasks:

# %%
trials = 20 if small else 200
rows = []
for seed in range(trials):
    scores = benchmark(40, seed=1000 + seed)
    means = scores.mean()
    draws = bayescorr.fit(
        scores, "bootstrap-shrunk", random_seed=seed, draws=500, warn=False
    ).draws("tau")
    actual = bayescorr.tau(truth[means.index], means)
    low, high = np.quantile(draws, [0.05, 0.95])
    rows.append([draws.mean() - actual, low <= actual <= high])
bias, covered = np.array(rows, float).T
se = covered.std() / np.sqrt(trials)
print(
    f"bias {bias.mean():+.3f} (se {bias.std() / np.sqrt(trials):.3f}); 90% intervals hold the truth in {covered.mean():.0%} (se {se:.0%})"
)

# %% [markdown]
# What to keep in mind outside retrieval:
#
# - **Items must be a sample.** Tasks that were picked because models differ on them answer another question.
# - **Items count, not examples.** A task with a million test examples is one item when the claim is about tasks.
# - **Scales must be comparable.** The mean over tasks with different metrics ranks by the metric with the largest spread; standardise first if that is not what you mean.
# - **Few items need a prior.** With five tasks any answer rests on `prior_topics`; `prior_sensitivity` shows how much.
