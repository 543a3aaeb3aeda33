# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Comparing models
#
# A posterior is only as good as the model behind it. This notebook climbs the ladder of models on one collection scored by average precision and one scored by
# P@10: what each model expects before seeing data, whether it was sampled well, what it gets wrong about the scores, how well it predicts topics it has not
# seen, and what all this does to τ, which is what you came for.
#
# The collections are TREC 6 ad hoc (average precision) and TREC Web 2011 (P@10), without identical runs and the worst quarter, and every second system of
# what is left, to keep this notebook quick. `load_dataset` fetches them once, or reads them from the folder that `BAYESCORR_DATA` names; with neither, the
# embedded collection takes their place.

# %%
import os
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import bayescorr

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
# Convergence is shown in a table below, and that means tie is no news here.
warnings.simplefilter("ignore", bayescorr.BayescorrWarning)


def collection(name):
    try:
        scores = bayescorr.load_dataset(name)
        print(f"{name}: ", end="")
    except bayescorr.BayescorrError:
        scores = bayescorr.load_dataset("demo")
        scores = scores.round(1) if "p10" in name else scores
        print(f"{name} is not at hand; the embedded collection instead: ", end="")
    kept = bayescorr.drop_worst(bayescorr.drop_identical(scores), 0.25)
    kept = kept[kept.mean().sort_values(ascending=False).index[::2]]
    if small:
        kept = kept.iloc[:12, :5]
    print(f"{kept.shape[1]} systems, {kept.shape[0]} topics")
    return kept


ap = collection("adhoc6_ap")
p10 = collection("web2011_p10")

# %% [markdown]
# ## The ladder

# %%
pd.set_option("display.max_colwidth", None)
bayescorr.list_models()[["name", "description", "bad_for"]]

# %% [markdown]
# ## Before the data: what the priors expect
#
# A prior predictive check draws whole collections from the model before it sees a score. They should look like collections: τ between the observed and the true
# ranking of 50 topics anywhere between poor and very good, neither always near 1 nor always near 0.

# %%
checked = ["matrix-t"] if small else ["matrix-t", "additive"]
scale = float(
    (ap.sub(ap.mean(axis=1), axis=0) - (ap.mean() - ap.to_numpy().mean())).to_numpy().std()
)
prior = {
    name: bayescorr.prior_predictive(
        name,
        *ap.shape,
        draws=50 if small else 300,
        location=float(ap.to_numpy().mean()),
        scale=scale,
        random_seed=1,
    )
    for name in checked
}
fig, ax = plt.subplots(figsize=(5.5, 3), layout="constrained")
for k, (name, drawn) in enumerate(prior.items()):
    ax.hist(
        drawn["tau"].to_numpy(),
        bins=np.linspace(-0.2, 1, 31),
        histtype="step",
        lw=1.6,
        density=True,
        color=f"C{k}",
        label=name,
    )
ax.set(xlabel=f"τ with the truth, {len(ap)} topics, before any data", ylabel="density")
ax.legend(frameon=False);
# %% [markdown]
# The default says before any data that a ranking by this many topics is decent, because its prior is worth a fixed number of topics (four) on which all systems tie. The
# additive model leaves open how much systems differ.
#
# ## Sampling
#
# Some models are drawn from directly; the others are sampled with Hamiltonian Monte Carlo. Every sampled quantity has to pass a gate: R-hat at most
# 1.01, enough effective draws, no divergences.

# %%
exact = ["flat", "bootstrap", "bootstrap-shrunk"]
sampled = (
    ["additive", "matrix-t"]
    if small
    else [
        "additive",
        "additive-hetero",
        "matrix-t-flat",
        "matrix-t",
        "matrix-t-factor",
        "logit-normal",
    ]
)
size = (
    dict(draws=50, tune=100, chains=2) if small else dict(draws=1000, tune=1000, chains=2)
)
fits = {name: bayescorr.fit(ap, name, random_seed=1, warn=False) for name in exact}
fits |= {
    name: bayescorr.fit(ap, name, random_seed=1, warn=False, **size) for name in sampled
}


def gate(fits):
    rows = [
        [
            name,
            f.convergence.passed,
            f.convergence.rhat,
            f.convergence.ess_bulk,
            f.convergence.divergences,
        ]
        for name, f in fits.items()
        if name not in exact
    ]
    return pd.DataFrame(
        rows, columns=["model", "passes", "R-hat", "least bulk ESS", "divergences"]
    ).round(3)


gate(fits)

# %% [markdown]
# Two chains are used here to save time, where `fit` uses four. A model that does not pass needs more draws for a paper, as its warning says; for τ itself the effective numbers are much
# higher than the least one of all parameters:

# %%
pd.DataFrame(
    {name: f.summary().set_index("coefficient")["ess_bulk"] for name, f in fits.items()}
).T.round(0)

# %% [markdown]
# ## After the data: does the model describe the scores?
#
# Three things matter for τ: the means, how much *differences* of systems vary from topic to topic (which decides how easily two systems are told apart), and,
# for the look of the data, zeros. First the standard deviations of differences, as the model predicts them for new topics, against the observed ones.

# %%
shown = ["additive", "matrix-t"]
fig, axes = plt.subplots(1, 2, figsize=(11, 5.2), layout="constrained")
for ax, name in zip(axes, shown):
    fits[name].plot_predictive(
        quantity="difference_sds", draws=100 if small else 400, random_seed=1, ax=ax
    )
    ax.set_title(name, y=1.2)

# %% [markdown]
# The additive model gives all pairs the same standard deviation. Near-duplicate runs, at the left, vary much less than that, and pairs of unlike systems more. This is
# why its intervals are wrong: it takes the luck that near-duplicates share for independent evidence. The default follows the diagonal.

# %%
fits["matrix-t"].plot_predictive(
    quantity="means", draws=100 if small else 400, random_seed=1
);
# %% [markdown]
# Zeros are where normal models are plainly wrong: they predict scores below zero instead. The censored logit-normal model has zeros.

# %%
rows = []
for name in ["matrix-t"] if small else ["additive", "matrix-t", "logit-normal"]:
    new = fits[name].posterior_predictive(draws=100, random_seed=1).to_numpy()
    rows.append(
        [
            name,
            float((ap == 0).to_numpy().mean()),
            (new == 0).mean(),
            (new < 0).mean(),
            (new > 1).mean(),
        ]
    )
pd.DataFrame(
    rows,
    columns=[
        "model",
        "zeros, observed",
        "zeros, predicted",
        "below 0, predicted",
        "above 1, predicted",
    ],
).round(3)

# %% [markdown]
# Does that matter for τ? Means of 50 topics are close to normal whatever the scores look like, so less than one might fear; the last section shows how much.
#
# ## Predicting topics that were left out
#
# `compare_models` leaves out one topic at a time and asks how well the others predict its whole row of scores: the sum of log densities (`elpd`), best first. Given
# its hyperparameters, each of these models has that density in closed form; over the draws of the hyperparameters it is reweighted, and `max_pareto_k` above 0.7 warns
# that some topic moves them too much for that.

# %%
scored = [name for name in sampled if name != "logit-normal"]
table = bayescorr.compare_models({name: fits[name] for name in scored})
table.round(1)

# %%
print(table.attrs["words"])

# %% [markdown]
# Three caveats before reading much into this:
#
# - It scores the prediction of *rows of scores*, most of whose information is about topic difficulty and correlations; τ needs the covariance of differences and the
#   prior on means. A model can win here and be no better for τ. With and without the prior on means (`matrix-t`, `matrix-t-flat`) the elpd is nearly the same, and
#   the bias of τ at 10 topics is not; groups of systems (`matrix-t-factor`) predict rows clearly better, and the next section shows the same τ.
# - Densities must be of the same thing. The logit-normal model has a lump of probability at zero, so its density does not compare with a normal one, and
#   `compare_models` refuses to mix them.
# - With Pareto k above 0.7 the numbers are rough: differences of a few units mean nothing, those of hundreds do.
#
# ## What it does to τ


# %%
def by_model(fits):
    return pd.concat(
        [f.estimates(coefficients=["tau", "tau_ap", "tau_gap"]) for f in fits.values()]
    )


def draw(table, title):
    fig, axes = plt.subplots(
        1,
        3,
        figsize=(11, 0.3 * table["method"].nunique() + 1.2),
        sharey=True,
        layout="constrained",
    )
    for ax, (coefficient, rows) in zip(axes, table.groupby("coefficient", sort=False)):
        y = np.arange(len(rows))[::-1]
        ax.hlines(y, rows["lower"], rows["upper"], color="#0072B2", lw=2)
        ax.plot(rows["estimate"], y, "o", color="#0072B2")
        ax.set_yticks(y, rows["method"])
        ax.set_xlabel(coefficient)
        ax.grid(axis="x", alpha=0.3)
    fig.suptitle(title)


estimates = pd.concat(
    [
        by_model(fits),
        bayescorr.estimate(ap, ["ML", "MSQD"], ["tau", "tau_ap", "tau_gap"], random_seed=1),
    ]
)
draw(estimates, "average precision: estimates and 95% intervals")
estimates[estimates["coefficient"] == "tau"].round(3)

# %% [markdown]
# The additive models stand out by their narrow intervals, which are [overconfident](../docs/explanation/exchangeable-prior.md): in a study their 90% intervals hold the
# truth about 60% of the time. `logit-normal` stands out by a lower τ; it also predicts several times more zeros than there are, which is a reason to doubt it here. The
# others agree with each other within a small part of their intervals.
#
# ## How much does the prior matter?
#
# The one number of the default that is not learned is `prior_topics`. Halved and doubled:

# %%
rows = []
for value in (2.0, 4.0, 8.0):
    again = bayescorr.fit(
        ap, "matrix-t", priors={"prior_topics": value}, random_seed=1, warn=False, **size
    )
    rows.append(again.estimates().assign(prior_topics=value))
pd.concat(rows).pivot(index="prior_topics", columns="coefficient", values="estimate").round(
    3
)

# %% [markdown]
# `prior_sensitivity(fit)` does this for every prior. With 50 topics the prior matters little; with 10 of them it does:

# %%
few = ap.iloc[:10]
rows = []
for value in (2.0, 4.0, 8.0):
    again = bayescorr.fit(
        few, "bootstrap-shrunk", priors={"prior_topics": value}, random_seed=1, warn=False
    )
    rows.append(again.estimates().assign(prior_topics=value))
pd.concat(rows).pivot(index="prior_topics", columns="coefficient", values="estimate").round(
    3
)

# %% [markdown]
# ## P@10: scores on a grid
#
# P@10 takes eleven values, many means are equal, and many scores are zero. The beta-binomial model is made for that: it counts relevant documents among ten.

# %%
coarse = exact if small else [*exact, "matrix-t", "beta-binomial"]
fits10 = {
    name: bayescorr.fit(
        p10, name, random_seed=1, warn=False, **(size if name not in exact else {})
    )
    for name in coarse
}
estimates = pd.concat(
    [
        by_model(fits10),
        bayescorr.estimate(
            p10, ["ML", "MSQD"], ["tau", "tau_ap", "tau_gap"], random_seed=1
        ),
    ]
)
draw(estimates, "P@10: estimates and 95% intervals")
gate(fits10)

# %%
rows = []
for name in coarse[len(exact) :]:
    new = fits10[name].posterior_predictive(draws=100, random_seed=1).to_numpy()
    off_grid = np.abs(new * 10 - np.round(new * 10)).max() > 1e-9
    rows.append(
        [
            name,
            float((p10 == 0).to_numpy().mean()),
            (np.round(new, 9) <= 0).mean(),
            off_grid,
        ]
    )
pd.DataFrame(
    rows,
    columns=[
        "model",
        "zeros, observed",
        "zeros or less, predicted",
        "predicts scores off the grid",
    ],
).round(3)

# %% [markdown]
# The beta-binomial model gets the grid right, and takes the noise of near-duplicate systems for independent, like the additive models do, so its intervals are narrower than they
# should be. Looking right and being right about τ are two things.
#
# ## What to choose
#
# | | |
# |---|---|
# | average precision, nDCG and other continuous measures | the default, `matrix-t` |
# | an answer at once, or a measure that no distribution fits | `bootstrap-shrunk` |
# | a reference without any prior | `flat`: the Bayesian face of ML, too optimistic with few topics |
# | P@10 and other coarse measures | the default, with `priors={"prior_topics": 10}` if there are fewer than 30 topics or so |
# | missing cells, known measurement error | the default (`missing="model"`, `score_sd=`) |
# | intervals | never an additive model |
