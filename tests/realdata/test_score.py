"""`score` on ASQA's dev set: people, the question eight times, and a system given knowledge."""

import json

import pytest

from metrics.cli import main
from metrics.inputs.asqa import read_references

pytestmark = pytest.mark.realdata


@pytest.fixture
def score(realdata, monkeypatch, capsys):
    """score(option…): what `manage.py score asqa --json` prints for the dev set."""
    monkeypatch.setenv("NLTK_DATA", str(realdata / "nltk_data"))
    path = realdata / "asqa/ASQA.dev.json"
    if not path.exists():
        pytest.skip(f"{path} is missing")

    def score(*options):
        words = ["asqa", "--references", str(path), "--json", *map(str, options)]
        assert main(words, prog="score") == 0
        return json.loads(capsys.readouterr().out)

    score.references = read_references(path)
    score.records = json.loads(path.read_bytes())["dev"]
    return score


def test_each_annotator_against_the_other(score):
    both = [score("--annotator", number) for number in (1, 2)]
    assert [found["n"] for found in both] == [948, 948]
    # One is as good as the other, and ROUGE-L is that of their agreement: the paper has 49.6.
    rouge = [found["rouge_lsum"] for found in both]
    assert sum(rouge) / 2 == pytest.approx(49.44, abs=0.01)
    assert sum(found["length"] for found in both) / 2 == pytest.approx(64.8, abs=0.05)
    assert sum(found["str_em"] for found in both) / 2 == pytest.approx(98.4, abs=0.05)
    assert "annotator:2|annotations:others" in both[1]["signatures"]["rouge_lsum"]


def test_an_oracle_against_the_other_annotator(score, tmp_path):
    """What has the longest answer is scored against the other: as that annotator is."""
    longest = {
        name: max(question.annotations, key=lambda row: len(row.long_answer)).long_answer
        for name, question in score.references.items()
    }
    path = tmp_path / "oracle.json"
    path.write_text(json.dumps(longest))
    alone, nearest = (
        score("--predictions", path, *options) for options in (("--leave-out", "longest"), ())
    )
    assert alone["n"] == nearest["n"] == 948
    assert nearest["rouge_lsum"] == pytest.approx(100)  # it is one of the two
    assert 45 < alone["rouge_lsum"] < 55
    assert alone["str_em"] == nearest["str_em"]  # which asks the disambiguations
    assert "annotations:without-longest" in alone["signatures"]["rouge_lsum"]


def test_the_question_eight_times(score, tmp_path):
    texts = {
        name: " ".join([record["ambiguous_question"]] * 8) for name, record in score.records.items()
    }
    path = tmp_path / "question.json"
    path.write_text(json.dumps(texts))
    found = score("--predictions", path)
    assert (round(found["length"], 1), round(found["str_em"], 1)) == (71.6, 1.2)
