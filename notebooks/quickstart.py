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
# All you need is a table of scores with topics as rows and systems as columns. This notebook uses the embedded collection. It writes the
# table to a file and reads it back, as you would read your own.

# %%
import os

import bayescorr

draws = 200 if os.environ.get("BAYESCORR_NOTEBOOKS") == "small" else 1000
bayescorr.load_dataset("demo").to_csv("demo-scores.csv")
scores = bayescorr.read_scores("demo-scores.csv")
scores.iloc[:3, :5]

# %% [markdown]
# What does the table contain? Most of the variance is between topics; little of it is between systems.

# %%
bayescorr.describe_scores(scores)

# %% [markdown]
# Fit the default model. The first fit also compiles it, which takes longer than sampling.

# %%
fit = bayescorr.fit(scores, random_seed=1, draws=draws)
fit

# %% [markdown]
# The result is the correlation of the observed ranking with the true one, with a credible interval.

# %%
fit.summary().round(3)

# %%
estimates = bayescorr.estimate(scores, coefficients=["tau", "tau_ap", "tau_gap"], random_seed=1)
fit.plot_coefficients(estimates=estimates);
# %% [markdown]
# The frequentist estimates are similar here. With few topics ML, RES and KD are biased high; MSQD less so.

# %%
bayescorr.compare(scores, fit, random_seed=1).round(3)

# %% [markdown]
# How good is each system? True means are shrunk towards each other, and ranks are uncertain.

# %%
fit.ranking().head(8).round(3)

# %%
fit.plot_ranking();
# %% [markdown]
# Which pairs might be in the wrong order? A probability of about one half means that two systems cannot be told apart.

# %%
fit.discordance().iloc[:5, :5].round(2)

# %%
os.remove("demo-scores.csv")
