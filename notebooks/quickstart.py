# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Quickstart: from a CSV to a credible interval
#
# A table of scores, topics by systems, is all that is needed. Here it is the embedded collection,
# written to a file and read back as you would read yours.

# %%
import os

import bayescorr

draws = 200 if os.environ.get("BAYESCORR_NOTEBOOKS") == "small" else 1000
bayescorr.load_dataset("demo").to_csv("demo-scores.csv")
scores = bayescorr.read_scores("demo-scores.csv")
scores.iloc[:3, :5]

# %% [markdown]
# What is in it? Most of the variance is between topics, and little between systems.

# %%
bayescorr.describe_scores(scores)

# %% [markdown]
# Fit the default model. The first fit compiles it, which takes longer than sampling.

# %%
fit = bayescorr.fit(scores, random_seed=1, draws=draws)
fit

# %% [markdown]
# The answer: the correlation of the observed ranking with the true one, with a credible interval.

# %%
fit.summary().round(3)

# %%
estimates = bayescorr.estimate(scores, coefficients=["tau", "tau_ap", "tau_gap"], random_seed=1)
fit.plot_coefficients(estimates=estimates);
# %% [markdown]
# The frequentist estimates say about the same here; at few topics ML, RES and KD are biased high, MSQD less.

# %%
bayescorr.compare(scores, fit, random_seed=1).round(3)

# %% [markdown]
# Which systems are how good? True means are shrunk towards each other, and ranks are uncertain.

# %%
fit.ranking().head(8).round(3)

# %%
fit.plot_ranking();
# %% [markdown]
# Which pairs might the truth swap? About one half means that the two cannot be told apart.

# %%
fit.discordance().iloc[:5, :5].round(2)

# %%
os.remove("demo-scores.csv")
