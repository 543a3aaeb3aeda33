"""Data sets by name: embedded, local, and fetched from a server on this machine."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pooch
import pytest
from scipy.stats import t as student

from bayescorr import ScoresWarning, list_datasets, load_dataset
from bayescorr.errors import DatasetError, OptionError
from bayescorr.scores import registry
from bayescorr.scores.ties import equal_means, identical_systems

MATRIX = b'"sys1","sys2"\n0.5,0.25\n0.125,0\n'


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server with adhoc6_ap on it; gives the path of the file that it serves."""
    dataset = replace(registry.DATASETS["adhoc6_ap"], sha256=hashlib.sha256(MATRIX).hexdigest())
    monkeypatch.setitem(registry.DATASETS, "adhoc6_ap", dataset)
    monkeypatch.delenv("BAYESCORR_DATA", raising=False)
    monkeypatch.setenv("BAYESCORR_CACHE", str(tmp_path / "cache"))
    served = tmp_path / "served" / dataset.path
    served.parent.mkdir(parents=True)
    served.write_bytes(MATRIX)
    handler = partial(QuietHandler, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        monkeypatch.setattr(registry, "BASE_URL", f"http://127.0.0.1:{http.server_port}")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield served
        http.shutdown()
        thread.join()


def test_fetched_then_cached(server):
    scores = load_dataset("adhoc6_ap")
    expected = pd.DataFrame({"sys1": [0.5, 0.125], "sys2": [0.25, 0]}, index=["t1", "t2"])
    pd.testing.assert_frame_equal(scores, expected)
    assert scores.attrs["licence"].startswith("CC BY-SA 4.0")
    assert "SIGIR 2016" in scores.attrs["citation"]
    server.unlink()
    pd.testing.assert_frame_equal(load_dataset("adhoc6_ap"), expected)


def test_corrupted_file_is_refused_and_not_cached(server, tmp_path):
    server.write_bytes(MATRIX.replace(b"5", b"6"))
    with pytest.raises(DatasetError, match=r"adhoc6\.csv: the SHA-256 does not match"):
        load_dataset("adhoc6_ap")
    assert not list((tmp_path / "cache").glob("*.csv"))
    server.write_bytes(MATRIX)
    assert load_dataset("adhoc6_ap").shape == (2, 2)


def test_corrupted_cache_is_fetched_again(server, tmp_path):
    load_dataset("adhoc6_ap")
    cached = tmp_path / "cache" / "adhoc6_ap.csv"
    cached.write_bytes(b"rubbish")
    assert load_dataset("adhoc6_ap").shape == (2, 2)
    assert cached.read_bytes() == MATRIX


def test_missing_on_the_server(server):
    server.unlink()
    with pytest.raises(DatasetError, match="HTTP status 404"):
        load_dataset("adhoc6_ap")


def test_offline_says_how_to_get_the_file(server, monkeypatch):
    monkeypatch.setattr(registry, "BASE_URL", "http://127.0.0.1:9")  # the discard port: refused
    said = io.StringIO()
    monkeypatch.setattr(pooch.get_logger().handlers[0], "stream", said)
    with pytest.raises(DatasetError) as caught:
        load_dataset("adhoc6_ap")
    assert said.getvalue() == ""
    error = caught.value
    assert "http://127.0.0.1:9/sigir2016-correlation/" in error.message
    assert "no connection" in error.message
    assert "adhoc6_ap.csv" in error.remedy
    assert "BAYESCORR_DATA" in error.remedy
    assert "\n" not in error.message + error.remedy


def test_cache_that_cannot_be_written(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("BAYESCORR_CACHE", str(tmp_path / "file"))
    with pytest.raises(DatasetError, match="Cannot download data set"):
        load_dataset("adhoc6_ap")


@pytest.mark.parametrize("parts", [(), ("trec",)])
def test_local_folder_comes_first(parts, tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESCORR_DATA", str(tmp_path))
    monkeypatch.setattr(registry, "BASE_URL", "http://127.0.0.1:9")
    folder = tmp_path.joinpath(*parts)
    folder.mkdir(exist_ok=True)
    (folder / "web2010_ap.csv").write_bytes(MATRIX)
    dataset = replace(registry.DATASETS["web2010_ap"], sha256=hashlib.sha256(MATRIX).hexdigest())
    monkeypatch.setitem(registry.DATASETS, "web2010_ap", dataset)
    assert load_dataset("web2010_ap").shape == (2, 2)


@pytest.mark.parametrize("content", [MATRIX, b"topic,sys1,sys2\nt1,0.5,0.25\nt2,0.125,0\n"])
def test_local_file_that_is_not_the_published_one(content, tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESCORR_DATA", str(tmp_path))
    (tmp_path / "web2010_ap.csv").write_bytes(content)
    with pytest.warns(ScoresWarning, match="not the published file of 'web2010_ap'") as found:
        scores = load_dataset("web2010_ap")
    assert found[0].filename == __file__
    assert scores.shape == (2, 2)


def test_local_folder_that_does_not_exist(tmp_path, monkeypatch):
    monkeypatch.setenv("BAYESCORR_DATA", str(tmp_path / "none"))
    with pytest.raises(DatasetError, match="not a folder"):
        load_dataset("web2010_ap")


def test_unknown_name():
    with pytest.raises(OptionError, match=r"'adhoc9'\. Choose one of: adhoc5_ap, .*, demo,"):
        load_dataset("adhoc9")


def test_list():
    listed = list_datasets().set_index("name")
    assert listed.index.is_unique
    assert listed.notna().all(axis=None)
    remote = listed.drop(index="demo")
    assert (
        remote["url"].str.fullmatch(r"https://raw\.githubusercontent\.com/.*/[0-9a-f]{40}/.*").all()
    )
    assert remote["sha256"].str.fullmatch(r"[0-9a-f]{64}").all()
    assert not listed.loc["demo", "url"]


@pytest.mark.parametrize("name", [name for name in registry.DATASETS if name != "demo"])
def test_registry_describes_the_files(name, reference):
    path = reference("trec", f"{name}.csv")
    dataset = registry.DATASETS[name]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == dataset.sha256
    assert pd.read_csv(path).shape == (dataset.topics, dataset.systems)


@pytest.fixture(scope="module")
def demo_script(request):
    path = request.config.rootpath / "scripts" / "make_demo_data.py"
    spec = importlib.util.spec_from_file_location("make_demo_data", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


class TestDemo:
    def test_the_file_is_what_the_script_makes(self, demo_script):
        assert demo_script.OUTPUT.read_text(encoding="utf-8") == demo_script.make_csv()

    def test_looks_like_average_precision(self):
        scores = load_dataset("demo")
        values = scores.to_numpy()
        assert scores.shape == (50, 30)
        assert values.min() == 0
        assert values.max() <= 1
        assert 0.01 < (values == 0).mean() < 0.1
        assert pd.Series(values.ravel()).skew() > 0.5
        assert scores.corr().to_numpy().mean() > 0.3
        assert list(scores.index[:2]) == ["401", "402"]

    def test_has_two_runs_that_are_nearly_but_not_quite_the_same(self, demo_script):
        scores = load_dataset("demo")
        assert not identical_systems(scores)
        assert not equal_means(scores)
        first, second = (scores[name] for name in demo_script.TWINS)
        assert 1 <= (first != second).sum() <= 15
        assert np.corrcoef(first, second)[0, 1] > 0.999

    def test_its_ranking_is_as_uncertain_as_real_ones(self):
        """Expected tau by the t distribution of every pair (Urbano and Marrero 2016, ML)."""
        scores = load_dataset("demo").to_numpy()
        n, m = scores.shape
        above, below = np.triu_indices(m, 1)
        differences = scores[:, above] - scores[:, below]
        ratio = differences.mean(axis=0) / (differences.std(axis=0, ddof=1) / np.sqrt(n))
        discordance = student.cdf(-np.abs(ratio), df=n - 1)
        assert 0.72 < 1 - 2 * discordance.mean() < 0.88
