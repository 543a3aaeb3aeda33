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
# The method is not specific to search. It applies wherever *systems* are ranked by their mean over a sample of *items*: language models on tasks, classifiers on data
# sets, translation systems on sentences, methods on patients. The items take the role of topics.
#
# The one requirement is that the items are a sample of those you care about. A leaderboard over *all* tasks that will ever exist has no sampling uncertainty. Hardly
# any leaderboard is like that.
#
# This notebook generates its data in one cell, so the truth is known: accuracies in percent of 14 models on 40 tasks of very different difficulty. The models
# come from three families with a few near-duplicate versions each.

# %%
import os

import numpy as np
import pandas as pd

import bayescorr

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"


def benchmark(tasks, seed):
    """Simulate the accuracy of 14 models from ability, family taste and difficulty on the logit scale."""
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
# The standard errors are large because tasks differ in difficulty. They are also misleading. All models face the *same* tasks, so a hard task hurts all of
# them, and members of a family fail on the same tasks. What matters is differences between models.
#
# ## How much of the ranking is real?
#
# The model is `bootstrap-shrunk`. It assumes no distribution of scores, shrinks differences a little, and needs no sampling. Scores in percent work without any
# change.

# %%
fit = bayescorr.fit(results, "bootstrap-shrunk", random_seed=1)
print(fit.in_words())
fit.estimates().round(3)

# %% [markdown]
# Because the data are simulated, the actual correlation is known:

# %%
observed = results.mean()
{
    name: round(float(getattr(bayescorr, name)(truth[observed.index], observed)), 3)
    for name in ("tau", "tau_ap", "tau_gap")
}

# %% [markdown]
# This sample of tasks was unlucky: the actual correlations lie in the lower part of the intervals. A point estimate alone would have been far off, which is
# why the interval matters. The last section counts how often intervals contain the truth.
#
# ## Which models are best, which are tied

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
# A group is a sequence of neighbours in which no pair is ordered with 95% probability. Systems further apart can be undecided too; `fit.discordance()` shows all pairs.
#
# To compare two neighbours on a leaderboard directly, state which difference you consider negligible (`rope`, here half a point):

# %%
first, second = fit.systems[:2]
print(fit.compare_systems(first, second, rope=0.5))

# %% [markdown]
# ## Errors: lower is better
#
# For losses, error rates or latencies, pass `higher_is_better=False`. The result is the same.

# %%
errors = 100 - results
again = bayescorr.fit(errors, "bootstrap-shrunk", random_seed=1, higher_is_better=False)
round(float(again.draws("tau").mean() - fit.draws("tau").mean()), 12)

# %% [markdown]
# ## How often does the interval contain the truth?
#
# Two hundred simulated benchmarks with the same truth and different tasks:

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
    f"bias {bias.mean():+.3f} (se {bias.std() / np.sqrt(trials):.3f}); 90% intervals contain the truth in {covered.mean():.0%} (se {se:.0%})"
)

# %% [markdown]
# Keep in mind outside retrieval:
#
# - **Items must be a sample.** If tasks were selected because models differ on them, the result answers another question.
# - **Items count, not examples.** A task with a million test examples is one item if the claim is about tasks.
# - **Scales must be comparable.** If tasks use different metrics, the metric with the largest spread dominates the mean. Standardise first if you do not want that.
# - **Few items need a prior.** With five tasks, every result depends on `prior_topics`; `prior_sensitivity` shows how much.
