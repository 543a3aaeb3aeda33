# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Human and LLM judgments: from runs and two qrels to a sentence, a figure and a LaTeX row
#
# You have the runs of several systems, the judgments of people, and those of a language model. Does the model rank the systems as people do? One τ between the two
# rankings cannot say: the topics are a sample, so both rankings are noisy, and they share a part of that noise. This notebook estimates τ between the two *true*
# rankings, over all such topics.
#
# It makes its own collection in one cell, so the faults of the judge are known: 12 systems on 50 topics. The judge flips some labels at random, and it likes a part of
# what only the neural systems find.

# %%
import os
import shutil
from pathlib import Path

import numpy as np

import bayescorr

draws = 200 if os.environ.get("BAYESCORR_NOTEBOOKS") == "small" else 1000
folder = Path("judged-collection")


def make_collection(topics=50, documents=60, seed=4):
    """Write runs and two files of judgments in TREC format."""
    rng = np.random.default_rng(seed)
    systems = {f"lexical-{i}": (0.5 + 0.12 * i, 0) for i in range(6)}
    systems |= {f"neural-{i}": (0.6 + 0.12 * i, 1) for i in range(6)}
    runs = {name: [] for name in systems}
    human, llm = [], []
    for topic in range(1, topics + 1):
        relevant = rng.random(documents) < 0.2
        # Documents that please the neural systems, relevant or not.
        modern = rng.random(documents) < 0.3
        hard = rng.normal(0, 0.4)
        for name, (skill, neural) in systems.items():
            score = (skill - hard) * 1.5 * relevant + 1.2 * neural * modern
            order = np.argsort(-(score + rng.standard_normal(documents)))[:20]
            runs[name] += [
                f"{topic} Q0 d{doc} {rank} {21 - rank} {name}" for rank, doc in enumerate(order, 1)
            ]
        judged = relevant ^ (rng.random(documents) < 0.05)
        judged |= modern & (rng.random(documents) < 0.25)
        human += [f"{topic} 0 d{doc} {int(grade)}" for doc, grade in enumerate(relevant)]
        llm += [f"{topic} 0 d{doc} {int(grade)}" for doc, grade in enumerate(judged)]
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for name, lines in runs.items():
        (folder / "runs" / f"{name}.run").write_text("\n".join(lines))
    (folder / "human.qrels").write_text("\n".join(human))
    (folder / "llm.qrels").write_text("\n".join(llm))


make_collection()

# %% [markdown]
# ## Score the runs by both judges

# %%
judges = {"human": folder / "human.qrels", "llm": folder / "llm.qrels"}
scores = bayescorr.score_runs(folder / "runs", judges, measure="nDCG@10")
scores["llm"].iloc[:3, :4].round(2)

# %% [markdown]
# ## The sentence
#
# All conditions are fitted together. The first one plays the truth. A Laplace approximation takes a second or two; leave out `inference` to sample the posterior instead.

# %%
agreement = bayescorr.fit_conditions(scores, inference="laplace", draws=draws, random_seed=1)
print(agreement.in_words())

# %% [markdown]
# The interval is that of τ between the two true rankings. It is not an interval around the observed τ.
#
# Other coefficients answer other questions: `tau@4` only looks at the four truly best systems, `overlap@4` compares the two top fours, and `max_drop` is the largest
# number of ranks that any system loses.

# %%
agreement.estimates(coefficients=["tau", "tau_ap", "tau@4", "overlap@4", "rbo", "max_drop"]).drop(
    columns=["judge", "method", "level"]
).round(2)

# %% [markdown]
# ## Which systems does the judge favour?
#
# The shift of a system is its standardised true mean by the judge less that by people. Here the neural systems gain, as they should.

# %%
agreement.shifts()[["system", "shift", "lower", "upper", "p_favoured", "rank_shift"]].round(2)

# %% [markdown]
# ## Do the judges agree on documents?
#
# Papers print Cohen's κ or Krippendorff's α in the same table. The intervals come from a bootstrap of the topics.

# %%
kappa = bayescorr.judgment_agreement(judges, resamples=draws, random_seed=1)
kappa.drop(columns=["judge", "level"]).round(3)

# %% [markdown]
# ## The figure and the LaTeX row
#
# The report has all of this on one page, with tables and figures as files.

# %%
report = bayescorr.make_agreement_report(agreement, judgments=kappa)
files = report.write(folder / "agree", figures=False)
print(*(path.name for path in files))

# %%
print((folder / "agree" / "table.tex").read_text())

# %%
from bayescorr.report.agreement_plots import plot_agreement, plot_true_ranks

plot_agreement(report);

# %%
plot_true_ranks(report, "llm");

# %% [markdown]
# One command does the same from the shell:
#
# ```text
# bayescorr agree --runs 'runs/*' --qrels human=human.qrels --qrels llm=llm.qrels --measure nDCG@10 --out agree
# ```

# %%
shutil.rmtree(folder)
