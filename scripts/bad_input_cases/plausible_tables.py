"""The true table, written in ways that people do and that invite a misreading."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pandas as pd
from bad_input_cases.case import MEANS, RNG, SCORES, TOPICS, Case
from bad_input_cases.score_files import file, never, same_means

import bayescorr


def plausible_tables() -> Iterator[Case]:
    """Write the true table in ways that people do, and that invite a misreading."""
    wide, flat = SCORES.rename_axis("topic"), SCORES.reset_index()
    many = pd.DataFrame({f"llm-{i}b": RNG.random(4) for i in range(40)}, TOPICS[:4])
    items = pd.DataFrame(RNG.random((5, 100))).add_prefix("item").set_index(pd.Index(list("vwxyz")))
    percent = (SCORES * 100).round(2)

    def with_row(label: str) -> str:
        return pd.concat([wide, MEANS.to_frame(label).T]).rename_axis("topic").to_csv()

    tables: dict[str, tuple[Any, ...]] = {
        "saved index column": (flat.to_csv(),),
        "index saved twice": (flat.reset_index().to_csv(),),
        "numbered topics and a saved index": (wide.reset_index(drop=True).reset_index().to_csv(),),
        "column Unnamed: 0": (flat.reset_index(names="Unnamed: 0").to_csv(index=False),),
        "models as rows, header model": (SCORES.T.rename_axis("model").to_csv(),),
        "models as rows, no header": (SCORES.T.rename_axis(None).to_csv(),),
        "models as rows, header system": (SCORES.T.rename_axis("system").to_csv(),),
        "models as rows, header run": (SCORES.T.rename_axis("run").to_csv(),),
        "40 models as rows, 4 topics": (many.T.rename_axis(None).to_csv(), "never"),
        "40 models m0, m1, ... as rows": (
            many.T.set_axis([f"m{i}" for i in range(40)]).set_axis(list("abcd"), axis=1).to_csv(),
            "never",
        ),
        "5 models as rows, 100 items": (items.to_csv(), "never"),
        "year column": (wide.assign(year=2024).to_csv(),),
        "Year column of several years": (wide.assign(Year=range(2010, 2018)).to_csv(),),
        "count column": (wide.assign(n_docs=range(100, 900, 100)).to_csv(),),
        "rank column": (wide.assign(rank=range(1, 9)).to_csv(),),
        "mean column": (wide.assign(mean=wide.mean(axis=1)).to_csv(),),
        "AVG column": (wide.assign(AVG=wide.mean(axis=1)).to_csv(),),
        "text column": (wide.assign(query="what is x").to_csv(),),
        "query text before the scores": (flat.assign(topic=[f"{t}, a b" for t in TOPICS])
                                         .to_csv(index=False),),
        "percent signs": (percent.map(lambda x: f"{x:g}%").to_csv(), (1.0, 100.0)),
        "decimal commas, semicolons": (SCORES.to_csv(sep=";", decimal=","),),
        "decimal commas, tabs": (SCORES.to_csv(sep="\t", decimal=","),),
        "quoted numbers": (SCORES.astype(str).to_csv(quoting=2),),
        "comment lines": ("# my scores\n# AP\n" + SCORES.to_csv(),),
        "R write.table": (wide.to_csv(sep=" ", quoting=2).replace('"topic" ', "", 1),),
        "R write.csv": (SCORES.rename_axis("").to_csv(quoting=2),),
        "Latin-1 topics": (SCORES.rename(index={"q1": "Zürich"}).to_csv().encode("latin-1"),),
        "trailing commas": (SCORES.to_csv().replace("\n", ",\n"),),
        "markdown": (SCORES.to_markdown() if _has("tabulate") else "| a |\n|---|\n",),
        "LaTeX": (SCORES.to_latex() if _has("jinja2") else "\\begin{tabular}", "never"),
        "HTML": (SCORES.to_html(), "never"),
    }  # fmt: skip
    for label in ("mean", "Mean", "AVG", "average", "total", "all", "MAP", "overall", "amean"):
        tables[f"row {label}"] = (with_row(label),)
    long = flat.melt("topic", var_name="system", value_name="score")
    for names in (
        ("query", "model", "accuracy"),
        ("question_id", "method", "correct"),
        ("qid", "run_id", "ndcg_cut_10"),
        ("id", "runid", "value"),
        ("item", "name", "AP"),
        ("topic", "System", "MAP"),
        ("q", "s", "x"),
    ):
        renamed = long.set_axis(list(names), axis=1)
        tables[f"long, {', '.join(names)}"] = (renamed.to_csv(index=False),)
        tables[f"long, saved index, {', '.join(names)}"] = (renamed.to_csv(),)
    tables["long, columns in another order"] = (long[["score", "system", "topic"]].to_csv(),)
    tables["long, with a saved index"] = (long.to_csv(),)
    for what, (content, *more) in tables.items():
        act = file
        options = {"factors": more[0]} if more and more[0] != "never" else {}
        if more and more[0] == "never":
            act = never
        yield Case("plausible table", what, act("scores.csv", content, **options))
    frames = {
        "DataFrame with Unnamed: 0": flat.reset_index(names="Unnamed: 0"),
        "DataFrame with a topic column": flat,
        "DataFrame with a mean row": pd.concat([wide, MEANS.to_frame("mean").T]),
        "DataFrame with a year": wide.assign(year=2024),
        "DataFrame of systems x topics": SCORES.T.rename_axis("system"),
    }
    for what, frame in frames.items():
        read = lambda _, frame=frame: same_means(bayescorr.read_scores(frame))  # noqa: E731
        yield Case("plausible table", what, read)


def _has(module: str) -> bool:
    return find_spec(module) is not None
