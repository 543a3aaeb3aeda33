# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # A leaderboard of 30 models on 6 tasks
#
# A benchmark averages over tasks, and each task over its items. This notebook makes such a leaderboard, asks what may be claimed from
# it, and plans what 1,000 more items would buy. All scores are 0 or 1.

# %%
import numpy as np
import pandas as pd
from scipy.special import expit

import bayescorr

rng = np.random.default_rng(2026)

# %% [markdown]
# ## The scores
#
# A model answers an item correctly with a probability that depends on its ability, on the difficulty of the item, and on styles that
# groups of models share. Tasks differ in difficulty and in size.

# %%
sizes = {"code": 60, "commonsense": 250, "law": 80, "maths": 120, "medicine": 90, "trivia": 400}
difficulty = dict(zip(sizes, [1.0, -1.5, 0.0, 1.5, 0.5, -0.5], strict=True))
models = [f"model-{k:02}" for k in range(1, 31)]
ability = np.sort(0.6 * rng.standard_normal(30))[::-1]
loading = rng.standard_normal((2, 30))

tables, truth = [], []
for task, n in sizes.items():
    special = ability + 0.25 * rng.standard_normal(30)
    item = difficulty[task] + 1.5 * rng.standard_normal((20_000, 1))
    style = 0.5 * rng.standard_normal((20_000, 2)) @ loading
    p = expit(special - item + style)
    truth.append(p.mean(axis=0))
    right = rng.random((n, 30)) < p[:n]
    labels = [f"{task}-{k:03}" for k in range(1, n + 1)]
    tables.append(pd.DataFrame(right.astype(float), index=labels, columns=models))

scores = pd.concat(tables)
tasks = pd.Series([label.rsplit("-", 1)[0] for label in scores.index], index=scores.index)
scores.shape, tasks.value_counts().to_dict()

# %% [markdown]
# ## What may be claimed
#
# `strata=` says which task an item belongs to. The score of a model is then the mean over tasks of its mean over the items of a task.

# %%
fit = bayescorr.fit(scores, strata=tasks, inference="laplace", random_seed=1, warn=False)
print(fit.in_words())

# %% [markdown]
# The table shows the first ten models. Rank intervals of neighbours overlap: most differences between neighbours are too small to claim.

# %%
fit.ranking().head(10).round(3)

# %%
groups = fit.groups()
print(f"{len(groups)} overlapping groups; the first: {groups[0]}")
print(fit.compare_systems(fit.systems[0], fit.systems[9], rope=0.0))

# %% [markdown]
# Here the truth is known. The correlation of the leaderboard with it lies in the interval above:

# %%
true_means = np.mean(truth, axis=0)
observed = fit.observed_means[models].to_numpy()
print(f"tau with the true ranking: {float(bayescorr.tau(true_means, observed)):.3f}")

# %% [markdown]
# ## Why tasks matter
#
# Ignoring the tasks gives each item the same weight. That is another score, in which the large tasks decide: `weights="size"` has the same
# means, but still counts only the variation within tasks.

# %%
rows = {
    "macro average": {"strata": tasks},
    "weights by size": {"strata": tasks, "weights": "size"},
    "no tasks": {},
}
table = {
    name: bayescorr.fit(scores, "bootstrap-shrunk", random_seed=1, warn=False, **options)
    .estimates(coefficients="tau")
    .iloc[0][["estimate", "lower", "upper"]]
    for name, options in rows.items()
}
pd.DataFrame(table).T.astype(float).round(3)

# %% [markdown]
# A single task says much less than all of them:

# %%
pd.DataFrame(
    {
        task: one.estimates(coefficients="tau").iloc[0][["estimate", "lower", "upper"]]
        for task, one in fit.tasks.items()
    }
).T.astype(float).round(3)

# %% [markdown]
# ## What 1,000 more items would buy

# %%
plan = bayescorr.allocate_items(fit, 1000, random_seed=1)
print(plan)
plan.items

# %%
plan.table().round(3)
