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
# A posterior is only as good as its model. This notebook compares the models on one collection scored by average precision and one scored by P@10. For each model it
# asks: what does it expect before it sees data, does it converge, which features of the scores does it get wrong, how well does it predict topics that it has not seen, and
# how does all this affect τ?
#
# The collections are TREC 6 ad hoc (average precision) and TREC Web 2011 (P@10), without identical runs and without the worst quarter. To keep the notebook fast, it uses every
# second of the remaining systems. `load_dataset` downloads the collections once, or reads them from the folder in `BAYESCORR_DATA`. If neither works, the notebook uses the
# embedded collection.

# %%
import os
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import bayescorr

small = os.environ.get("BAYESCORR_NOTEBOOKS") == "small"
# A table below shows convergence, and warnings about ties are not needed here.
warnings.simplefilter("ignore", bayescorr.BayescorrWarning)


def collection(name):
    try:
        scores = bayescorr.load_dataset(name)
        print(f"{name}: ", end="")
    except bayescorr.BayescorrError:
        scores = bayescorr.load_dataset("demo")
        scores = scores.round(1) if "p10" in name else scores
        print(f"{name} is not available; using the embedded collection: ", end="")
    kept = bayescorr.drop_worst(bayescorr.drop_identical(scores), 0.25)
    kept = kept[kept.mean().sort_values(ascending=False).index[::2]]
    if small:
        kept = kept.iloc[:12, :5]
    print(f"{kept.shape[1]} systems, {kept.shape[0]} topics")
    return kept


ap = collection("adhoc6_ap")
p10 = collection("web2011_p10")

# %% [markdown]
# ## The models

# %%
pd.set_option("display.max_colwidth", None)
bayescorr.list_models()[["name", "description", "bad_for"]]

# %% [markdown]
# ## Before the data: what the priors expect
#
# A prior predictive check draws whole collections from the model before it sees a score. They should look like real collections: τ between the observed and the true
# ranking of 50 topics should range from poor to very good, and not always be near 1 or near 0.

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
# The prior of the default is worth a fixed number of topics (four) on which all systems tie. Before any data, the default therefore expects a decent ranking from this many topics. The
# additive model makes no assumption about how much systems differ.
#
# ## Sampling
#
# Some models are drawn from directly. The others are sampled with Hamiltonian Monte Carlo, and every sampled quantity must pass the convergence check: R-hat of at most
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
# This notebook uses two chains to save time; `fit` uses four by default. A model that fails the check needs more draws for a paper, as its warning says. The effective sample size of τ itself is
# much larger than the smallest one of all parameters:

# %%
pd.DataFrame(
    {name: f.summary().set_index("coefficient")["ess_bulk"] for name, f in fits.items()}
).T.round(0)

# %% [markdown]
# ## After the data: does the model describe the scores?
#
# Three features matter. Means and the variation of *differences* between systems from topic to topic determine how easily two systems can be told apart, and so
# determine τ. Zeros matter for how realistic the scores look. The first figure compares the standard deviations of differences that the model predicts for new topics with the observed ones.

# %%
shown = ["additive", "matrix-t"]
fig, axes = plt.subplots(1, 2, figsize=(11, 5.2), layout="constrained")
for ax, name in zip(axes, shown):
    fits[name].plot_predictive(
        quantity="difference_sds", draws=100 if small else 400, random_seed=1, ax=ax
    )
    ax.set_title(name, y=1.2)

# %% [markdown]
# The additive model predicts the same standard deviation for all pairs. Near-duplicate runs, at the left, vary much less than that, and dissimilar systems vary more. This is
# why its intervals are wrong: near-duplicates share their luck, but the model counts them as independent evidence. The default follows the diagonal.

# %%
fits["matrix-t"].plot_predictive(
    quantity="means", draws=100 if small else 400, random_seed=1
);
# %% [markdown]
# Normal models are clearly wrong about zeros: they predict scores below zero instead. The censored logit-normal model predicts zeros.

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
# Does that matter for τ? Less than one might expect, because means over 50 topics are close to normal whatever the distribution of scores. The last section shows how much.
#
# ## Predicting topics that were left out
#
# `compare_models` leaves out one topic at a time and measures how well the others predict its row of scores. `elpd` is the sum of the log densities; the best model comes first. Given
# its hyperparameters, each of these models has that density in closed form. The draws of the hyperparameters are reweighted, and `max_pareto_k` above 0.7 warns
# that some topic influences them too much for that.

# %%
scored = [name for name in sampled if name != "logit-normal"]
table = bayescorr.compare_models({name: fits[name] for name in scored})
table.round(1)

# %%
print(table.attrs["words"])

# %% [markdown]
# Three caveats apply:
#
# - The comparison measures the prediction of *rows of scores*, which mostly reflects topic difficulty and correlations. τ depends on the covariance of differences and on the
#   prior on means. A model can win here without being better for τ. The elpd is nearly the same with and without the prior on means (`matrix-t`, `matrix-t-flat`), although the bias of τ at 10
#   topics is not. Groups of systems (`matrix-t-factor`) predict rows clearly better, but the next section shows the same τ.
# - Densities must refer to the same quantity. The logit-normal model has a point mass at zero, so its density is not comparable with a normal one. `compare_models`
#   refuses to mix them.
# - If Pareto k is above 0.7, the numbers are rough. Ignore differences of a few units; differences of hundreds are real.
#
# ## The effect on τ


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
# The additive models have the narrowest intervals, and these are [overconfident](../docs/explanation/exchangeable-prior.md): in a study their 90% intervals contain the
# truth about 60% of the time. `logit-normal` gives a lower τ. It also predicts several times more zeros than there are, which is a reason to doubt it here. The
# other models differ by a small fraction of their intervals.
#
# ## How much does the prior matter?
#
# `prior_topics` is the only number of the default that is not learned. Halved and doubled:

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
# `prior_sensitivity(fit)` does this for every prior. With 50 topics the prior matters little. With 10 topics it matters:

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
# P@10 takes eleven values. Many means are equal and many scores are zero. The beta-binomial model is designed for this: it counts the relevant documents among ten.

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
# The beta-binomial model reproduces the grid. But like the additive models it treats the noise of near-duplicate systems as independent, so its intervals are too
# narrow. A model can describe the scores well and still be wrong about τ.
#
# ## What to choose
#
# | situation | model |
# |---|---|
# | average precision, nDCG and other continuous measures | the default, `matrix-t` |
# | P@10 and other coarse measures | the default |
# | missing scores, known measurement error | the default (`missing="model"`, `score_sd=`) |
# | an answer at once, or a measure that no distribution fits | `bootstrap-shrunk` |
# | a reference without a prior | `flat`, the Bayesian counterpart of ML; too optimistic with few topics |
# | any interval | never an additive model |
#
# [Choose a model](../docs/explanation/models.md) has the complete list.
