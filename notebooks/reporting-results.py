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
# You have run files and relevance judgments, and a table with a best system in bold. This notebook goes from the files to a statement about how far the
# ranking can be trusted, and to words for it.
#
# The short way, in one command, which also writes a page, tables and figures:
#
#     bayescorr report --runs 'runs/*.run' --qrels qrels.txt --measure AP --out report
#
# Below are the same steps one by one.
#
# ## Runs and judgments
#
# Yours are on disk. Here a few lines make some: 12 systems of three kinds that rank 200 documents for each of 40 topics, by a noisy view of
# relevance. They are written as TREC run files, one per system.

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
# `score_runs` takes any measure that ir-measures knows. Topics for which a run returned nothing score 0, as with `trec_eval -c`, and are counted.
# If you have a table of scores already, `read_scores` [reads it](../docs/howto/read-scores.md).

# %%
scores = bayescorr.score_runs(str(files / "*.run"), files / "qrels.txt", measure="AP")
folder.cleanup()
print(scores.attrs)
scores.iloc[:3, :5].round(3)

# %%
bayescorr.describe_scores(scores)

# %% [markdown]
# ## The table everybody prints

# %%
table = scores.mean().sort_values(ascending=False).rename("MAP").to_frame()
table.round(4).T

# %% [markdown]
# ## How close is that ranking to the true one?
#
# The model here is `bootstrap-shrunk`, which answers at once. `bayescorr.fit(scores)` without a name fits the default, which takes a minute to compile
# and is the better choice for a paper ([which model](../docs/explanation/models.md)).

# %%
fit = bayescorr.fit(scores, "bootstrap-shrunk", random_seed=1)
print(fit.in_words())

# %%
fit.estimates().round(3)

# %% [markdown]
# Three coefficients, because they answer different questions. $\tau$ counts swapped pairs. $\tau_{AP}$ counts swaps near the top more. $\tau_{GAP}$ also asks
# how far apart the swapped systems are. A high $\tau_{GAP}$ beside a low $\tau$ says: pairs may be swapped, but pairs that hardly differ.
#
# ## The table that says more

# %%
ranking = fit.ranking(level=0.95)
ranking.round(3)

# %%
fit.plot_ranking();
# %% [markdown]
# - `true_mean`, `lower`, `upper`: where the system's mean over *all* topics lies. Intervals of two systems overlap widely although their
#   difference may be clear, because hard topics hurt both: never compare systems by these intervals.
# - `rank_lower`, `rank_upper`: the true rank.
# - `p_best`: the probability that no other of *these* systems is better.
#
# To compare two systems, ask for their difference. `rope` is the difference that you would call equal; without one, every difference is something.

# %%
print(fit.compare_systems("dense-4", "dense-2", rope=0.01))
print(fit.compare_systems("dense-4", "bm25-4", rope=0.01))

# %%
print(fit.top(3))
for group in fit.groups(level=0.95):
    if len(group) > 1:
        print("cannot be told apart:", ", ".join(group))

# %% [markdown]
# A group is a run of neighbours none of whose pairs is ordered with 95% probability; systems further apart can be undecided too, as `fit.discordance()` shows.
#
# ## For the paper
#
# A table for LaTeX:

# %%
from bayescorr.report.tables import latex_table

print(latex_table(fit.estimates()[["coefficient", "estimate", "lower", "upper"]], digits=2))

# %% [markdown]
# **Words that hold.**
#
# > We rank systems by mean average precision over 40 topics. The expected Kendall correlation of this ranking with the one over the
# > population of such topics is τ = 0.xx (95% credible interval 0.xx to 0.xx; bayescorr, model bootstrap-shrunk). The top system is the best of
# > those compared with probability 0.xx.
#
# (The numbers are `fit.in_words()` and `fit.best()`.) Name the model and the number of topics, give the interval, and say what was left out
# (`drop_worst`, identical runs). With the default model also say that it converged: `fit.convergence`.
#
# **What the number means.** How near this ranking, by the topics at hand, is to the ranking that all topics of the population would give, under the same
# judgments and measure. The interval is about *this* ranking.
#
# **What it does not mean.**
#
# - *"The ranking is 80% correct."* τ = .8 means that 10% of the pairs are swapped.
# - *"System A is better than B, since τ is high."* τ is about all pairs. Ask `compare_systems`.
# - *"The next collection will agree with this one with τ = .8."* Two samples agree less than a sample and the truth;
#   `expected_coefficient` plans for new topics, see [topic-set size](topic-set-size.ipynb).
# - *"Users will agree."* The truth here is the mean of this measure under these judgments on more topics of this kind, and nothing else.
#
# ## Does it depend on the method?
#
# A reader may ask. The frequentist estimates stand beside the posterior, and the one prior of this model can be halved and doubled.

# %%
bayescorr.compare(scores, fit, random_seed=1).round(3)

# %%
bayescorr.prior_sensitivity(fit).round(3)

# %% [markdown]
# Here both move the estimate by much less than the width of its interval. Where they do not, the topics are too few for a firm statement, and that is
# a result too.
