"""Inferred AP of whole runs of Cranfield: Cummins 2012, figures 1 and 2."""

from __future__ import annotations

import numpy as np
import pytest

from bayescorr import aupr, aupr_exact, infer_ap, inference_error, score_runs
from bayescorr.scoredist.families import get_family
from bayescorr.scoredist.infer import fit_topics
from bayescorr.scoredist.judged import judge_run
from bayescorr.scores.trec import read_qrels, read_run

SYSTEMS = ("bm25-k1.2-b0.75-stem", "lmjm-0.2-stem")


@pytest.fixture(scope="module", params=SYSTEMS)
def data(request, reference):
    """Run, qrels and path of a whole run of Cranfield."""
    path = reference("cranfield", "full", f"{request.param}.run.gz")
    return read_run(path), read_qrels(reference("cranfield", "qrels.txt")), path


@pytest.mark.slow
class TestCranfield:
    def test_figures_1_and_2(self, data):
        """AuPR beats E[ap] in both criteria and is at its plateau by 64 points."""
        run, qrels, _ = data
        found = {
            points: inference_error(infer_ap(run, qrels, points=points, warn=False))
            for points in (4, 64, 1024)
        }
        expected = inference_error(infer_ap(run, qrels, method="expected", warn=False))
        assert found[64]["topics"] == 216
        assert found[64]["tau"] > expected["tau"] + 0.08
        assert found[64]["rmse"] < expected["rmse"] - 0.04
        assert found[64]["tau"] == pytest.approx(found[1024]["tau"], abs=0.001)
        assert found[64]["rmse"] == pytest.approx(found[1024]["rmse"], abs=0.001)
        assert found[4]["tau"] < found[64]["tau"] - 0.05

    def test_actual_ap_is_that_of_trec_eval(self, data, reference):
        pytest.importorskip("ir_measures")
        run, qrels, path = data
        table = infer_ap(run, qrels, warn=False)
        peer = score_runs(path, reference("cranfield", "qrels.txt"), "AP").iloc[:, 0]
        np.testing.assert_allclose(table["actual"], peer.loc[table.index], atol=1e-12)

    def test_algorithm_1_against_quadrature(self, data):
        model, _ = fit_topics(judge_run(*data[:2], get_family("gamma")), "gamma", True, "moments")
        areas = aupr(model, 1024)
        some = range(0, len(areas), 8)
        exact = [aupr_exact(model.entries(i), 2 * model.top[i]) for i in some]
        np.testing.assert_allclose(areas[list(some)], exact, atol=1e-3)
