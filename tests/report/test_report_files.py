from __future__ import annotations

import csv
import html
import re
import shutil
import subprocess

import pandas as pd
import pytest

import bayescorr
from bayescorr.report import write
from bayescorr.report.comparison import POINTS
from bayescorr.report.figures import report_figures, save_figures
from bayescorr.report.paper import latex_ranking
from bayescorr.report.tables import markdown_table, markdown_text

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def folder(whole, tmp_path_factory):
    target = tmp_path_factory.mktemp("report") / "new" / "folder"
    return target, whole.write(target, figures=False)


def test_everything_is_written(folder):
    target, written = folder
    assert [path.relative_to(target).as_posix() for path in written] == [
        "report.html", "summary.md", "table.tex", "ranking.tex", "estimates.csv", "ranking.csv",
        "pairs.csv", "groups.csv", "posterior.nc",
    ]  # fmt: skip
    assert all(path.stat().st_size > 40 for path in written)


@pytest.mark.slow
def test_figures_are_those_for_which_there_are_numbers(whole, large, tmp_path):
    always = ["coefficients", "ranking", "ranks", "order", "rank_probabilities", "discordance"]
    predicted = ["predicted_means", "predicted_difference_sds"]
    figures = report_figures(whole)
    assert list(figures) == [*always, *predicted, "trace", "topics"]
    assert list(report_figures(large)) == [*always, "trace"]
    few = {name: figures[name] for name in ("topics", "predicted_means")}
    written, absent = save_figures(few, tmp_path)
    assert [path.name for path in written] == [
        "topics.svg", "topics.png", "topics.pdf",
        "predicted_means.svg", "predicted_means.png", "predicted_means.pdf",
    ]  # fmt: skip
    assert written[2].read_bytes().startswith(b"%PDF")
    assert not absent
    assert written[0].read_text().startswith("<?xml")
    assert written[1].read_bytes().startswith(b"\x89PNG")


def test_figures_say_what_they_show(whole):
    import matplotlib.pyplot as plt

    figures = report_figures(whole)
    trace = figures["trace"]().figure
    assert {ax.get_ylabel() for ax in trace.axes[1::2]} == {"draws"}
    assert trace.legends[0].get_texts()[-1].get_text() == "95% of bars if the chains mix"
    labels = figures["topics"]().get_legend_handles_labels()[1]
    assert "observed topics: 20" in labels
    assert figures["ranking"]().get_xlabel() == "mean AP"
    assert figures["predicted_means"]().get_ylabel() == "mean AP"
    bar = figures["discordance"]().images[0].colorbar
    assert bar.ax.get_yticklabels()[-1].get_text() == "≥ 0.5"
    plt.close("all")


def test_tables_hold_the_numbers_of_the_report(folder, whole):
    target, _ = folder
    estimates = pd.read_csv(target / "estimates.csv")
    pd.testing.assert_frame_equal(
        estimates,
        whole.estimates.astype(
            {"method": estimates["method"].dtype, "coefficient": estimates["coefficient"].dtype}
        ),
    )
    with (target / "ranking.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["system"] for row in rows] == whole.ranking["system"].tolist()
    assert [float(row["p_top3"]) for row in rows] == pytest.approx(whole.ranking["p_top"].tolist())


def test_posterior_can_be_loaded_again(folder, whole):
    target, _ = folder
    again = bayescorr.load_fit(target / "posterior.nc")
    assert again.in_words() == whole.sentence


def test_sentence_is_the_same_everywhere(folder, whole):
    target, _ = folder
    plain = {
        "summary.md": lambda text: text,
        "report.html": html.unescape,
        "table.tex": lambda text: text.replace("\\%", "%"),
    }
    for name, read in plain.items():
        text = read((target / name).read_text(encoding="utf-8"))
        assert whole.sentence in text, name
        assert POINTS in text, name


def test_table_has_a_row_per_method(whole):
    text = write.latex(whole)
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert [row.split(" & ")[0] for row in rows] == ["known", "ML", "MSQD", "RES", "KD"]
    assert all(row.count(" & ") == 3 for row in rows)
    tau = whole.headline.iloc[0]
    assert f"{tau['estimate']:.3f} [{tau['lower']:.3f}, {tau['upper']:.3f}]" in rows[0]
    assert r"$\tau$ & $\tau_{AP}$ & $\tau_{GAP}$" in text
    for what in ("table", "tabular"):
        assert text.count(rf"\begin{{{what}}}") == text.count(rf"\end{{{what}}}") == 1
    assert not re.search(r"(?<!\\)%", text.split("\n", 1)[1])


def test_table_compiles(whole, tmp_path):
    latex = shutil.which("pdflatex")
    if latex is None:
        pytest.skip("pdflatex is not installed")
    found = subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False)
    if found.returncode:
        pytest.skip("this LaTeX has no booktabs")
    document = (
        r"\documentclass{article}\usepackage{booktabs}\begin{document}\input{table}\end{document}"
    )
    (tmp_path / "table.tex").write_text(write.latex(whole))
    (tmp_path / "paper.tex").write_text(document)
    done = subprocess.run(
        [latex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "paper.pdf").stat().st_size > 5000


def test_an_estimate_without_interval_stands_alone(large):
    rows = write.table(large).set_index("method")
    expected = large.estimates.set_index(["method", "coefficient"]).loc[("SHw", "tau"), "estimate"]
    assert rows.loc["SHw", "tau"] == f"{expected:.3f}"
    assert "nan" not in write.latex(large)


def test_summary_renders(whole, folder):
    markdown = pytest.importorskip("markdown_it")
    text = (folder[0] / "summary.md").read_text(encoding="utf-8")
    found = markdown.MarkdownIt().enable("table").render(text)
    assert found.count("<table>") == 2
    assert found.count("<tr>") == 1 + 5 + 1 + len(whole.ranking)
    assert "<script>" not in found
    assert "&lt;script&gt;alert('x')&lt;/script&gt;&amp;&quot;|a_b*" in found
    assert "<em>" not in found
    assert "tau_gap" in found


def test_failure_is_said_in_every_text(large):
    for text in (write.latex(large).replace("\\_", "_"), write.summary(large).replace("\\", "")):
        assert "Not converged: " in text
        assert "Ranked by" not in text
    assert latex_ranking(large.fit).count("Not converged: ") == 1
    assert large.convergence.remedy in write.summary(large)
    assert "The other 109 systems are in ranking.csv." in write.summary(large)


def test_texts_name_the_measure(folder, whole):
    target, _ = folder
    assert "by AP on 20 topics: observed mean" in (target / "ranking.tex").read_text()
    assert "## Ranking by AP" in (target / "summary.md").read_text()
    page = (target / "report.html").read_text(encoding="utf-8")
    assert "<h2>Ranking by AP</h2>" in page
    assert '"meanLabel":"mean AP"' in page
    assert whole.sentence.startswith("Ranked by AP on 20 topics, the 10 systems correlate")


def test_ranking_for_a_paper_has_a_row_per_system(folder, whole):
    text = (folder[0] / "ranking.tex").read_text(encoding="utf-8")
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len(rows) == len(whole.ranking)
    first = whole.ranking.iloc[0]
    assert f"{first['true_mean']:.3f} [{first['lower']:.3f}, {first['upper']:.3f}]" in rows[0]
    assert f"{first['rank_lower']}--{first['rank_upper']}" in rows[0]
    assert f"{first['joint_rank_lower']}--{first['joint_rank_upper']}" in rows[0]
    assert "$P$(top 3)" in text


def test_the_verdict_comes_first(folder, whole):
    summary = (folder[0] / "summary.md").read_text(encoding="utf-8").splitlines()
    sentences = whole.verdict.sentences
    assert summary[2 : 2 + len(sentences)] == [f"- {markdown_text(words)}" for words in sentences]
    assert str(whole.needed).startswith(sentences[-1])
    assert "would decide which system is the best" in sentences[-2]
    assert sentences[-3] == whole.agreement.in_words(whole.level)
    ranking = pd.read_csv(folder[0] / "ranking.csv", dtype={"better_than": str})
    assert ranking["better_than"].fillna("").tolist() == whole.ranking["better_than"].tolist()


def test_groups_have_at_least_two_systems(folder, whole):
    table = pd.read_csv(folder[0] / "groups.csv")
    several = [group for group in whole.groups if len(group) > 1]
    assert table["size"].tolist() == [len(group) for group in several]
    for row, group in zip(table.itertuples(), several, strict=True):
        assert whole.fit.systems[row.first_rank - 1 : row.last_rank] == group
        assert row.systems == ", ".join(group)


def test_a_file_in_the_way_is_an_error(whole, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(bayescorr.BayescorrError, match=r"Cannot write .*file: "):
        whole.write(tmp_path / "file")
    (tmp_path / "summary.md").mkdir()
    with pytest.raises(bayescorr.BayescorrError, match=r"Cannot write .*summary\.md: "):
        whole.write(tmp_path)


def test_markdown_escapes_bars():
    text = markdown_table(pd.DataFrame({"a|b": ["c|d"], "n": [1]}))
    assert text.splitlines() == [r"| a\|b | n |", "| --- | --: |", r"| c\|d | 1 |"]
