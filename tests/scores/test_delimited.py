from __future__ import annotations

import pandas as pd
import pytest

from bayescorr import ScoresError, read_scores

SCORES = pd.DataFrame({"bm25": [0.5, 0.25], "lm": [0.125, 1.0]}, index=["401", "402"])
TEXT = SCORES.to_csv(index_label="topic")
LONG = """"item" "model" "score"
"1" 401 "bm25" 0.5
"2" 402 "bm25" 0.25
"3" 401 "lm" 0.125
"4" 402 "lm" 1
"""
FORMATS = {
    "comments above": f"# my scores\n# AP, 2 systems\n{TEXT}",
    "comment with one field less": f"#\n# a\n{TEXT}",
    "comment inside": TEXT.replace("402", "# half way\n402"),
    "comment below": f"{TEXT}# the end\n",
    "header in a comment": f"#{TEXT}",
    "header in a comment, blanks": f"# {TEXT}".replace(",", " "),
    "header in the last comment": f"# AP of two systems\n# {TEXT}",
    "blanks": TEXT.replace(",", " "),
    "aligned blanks": SCORES.rename_axis("topic").reset_index().to_string(index=False),
    "blanks at the ends": TEXT.replace(",", " ").replace("\n", "  \n"),
    "R's write.table": '"bm25" "lm"\n"401" 0.5 0.125\n"402" 0.25 1\n',
    "R's write.table of a long table": LONG,
    "Mac line ends": TEXT.replace("\n", "\r"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_round_trip(tmp_path, name):
    (tmp_path / "s.txt").write_text(FORMATS[name], newline="")
    pd.testing.assert_frame_equal(read_scores(tmp_path / "s.txt"), SCORES, check_names=False)


def test_labels_may_start_with_a_hash(tmp_path):
    (tmp_path / "s.csv").write_text("topic,a,b\n#12,0.5,0.25\n#13,0.125,1\n")
    assert list(read_scores(tmp_path / "s.csv").index) == ["#12", "#13"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # A comment with as many cells as a row is never a row that is lost.
        (TEXT.replace("402", "# a, b, c\n402"), r"line 3, column 'bm25': 'b'"),
        ("one two three\n1 2\n1 2 3\n", r"line 1: the header has a single column: 'one two three'"),
    ],
)
def test_what_is_malformed(tmp_path, text, message):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(ScoresError, match=message):
        read_scores(tmp_path / "s.csv")
