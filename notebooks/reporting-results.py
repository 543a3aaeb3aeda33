# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Reporting results: from runs to a sentence in a paper
#
# You have run files, relevance judgments, and a table with the best system in bold. This notebook starts from the files, estimates how far you can trust the
# ranking, and shows how to report it.
#
# One command does all of it and also writes a page, tables and figures:
#
#     bayescorr report --runs 'runs/*.run' --qrels qrels.txt --measure AP --out report
#
# This notebook goes through the same steps one by one.
#
# ## Runs and judgments
#
# Yours are on disk. Here, the next cell generates some: 12 systems of three kinds rank 200 documents for each of 40 topics by a noisy estimate of
# relevance. The cell writes them as TREC run files, one per system.

# %%
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import bayescorr

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
folder = tempfile.TemporaryDirectory()
files = Path(folder.name)
rng = np.random.default_rng(11)
topics, documents = range(401, 441), [f"doc{i:03d}" for i in range(200)]
strengths = {"bm25": 0.60, "lm": 0.64, "dense": 0.72}
systems = {
    f"{kind}-{k}": (kind, strengths[kind] + 0.02 * k)
    for kind in strengths
    for k in range(1, 5)
}
qrels, lines = [], {name: [] for name in systems}
for topic in topics:
    relevant = np.zeros(200)
    relevant[rng.choice(200, rng.integers(4, 25), replace=False)] = 1
    qrels += [
        f"{topic} 0 {doc} {int(grade)}"
        for doc, grade in zip(documents, relevant)
        if grade or rng.random() < 0.3
    ]
    hardness = rng.normal(0, 0.8)
    view = {kind: rng.standard_normal(200) for kind in ("bm25", "lm", "dense")}
    for name, (kind, strength) in systems.items():
        score = (
            (2.5 * strength - hardness) * relevant
            + view[kind]
            + 0.35 * rng.standard_normal(200)
        )
        order = np.argsort(-score)[:100]
        lines[name] += [
            f"{topic} Q0 {documents[d]} {rank} {score[d]:.4f} {name}"
            for rank, d in enumerate(order, 1)
        ]
(files / "qrels.txt").write_text("\n".join(qrels))
for name, text in lines.items():
    (files / f"{name}.run").write_text("\n".join(text))
print(lines["bm25-1"][0], qrels[0], sep="\n")

# %% [markdown]
# ## Scores
#
# `score_runs` accepts any measure of ir-measures. If a run returned nothing for a topic, the score is 0, as with `trec_eval -c`, and such topics are counted.
# If you already have a table of scores, read it with [`read_scores`](../docs/howto/read-scores.md).

# %%
scores = bayescorr.score_runs(str(files / "*.run"), files / "qrels.txt", measure="AP")
folder.cleanup()
print(scores.attrs)
scores.iloc[:3, :5].round(3)

# %%
bayescorr.describe_scores(scores)

# %% [markdown]
# ## The usual table

# %%
table = scores.mean().sort_values(ascending=False).rename("MAP").to_frame()
table.round(4).T

# %% [markdown]
# ## How close is that ranking to the true one?
#
# This notebook uses the model `bootstrap-shrunk`, which needs no sampling. `bayescorr.fit(scores)` fits the default model, which takes a minute to compile
# and is the better choice for a paper ([choose a model](../docs/explanation/models.md)).

# %%
fit = bayescorr.fit(scores, "bootstrap-shrunk", random_seed=1)
print(fit.in_words())

# %%
fit.estimates().round(3)

# %% [markdown]
# The three coefficients answer different questions. $\tau$ counts swapped pairs. $\tau_{AP}$ gives more weight to swaps near the top. $\tau_{GAP}$ also considers
# how far apart the swapped systems are. If $\tau_{GAP}$ is high and $\tau$ is low, some pairs may be swapped, but they hardly differ.
#
# ## A more informative table

# %%
ranking = fit.ranking(level=0.95)
ranking.round(3)

# %%
fit.plot_ranking();
# %% [markdown]
# - `true_mean`, `lower`, `upper`: the mean of the system over *all* topics, with its interval. Do not compare systems by these intervals. Hard topics hurt all systems, so
#   two intervals can overlap widely although the difference is clear.
# - `rank_lower`, `rank_upper`: interval of the true rank.
# - `p_best`: probability that none of the *other systems in the table* is better.
#
# To compare two systems, ask for their difference. `rope` is the largest difference that you consider negligible; the default is 0.01.

# %%
print(fit.compare_systems("dense-4", "dense-2", rope=0.01))
print(fit.compare_systems("dense-4", "bm25-4", rope=0.01))

# %%
print(fit.top(3))
for group in fit.groups(level=0.95):
    if len(group) > 1:
        print("cannot be told apart:", ", ".join(group))

# %% [markdown]
# A group is a sequence of neighbours in which no pair is ordered with 95% probability. Systems further apart can be undecided too; `fit.discordance()` shows all pairs.
#
# ## For the paper
#
# A table for LaTeX:

# %%
from bayescorr.report.tables import latex_table

print(latex_table(fit.estimates()[["coefficient", "estimate", "lower", "upper"]], digits=2))

# %% [markdown]
# **A wording that is correct.**
#
# > We rank systems by mean average precision over 40 topics. The expected Kendall correlation of this ranking with the one over the
# > population of such topics is τ = 0.xx (95% credible interval 0.xx to 0.xx; bayescorr, model bootstrap-shrunk). The top system is the best of
# > those compared with probability 0.xx.
#
# The numbers come from `fit.in_words()` and `fit.best()`. Name the model and the number of topics, give the interval, and say which systems you left out
# (`drop_worst`, identical runs). With the default model, also report convergence: `fit.convergence`.
#
# **What the number means.** It measures how close this ranking, from these topics, is to the ranking over all topics of the population, with the same
# judgments and measure. The interval is about *this* ranking.
#
# **What it does not mean.**
#
# - *"The ranking is 80% correct."* τ = .8 means that 10% of the pairs are swapped.
# - *"System A is better than B because τ is high."* τ is about all pairs. Use `compare_systems`.
# - *"The next collection will agree with this one with τ = .8."* Two samples agree less with each other than a sample agrees with the truth. To plan for new topics, use
#   `expected_coefficient`; see [topic-set size](topic-set-size.ipynb).
# - *"Users will agree."* The truth here is the mean of this measure with these judgments over more topics of this kind, and nothing else.
#
# ## Does the result depend on the method?
#
# A reader may ask. `compare` puts the frequentist estimates next to the posterior, and `prior_sensitivity` halves and doubles the only prior of this model.

# %%
bayescorr.compare(scores, fit, random_seed=1).round(3)

# %%
bayescorr.prior_sensitivity(fit).round(3)

# %% [markdown]
# Here both change the estimate by much less than the width of its interval. If they change it more, there are too few topics for a firm statement. That is
# a result too.
