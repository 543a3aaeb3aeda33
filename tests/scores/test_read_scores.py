"""Every format read back equal to the same matrix, and what is done about ambiguity."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from bayescorr import ScoresError, read_scores
from bayescorr.errors import OptionError
from bayescorr.scores import read
from bayescorr.scores.frames import NAMES, is_name
from bayescorr.scores.tables import Format, Table

SCORES = pd.DataFrame(
    {
        "bm25": [0.1, 0.25, 0.0, 1.0],
        "bm25-rm3": [0.125, 0.0003, 0.5, 1e-05],
        "lm": [0, 0, 0.75, 0.3],
    },
    index=["401", "402", "403", "10"],
)
OTHER = SCORES / 2


def melt(scores, measure=None):
    rows = [
        {"name": system, "qid": topic, "value": scores.loc[topic, system]}
        for system in scores.columns
        for topic in scores.index
    ]
    frame = pd.DataFrame(rows)
    return frame if measure is None else frame.assign(measure=measure)


def trec_eval_text(system, runid=True):
    lines = [f"runid                 \tall\t{system}"] if runid else []
    for name, scores in (("map", SCORES), ("P_10", OTHER)):
        lines += [f"{name:22}\t{t}\t{scores.loc[t, system]}" for t in scores.index]
    lines += [f"num_q                 \tall\t{len(SCORES)}", "map                   \tall\t0.9999"]
    return "\n".join(lines) + "\n"


def ir_measures_text(system, summary=True):
    lines = [f"{t}\tAP\t{SCORES.loc[t, system]}" for t in SCORES.index]
    return "\n".join([*lines, "all\tAP\t0.9999"] if summary else lines) + "\n"


def ir_measures_json(system):
    rows = [(t, SCORES.loc[t, system]) for t in SCORES.index] + [("all", 0.9999)]
    return "\n".join(json.dumps({"query_id": t, "measure": "AP", "value": v}) for t, v in rows)


def one_file_per_run(folder, text, ending="txt"):
    for system in SCORES.columns:
        content = text(system).encode()
        data = gzip.compress(content) if ending.endswith("gz") else content
        (folder / f"{system}.{ending}").write_bytes(data)
    return folder


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def zipped(path, text):
    path.write_bytes(gzip.compress(text.encode()))
    return path


def parquet(path, frame):
    frame.to_parquet(path)
    return path


def quoted(text):
    return '"' + text.replace(",", '","').replace("\n", '"\n"').removesuffix('"')


def array(order=("topic", "system")):
    return xr.DataArray(
        SCORES.to_numpy(),
        dims=("topic", "system"),
        coords={"topic": list(SCORES.index), "system": list(SCORES.columns)},
    ).transpose(*order)


def write_table(frame):
    """Write a frame as R does: the rows are numbered, and that column has no header."""
    numbered = frame.set_axis(range(1, len(frame) + 1))
    return ",".join(frame.columns) + "\n" + numbered.to_csv(header=False)


LONG = {"system": "name", "topic": "qid", "score": "value"}
FORMATS = {
    "wide csv": lambda d: write(d / "s.csv", SCORES.to_csv(index_label="topic")),
    "wide csv with R's row names": lambda d: write(d / "s.csv", SCORES.to_csv(index_label="")),
    "wide csv quoted": lambda d: write(d / "s.csv", quoted(SCORES.to_csv(index_label="topic"))),
    "wide csv of R's write.table": lambda d: write(
        d / "s.csv", ",".join(SCORES.columns) + "\n" + SCORES.to_csv(header=False)
    ),
    "long tsv of R's write.table": lambda d: write(
        d / "s.tsv", write_table(melt(SCORES)).replace(",", "\t")
    ),
    "wide csv with a byte order mark": lambda d: write(
        d / "s.csv", "\ufeff" + SCORES.to_csv(index_label="qid")
    ),
    "wide csv with Windows line ends": lambda d: write(
        d / "s.csv", SCORES.to_csv(index_label="qid").replace("\n", "\r\n")
    ),
    "wide csv, topics in the last column": lambda d: write(
        d / "s.csv", SCORES.assign(topic=SCORES.index).to_csv(index=False)
    ),
    "wide csv with separators at the ends of lines": lambda d: write(
        d / "s.csv", SCORES.to_csv(index_label="topic").replace("\n", ",\n").replace("lm,", "lm")
    ),
    "wide tsv": lambda d: write(d / "s.tsv", SCORES.to_csv(sep="\t", index_label="query_id")),
    "wide semicolons": lambda d: write(d / "s.csv", SCORES.to_csv(sep=";", index_label="Topic")),
    "wide gz": lambda d: zipped(d / "s.csv.gz", SCORES.to_csv(index_label="topic")),
    "wide parquet": lambda d: parquet(d / "s.parquet", SCORES),
    "long csv": lambda d: write(d / "s.csv", melt(SCORES).to_csv(index=False)),
    "long csv, other names": lambda d: write(
        d / "s.csv",
        melt(SCORES)[["value", "qid", "name"]].to_csv(
            index=False, header=["score", "Topic", "SYSTEM"]
        ),
    ),
    "long tsv gz": lambda d: zipped(d / "s.tsv.gz", melt(SCORES).to_csv(sep="\t", index=False)),
    "long parquet": lambda d: parquet(d / "s.parquet", melt(SCORES)),
    "long csv, one measure": lambda d: write(d / "s.csv", melt(SCORES, "AP").to_csv(index=False)),
    "long csv, one column of any name": lambda d: write(
        d / "s.csv", melt(SCORES).rename(columns={"value": "AP"}).to_csv(index=False)
    ),
    "DataFrame": lambda d: SCORES,
    "DataFrame, systems first": lambda d: SCORES.rename_axis(index="topic", columns="run_id").T,
    "DataFrame with a topic column": lambda d: SCORES.rename_axis("qid").reset_index(),
    "PyTerrier's perquery frame": lambda d: melt(SCORES, "map"),
    "a filtered long frame": lambda d: pd.concat([melt(OTHER, "P_10"), melt(SCORES, "map")]).query(
        "measure == 'map'"
    ),
    "xarray": lambda d: array(),
    "xarray, systems first": lambda d: array(("system", "topic")),
    "xarray, systems first, other names": lambda d: array(("system", "topic")).rename(
        system="run_id", topic="topic_id"
    ),
    "ir_measures folder": lambda d: one_file_per_run(d, ir_measures_text),
    "ir_measures without summary": lambda d: one_file_per_run(
        d, lambda s: ir_measures_text(s, summary=False)
    ),
    "ir_measures jsonl": lambda d: one_file_per_run(d, ir_measures_json, "jsonl"),
}
CHOSEN = {
    "trec_eval folder": (lambda d: one_file_per_run(d, trec_eval_text), "map"),
    "trec_eval pattern": (lambda d: str(one_file_per_run(d, trec_eval_text) / "*.txt"), "map"),
    "trec_eval list": (lambda d: sorted(one_file_per_run(d, trec_eval_text).iterdir()), "map"),
    "trec_eval gz": (lambda d: one_file_per_run(d, trec_eval_text, "eval.gz"), "map"),
    "trec_eval without runid": (
        lambda d: one_file_per_run(d, lambda s: trec_eval_text(s, runid=False)),
        "map",
    ),
    "long csv, two measures": (
        lambda d: write(
            d / "s.csv", pd.concat([melt(OTHER, "P@10"), melt(SCORES, "AP")]).to_csv(index=False)
        ),
        "AP",
    ),
    "long csv, two columns": (
        lambda d: write(
            d / "s.csv",
            melt(SCORES).rename(columns={"value": "AP"}).assign(P10=0.5).to_csv(index=False),
        ),
        "AP",
    ),
    "PyTerrier's frame, two measures": (
        lambda d: pd.concat([melt(SCORES, "map"), melt(OTHER, "P_10")]),
        "map",
    ),
}


def assert_same(read):
    pd.testing.assert_frame_equal(
        read.loc[SCORES.index, SCORES.columns], SCORES, check_exact=True, check_names=False
    )
    assert read.shape == SCORES.shape
    assert (read.dtypes == "float64").all()


@pytest.mark.parametrize("name", FORMATS)
def test_round_trip(name, tmp_path):
    assert_same(read_scores(FORMATS[name](tmp_path)))


@pytest.mark.parametrize("name", CHOSEN)
def test_round_trip_of_the_measure_asked_for(name, tmp_path):
    make, measure = CHOSEN[name]
    assert_same(read_scores(make(tmp_path), measure=measure))


@pytest.mark.parametrize("name", CHOSEN)
def test_several_measures_and_none_asked_for(name, tmp_path):
    make, measure = CHOSEN[name]
    with pytest.raises(ScoresError, match=rf"2 measures: .*'{measure}'.* Choose one with measure"):
        read_scores(make(tmp_path))


def test_matrix_without_labels(tmp_path):
    path = write(tmp_path / "s.csv", SCORES.to_csv(index=False))
    expected = SCORES.set_axis(["t1", "t2", "t3", "t4"])
    pd.testing.assert_frame_equal(read_scores(path), expected, check_exact=True)
    pd.testing.assert_frame_equal(read_scores(path, format="matrix"), expected, check_exact=True)


def test_array():
    np.testing.assert_array_equal(read_scores(SCORES.to_numpy()), SCORES)


def test_the_trec_matrices(trec, reference):
    path = reference("trec", "adhoc6_ap.csv")
    pd.testing.assert_frame_equal(read_scores(path), trec("adhoc6_ap"), check_exact=True)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ir_measures' own, on Python 3.12+
def test_real_output_of_ir_measures(tmp_path, monkeypatch, capsys):
    """The text that ir_measures itself prints, for two runs."""
    main_cli = pytest.importorskip("ir_measures.__main__").main_cli
    qrels = write(tmp_path / "qrels", "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n")
    folder = tmp_path / "out"
    folder.mkdir()
    for name, first in (("good", "d1"), ("poor", "d2")):
        other = {"d1": "d2", "d2": "d1"}[first]
        run = write(
            tmp_path / f"{name}.run",
            f"q1 Q0 {first} 1 2 x\nq1 Q0 {other} 2 1 x\nq2 Q0 {first} 1 1 x\n",
        )
        arguments = ["ir_measures", "-q", str(qrels), str(run), "AP", "nDCG@10"]
        monkeypatch.setattr("sys.argv", arguments)
        main_cli()
        write(folder / f"{name}.txt", capsys.readouterr().out)
    scores = read_scores(folder, measure="AP")
    assert scores.to_dict() == {"good": {"q1": 1.0, "q2": 1.0}, "poor": {"q1": 0.5, "q2": 0.0}}


def test_missing_cells_stay_missing(tmp_path):
    path = write(tmp_path / "s.csv", "topic,a,b\n1,,0.5\n2,NA,0.25\n3,0.5,nan\n")
    assert read_scores(path).isna().to_numpy().tolist() == [
        [True, False],
        [True, False],
        [False, True],
    ]


def test_a_topic_that_one_run_lacks_is_missing(tmp_path):
    write(tmp_path / "a.txt", "map\t1\t0.5\nmap\t2\t0.25\n")
    write(tmp_path / "b.txt", "map\t2\t0.75\n")
    scores = read_scores(tmp_path)
    assert scores.loc["2"].tolist() == [0.25, 0.75]
    assert np.isnan(scores.loc["1", "b"])


def test_topics_keep_the_order_in_which_runs_have_them(tmp_path):
    write(tmp_path / "a.txt", "map\tz\t0.5\nmap\tb\t0.25\n")
    write(tmp_path / "b.txt", "map\tb\t0.75\nmap\ta\t0.5\n")
    assert list(read_scores(tmp_path).index) == ["z", "b", "a"]


def test_a_format_is_one_entry(tmp_path, monkeypatch):
    """A reader that a contributor adds: pairs of lines, a system and its scores by topic."""

    def read_pairs(file):
        lines = file.text.splitlines()[1:]
        cells = [
            [system, *cell.split(":")]
            for system, scores in zip(lines[::2], lines[1::2], strict=True)
            for cell in scores.split()
        ]
        header = ["system", "topic", "score"]
        places = [f"line {i}" for i in range(len(cells))]
        return Table.of_rows(str(file.path), header, cells, places, shape="long")

    pairs = Format("pairs", "Pairs of lines.", lambda file: file.text[:5] == "pairs", read_pairs)
    monkeypatch.setattr(read, "FORMATS", {"pairs": pairs, **read.FORMATS})
    lines = [
        f"{system}\n" + " ".join(f"{topic}:{score}" for topic, score in scores.items())
        for system, scores in SCORES.items()
    ]
    assert_same(read_scores(write(tmp_path / "s.txt", "pairs\n" + "\n".join(lines))))


def test_the_documentation_lists_every_format():
    assert all(f"- ``{name}``: " in read_scores.__doc__ for name in read.DESCRIPTIONS)


def test_run_ids_that_clash_give_way_to_file_names(tmp_path):
    for name, run in (("a", "mine"), ("b", "mine"), ("c", "other")):
        write(tmp_path / f"{name}.eval", f"runid\tall\t{run}\nmap\t1\t0.5\nmap\t2\t0.25\n")
    assert list(read_scores(tmp_path).columns) == ["a", "b", "other"]


def test_unknown_format():
    with pytest.raises(OptionError, match="ir_measures, json, lm_eval, long, matrix"):
        read_scores(SCORES, format="excel")


names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6)
headers = names.filter(lambda name: not name.isdigit() and name not in ("0.", ".0"))
# A column named run-tag or run-id of whole numbers could also be a column of system names.
system_names = headers.map("run-".__add__).filter(
    lambda name: not any(is_name(name, some) for some in NAMES["system"])
)


@st.composite
def tables(draw):
    systems = draw(st.lists(system_names, min_size=2, max_size=4, unique=True))
    topics = draw(st.lists(names.map("t".__add__), min_size=2, max_size=5, unique=True))
    cell = st.floats(0, 1, allow_subnormal=False)
    values = [[draw(cell) for _ in systems] for _ in topics]
    return pd.DataFrame(values, index=pd.Index(topics), columns=pd.Index(systems))


@given(scores=tables())
def test_wide_text_round_trip(scores, tmp_path_factory):
    path = tmp_path_factory.mktemp("wide") / "s.csv"
    scores.to_csv(path, index_label="topic")
    pd.testing.assert_frame_equal(read_scores(path), scores, check_exact=True)


@given(scores=tables(), data=st.data())
def test_the_order_of_long_rows_is_irrelevant(scores, data):
    long = melt(scores)
    shuffled = long.iloc[data.draw(st.permutations(range(len(long))))]
    read = read_scores(shuffled)
    pd.testing.assert_frame_equal(read.loc[scores.index, scores.columns], scores, check_exact=True)
