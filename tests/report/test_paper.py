"""The LaTeX ranking: superscripts agree with the decided pairs, and the table compiles."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import bayescorr
from bayescorr import Fit, latex_ranking

#: Characters that LaTeX would read as commands.
NASTY = "a_b & 50% #1 ${x}^~\\"


def make_fit(systems, draws=800):
    """Systems whose means differ by about the noise of their true means."""
    rng = np.random.default_rng(1)
    means = np.linspace(0.6, 0.2, systems)
    names = [NASTY, *(f"system-{i}" for i in range(2, systems + 1))]
    scores = pd.DataFrame(means + 0.001 * rng.standard_normal((20, systems)), columns=names)
    return Fit.from_draws(means + 0.02 * rng.standard_normal((draws, systems)), scores)


@pytest.fixture(scope="module", params=[3, 30, 129])
def fit(request):
    return make_fit(request.param)


def rows_of(text):
    """Cells of the rows of the body."""
    body = text[text.rindex(r"\midrule") : text.index(r"\bottomrule")]
    return [
        line.removesuffix(r" \\").split(" & ") for line in body.splitlines()[1:] if line[0] != "\\"
    ]


def read_marks(cell, systems):
    """Positions of the systems that a superscript names."""
    found = re.search(r"\\textsuperscript\{(.*)\}", cell)
    names = "abcdefghijklmnopqrstuvwxyz" if systems <= 26 else range(1, systems + 1)
    position = {str(name): i for i, name in enumerate(names)}
    marks: set[int] = set()
    for part in found.group(1).split(",") if found else []:
        first, _, last = part.partition("--")
        marks |= set(range(position[first], position[last or first] + 1))
    return marks


@pytest.mark.parametrize("together", [True, False])
def test_superscripts_are_the_decided_pairs(fit, together):
    text = latex_ranking(fit, 0.9, together=together)
    rows, pairs = rows_of(text), fit.decided_pairs(0.9, together=together)
    m = len(fit.systems)
    assert len(rows) == m
    better = pairs.better.to_numpy()
    for i, row in enumerate(rows):
        cell = next(cell for cell in row if re.fullmatch(r"0\.\d{3}(\\textsuper.*)?", cell))
        assert read_marks(cell, m) == set(np.flatnonzero(better[i]))
    assert (f"probability {pairs.probability:.3f}" in text) == together
    assert ("each pair alone with probability at least 0.9" in text) != together


def test_names_are_escaped_and_letters_belong_to_systems():
    text = latex_ranking(make_fit(3))
    escaped = r"a\_b \& 50\% \#1 \$\{x\}\textasciicircum{}\textasciitilde{}\textbackslash{} (a)"
    assert escaped in text
    assert "system-3 (c)" in text
    assert "(a)" not in latex_ranking(make_fit(30))


def test_many_systems_take_several_pages():
    few, many = latex_ranking(make_fit(30)), latex_ranking(make_fit(129))
    assert r"\begin{table}" in few
    assert r"\begin{longtable}" in many
    assert r"\endhead" in many
    assert r"\begin{table}" not in many
    # Ranges keep superscripts short.
    assert max(map(len, re.findall(r"textsuperscript\{(.*?)\}", many))) < 60


def test_a_failed_fit_says_so_in_the_caption():
    rng = np.random.default_rng(1)
    chains = rng.standard_normal((4, 200, 3)) + np.arange(4)[:, None, None] * [1.0, 2.0, -1.0]
    fit = Fit.from_draws(chains, pd.DataFrame(rng.random((5, 3)), columns=list("abc")))
    assert r"\caption{Not converged: " in latex_ranking(fit)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_table_compiles(fit, tmp_path):
    document = "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage{booktabs,longtable}",
            r"\begin{document}",
            latex_ranking(fit),
            latex_ranking(fit, together=False).replace("tab:ranking", "tab:pairwise"),
            r"\end{document}",
        ]
    )
    (tmp_path / "paper.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    # The second run settles the columns of long tables.
    for _ in range(2):
        found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stdout[-2000:]
    # In the narrow column of this class, few systems nearly fit, and many stay on the page.
    too_wide = [float(width) for width in re.findall(r"\(([\d.]+)pt too wide\)", found.stdout)]
    assert max(too_wide, default=0.0) < (72 if len(fit.systems) > 40 else 10)


def test_braces_and_environments_are_balanced(fit):
    text = latex_ranking(fit)
    plain = re.sub(r"\\[\\{}]", "", text)
    assert plain.count("{") == plain.count("}")
    opened = re.findall(r"\\begin\{(\w+)\}", text)
    assert opened == re.findall(r"\\end\{(\w+)\}", text)[::-1]
    columns = re.search(r"\{([lr]{5,})\}", text)
    assert columns
    assert {len(row) for row in rows_of(text.replace(r"\&", ""))} == {len(columns.group(1))}


def test_the_command_prints_either_version(tmp_path):
    from typer.testing import CliRunner

    from bayescorr.cli import app

    fit = make_fit(4)
    path = fit.to_netcdf(tmp_path / "fit.nc")
    runner = CliRunner()
    joint, pairwise = (
        runner.invoke(app, ["show", str(path), "--ranking", "--latex", *more]).stdout
        for more in ([], ["--pairwise"])
    )
    assert joint.strip() in latex_ranking(fit)
    assert pairwise.strip() in latex_ranking(fit, together=False)
    assert bayescorr.latex_ranking is latex_ranking
