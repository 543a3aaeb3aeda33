"""Options and arguments that cannot work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from bad_input_cases.case import SCORES, Case, Misread, shell

import bayescorr
from bayescorr.planning.extrapolation import extrapolate


def options(home: Path) -> Iterator[Case]:
    """Type options that cannot work."""
    scores, other, nowhere = home / "scores.csv", home / "scores.tsv", home / "no" / "file.csv"
    SCORES.to_csv(scores)
    SCORES.to_csv(other, sep="\t")
    numbers = ("x", "0", "-1", "1e99", "nan", "")
    lines: list[str] = [
        f"{command} {scores} {option} {value or repr('')}"
        for command, option in (
            ("estimate", "--level"),
            ("estimate", "--draws"),
            ("fit", "--draws"),
            ("fit", "--chains"),
            ("fit", "--level"),
            ("estimate", "--drop-worst"),
        )
        for value in numbers
        if (option, value) != ("--drop-worst", "0")
    ]
    lines += [
        f"{command} {scores} {option}"
        for command in ("estimate", "fit", "report")
        for option in (
            "--nothing",
            "--coefficients taus",
            "--missing maybe",
            "--measure nothing",
            "--format docx",
            "--seed -1",
            "--seed x",
            "--model nothing",
            "--methods MLE",
            f"--out {nowhere}",
            "--max-size 0",
            "--max-size x",
            "--transpose yes",
        )
        # Some are valid for a command: a report makes its folder.
        if not (command == "report" and option.startswith("--out"))
    ]
    lines += [
        "nothing", "estimate", f"estimate {nowhere}", f"estimate {home}", "scores nothing",
        f"fit {scores} --model flat --target-accept 2", f"show {scores}", f"show {nowhere}",
        f"report {home}/good.nc --model flat", f"fit {scores} --model flat --draws {10**14}",
        f"estimate {scores} --draws {10**14}", "study run nothing --out x", "study status nowhere",
        f"study summary {home}", "study plot nowhere", "study show x.toml",
        f"simulate {scores} --topics 0", f"simulate {scores} --topics {10**14}",
        f"simulate {scores} --topics x", f"simulate {scores} --simulator nothing",
        f"coefficient {scores}", f"correlate {scores} {other} --coefficients x",
        f"plan {scores} --target 2", f"score-runs --runs {scores} --qrels {scores}",
        f"infer-ap --run {scores} --qrels {scores}", f"score-runs --runs {nowhere} --qrels x",
        f"report {scores} --model flat --top 99", f"report {scores} --model flat --target 2",
        f"rank-sets {scores} --model flat --top 99", f"rank-sets {scores} --bootstrap wild",
        f"rank-sets {home}/good.nc --level 0.9999", f"rank-sets {home}/good.nc --resamples 0",
        f"topics {scores} --model flat --top 99", f"topics {scores} --model flat --pair a b",
        f"topics {home}/good.nc --topics 5,x", f"topics {home}/good.nc --rope 0.1",
        f"topics {home}/good.nc --winner --top 2", f"topics {home}/good.nc --target 1",
        f"allocate {scores} --model flat", f"allocate {home}/good.nc --spend x",
        f"agree {scores}", f"agree a={scores} a={other}", f"agree a={scores} b={nowhere}",
        f"agree a={scores} b={other} --top 99", f"agree a={scores} b={other} --truth c",
        f"agree a={scores} b={other} --unshared maybe", f"agree --runs {scores}",
        f"agree --qrels a={scores}", f"agree a={scores} b={other} --coefficients taus",
        f"simulate {scores} --topics 5 --out x.csv --normal --simulator copula",
        f"compare-models {scores} --models flat", f"compare-models {scores} --models a b",
        f"show {home}/good.nc --groups --pairs --csv", f"show {home}/good.nc --level 2",
        f"swap-weights {scores} --top 0", f"significance {scores} --level 2",
        f"discordance {scores} --method SH", f"correlate {scores} {nowhere}",
    ]  # fmt: skip
    for line in lines:
        words = ["" if word == "''" else word for word in line.split()]

        def act(_: Path, words: list[str] = words) -> str:
            raise Misread(f"accepted: {shell(*words)[:80]}")

        yield Case("command line", f"bayescorr {line.replace(f'{home}/', '')}", act)


def one_argument(truth: Any) -> float:
    """Return a number, but of one vector."""
    return float(truth[0])


def raising(truth: Any, observed: Any) -> float:
    """Raise an error that is not of this package."""
    raise ZeroDivisionError("division by zero")


def text(truth: Any, observed: Any) -> str:
    """Return text instead of a number."""
    return "high"


def arguments(home: Path) -> Iterator[Case]:
    """Call functions with arguments of wrong types and sizes."""
    fit = bayescorr.load_fit(home / "good.nc")
    simulator = bayescorr.ResampleSimulator(SCORES)
    estimate = lambda **o: bayescorr.estimate(SCORES, **({"draws": 10} | o))  # noqa: E731
    flat = lambda **o: bayescorr.fit(SCORES, "flat", **o)  # noqa: E731
    wrong: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "estimate: methods": (lambda x: estimate(methods=x), (None, 5, [], ["x"], [None], 0.5)),
        "estimate: coefficients": (
            lambda x: estimate(methods="ML", coefficients=x),
            (None, 5, [], ["x"], [None], one_argument, raising, text, [["tau"]]),
        ),
        "estimate: level": (lambda x: estimate(level=x), (None, "0.9", 95, -1, [0.9], True)),
        "estimate: draws": (lambda x: estimate(draws=x), (None, "9", 0, 2.5, 10**14, True)),
        "estimate: interval": (lambda x: estimate(interval=x), (None, 5, "x")),
        "estimate: missing": (lambda x: estimate(missing=x), (None, 5, "x")),
        "estimate: random_seed": (lambda x: estimate(random_seed=x), ("x", -1, 0.5)),
        "estimate: scores": (bayescorr.estimate, (None, 5, "x", [], {}, [[1, 2]], [1, 2], "a.csv")),
        "check_scores: scores": (bayescorr.check_scores, (None, 5, "x", [], object())),
        "read_scores: source": (bayescorr.read_scores, (None, 5, [], [None], "", "\0", object())),
        "fit: model": (lambda x: bayescorr.fit(SCORES, x), (5, "x", [], object())),
        "fit: priors": (
            lambda x: bayescorr.fit(SCORES, "bootstrap-shrunk", priors=x),
            (5, "x", [1], {"prior_topics": "a"}, {"prior_topics": None}, {"x": 1}),
        ),
        "fit: draws": (lambda x: flat(draws=x), (None, "9", 0, 1.5, 10**14)),
        "fit: score_sd": (lambda x: flat(score_sd=x), (5, "x", SCORES)),
        "fit: nuts_sampler": (lambda x: flat(nuts_sampler=x), (None, 5, "x")),
        "Fit.from_draws: draws": (
            lambda x: bayescorr.Fit.from_draws(x, SCORES),
            (None, 5, "x", [], [[1, 2]], [[np.nan] * 4] * 4, [["a"] * 4] * 4),
        ),
        "Fit.draws: coefficient": (fit.draws, (None, 5, "x", one_argument, raising, text)),
        "Fit.estimates: coefficients": (
            lambda x: fit.estimates(coefficients=x), (None, 5, [], ["x"], one_argument, raising)
        ),
        "Fit.estimates: level": (fit.estimates, (None, "0.9", 95)),
        "Fit.estimates: point": (lambda x: fit.estimates(point=x), (5, "mode")),
        "Fit.estimates: kind": (lambda x: fit.estimates(kind=x), (None, 5, "x")),
        "Fit.to_netcdf: path": (fit.to_netcdf, (None, 5, home, home / "no" / "fit.nc", "")),
        "load_fit: path": (bayescorr.load_fit, (None, 5, "", home, "nowhere.nc")),
        "compare_systems": (lambda x: fit.compare_systems(x, "dpr"), (None, 5, "x")),
        "extrapolate: n_topics": (
            lambda x: extrapolate(SCORES, x), (None, "x", 0, [], [None], 0.5, -3)
        ),
        "extrapolate: methods": (
            lambda x: extrapolate(SCORES, 5, methods=x), (None, 5, ["x"], ["RES"])
        ),
        "expected_coefficient: n_topics": (
            lambda x: bayescorr.expected_coefficient(fit, x), ("x", 0, [], [None], 0.5)
        ),
        "topics_needed: target": (
            lambda x: bayescorr.topics_needed(fit, target=x), (None, "0.9", 1, 2, np.nan)
        ),
        "Simulator.sample: n_topics": (simulator.sample, (None, "x", 0, -1, 2.5, 10**14)),
        "Simulator.sample_means: size": (
            lambda x: simulator.sample_means(5, x), (None, "x", 0, 10**14)
        ),
        "Simulator.save: path": (simulator.save, (None, 5, home, home / "no" / "s.json")),
        "load_simulator: path": (bayescorr.load_simulator, (None, 5, home, "nowhere.json")),
        "EffectsSimulator: truth": (
            lambda x: bayescorr.EffectsSimulator(SCORES, truth=x), (None, 5, "x")
        ),
        "tau: truth": (lambda x: bayescorr.tau(x, [1, 2, 3]), (None, 5, "x", [], [1, 2])),
        "correlate: coefficients": (
            lambda x: bayescorr.correlate([1, 2, 3], [1, 3, 2], x),
            (None, 5, "x", one_argument, raising),
        ),
        "discordance: method": (lambda x: bayescorr.discordance(SCORES, x), (None, 5, "x", "SH")),
        "run_study: study": (lambda x: bayescorr.run_study(x, home), (None, 5, "x", home / "no")),
        "read_results: folder": (bayescorr.read_results, (None, 5, home, "nowhere")),
        "score_runs: runs": (lambda x: bayescorr.score_runs(x, home), (None, 5, [], "", [None])),
        "drop_worst: share": (lambda x: bayescorr.drop_worst(SCORES, x), (None, "x", -1, 1, 2)),
        "load_dataset: name": (bayescorr.load_dataset, (None, 5, "x", "")),
        "get_model: name": (lambda x: bayescorr.fit(SCORES, model=x), (5, "MATRIX")),
    }  # fmt: skip
    for name, (function, values) in wrong.items():
        for value in values:

            def act(_: Path, function: Any = function, value: Any = value) -> str:
                raise Misread(f"accepted: {str(function(value))[:80]}")

            said = getattr(value, "__name__", None) or repr(value).split(" at 0x")[0]
            said = "a DataFrame" if isinstance(value, pd.DataFrame) else said
            yield Case("argument", f"{name} = {said.replace(str(home), 'DIR')}", act)
