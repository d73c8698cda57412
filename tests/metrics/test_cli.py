"""The command line: every task, as text and as JSON; sentences and exit status for the rest."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from metrics import cli
from metrics.proportions import wilson_interval

ROOT = Path(__file__).resolve().parents[2]
AMBIGQA = [
    {
        "id": "1",
        "question": "When did the tunnel open?",
        "annotations": [
            {
                "type": "multipleQAs",
                "qaPairs": [
                    {"question": "When did the tunnel open to people?", "answer": ["1843"]},
                    {"question": "When did the tunnel open to trains?", "answer": ["1869"]},
                ],
            }
        ],
    },
    {
        "id": "2",
        "question": "Who built it?",
        "annotations": [{"type": "singleAnswer", "answer": ["M. Brunel", "Marc Brunel"]}],
    },
]
ASQA = {
    "dev": {
        "1": {
            "ambiguous_question": "When did the tunnel open?",
            "qa_pairs": [
                {"question": "To people?", "short_answers": ["1843"]},
                {"question": "To trains?", "short_answers": ["1869"]},
            ],
            "annotations": [{"long_answer": "It opened to people in 1843, to trains in 1869."}],
        }
    }
}
NQ_SPAN = {"start_byte": 10, "end_byte": 20, "start_token": 1, "end_token": 3}
NULL = dict.fromkeys(NQ_SPAN, -1)
NQ_ROW = {"long_answer": NQ_SPAN, "short_answers": [NQ_SPAN], "yes_no_answer": "NONE"}
QAMPARI = [{"id": "1", "question": "Which?", "answers": [["One", "1"], ["Two"]]}]


@pytest.fixture
def files(tmp_path):
    """files(name=content, …): write each as JSON, or as lines where it is a tuple."""

    def write(**contents):
        for name, content in contents.items():
            text = (
                "\n".join(map(json.dumps, content))
                if isinstance(content, tuple)
                else json.dumps(content)
            )
            (tmp_path / name).write_text(text)
        return tmp_path

    return write


@pytest.fixture
def score(capsys):
    """score(*words) -> (status, out, err)."""

    def run(*words):
        try:
            status = cli.main([str(word) for word in words], prog="score")
        except SystemExit as stopped:
            status = stopped.code
        return status, *capsys.readouterr()

    return run


def test_ambigqa(files, score):
    folder = files(r=AMBIGQA, p={"1": ["1843", "1900"], "2": ["Marc Brunel"]})
    status, out, _ = score(
        "ambigqa", "--references", folder / "r", "--predictions", folder / "p", "--json"
    )
    found = json.loads(out)
    assert status == 0
    assert found["f1_answer"] == {"all": 0.75, "multi": 0.5}
    assert (found["n"], found["n_multi"]) == (2, 1)
    assert found["signatures"]["f1_answer.all"].startswith("ambigqa.f1_answer.all|items:all")
    assert found["files"]["references"].startswith("sha256:")


def test_ambigqa_with_questions(files, score):
    gold = {
        "1": AMBIGQA[0]["annotations"][0]["qaPairs"],
        "2": [{"question": "", "answer": "M. Brunel"}],
    }
    pairs = {
        key: [{"question": p["question"], "answer": p["answer"][0]} for p in value]
        if key == "1"
        else value
        for key, value in gold.items()
    }
    folder = files(r=AMBIGQA, p=pairs)
    _, out, _ = score(
        "ambigqa", "--references", folder / "r", "--predictions", folder / "p", "--json"
    )
    found = json.loads(out)
    assert found["f1_edit"]["multi"] == 1
    assert found["f1_bleu4"]["multi"] == pytest.approx(1, abs=1e-6)


def test_asqa(files, score):
    folder = files(r=ASQA, p={"1": "To people in 1843."}, q={"1_0": "1843", "1_1": ""})
    words = ["asqa", "--references", folder / "r", "--predictions", folder / "p"]
    _, out, _ = score(*words, "--reader-answers", folder / "q", "--json")
    found = json.loads(out)
    assert (found["str_em"], found["qa_em"], found["qa_hit"]) == (50, 50, 0)
    assert found["length"] == 4
    assert found["dr"] == pytest.approx((found["qa_f1"] * found["rouge_lsum"]) ** 0.5)
    _, out, _ = score(*words, "--json")
    assert "dr" not in json.loads(out)


TWICE = {
    "1": ASQA["dev"]["1"]
    | {
        "annotations": [
            {"long_answer": "It opened to people in 1843, to trains in 1869."},
            {"long_answer": "It opened in 1843."},
        ]
    },
    "2": ASQA["dev"]["1"],  # one annotation only
}


def test_pairs_can_be_matched_as_the_paper_does(files, score):
    pairs = [{"question": "When did the tunnel open to people?", "answer": "1843"}] * 2
    folder = files(r=AMBIGQA, p={"1": pairs, "2": [{"question": "x", "answer": "M. Brunel"}]})
    words = ["ambigqa", "--references", folder / "r", "--predictions", folder / "p", "--json"]
    _, script, _ = score(*words)
    _, paper, _ = score(*words, "--pairing", "paper")
    # One of two pairs counts once: P 1/2, R 1/2; the paper lets both have it: P 1, R 1.
    assert json.loads(script)["f1_edit"]["multi"] == 0.5
    assert json.loads(paper)["f1_edit"]["multi"] == 1.0
    assert "pairing:paper" in json.loads(paper)["signatures"]["f1_edit.multi"]


def test_an_annotator_is_scored_against_the_others(files, score):
    folder = files(r=TWICE, q={"1_0": "1843", "1_1": "1869", "2_0": "", "2_1": ""})
    words = ["asqa", "--references", folder / "r", "--json"]
    _, first, _ = score(*words, "--annotator", "1", "--reader-answers", folder / "q")
    _, second, _ = score(*words, "--annotator", "2")
    first, second = json.loads(first), json.loads(second)
    assert (first["n"], first["str_em"], first["qa_f1"]) == (1, 100, 100)
    assert (second["n"], second["str_em"]) == (1, 50)
    assert "annotator:2|annotations:others" in second["signatures"]["str_em"]
    status, _, err = score(*words, "--annotator", "3")
    assert (status, "nothing to compare" in err) == (2, True)


@pytest.mark.parametrize(("which", "same"), [("1", 2), ("2", 1), ("longest", 2)])
def test_an_oracle_is_scored_against_the_other_annotator(files, score, which, same):
    text = TWICE["1"]["annotations"][same - 1]["long_answer"]
    folder = files(r=TWICE, p={"1": text, "2": "x"})
    words = ["asqa", "--references", folder / "r", "--predictions", folder / "p", "--json"]
    _, out, _ = score(*words, "--leave-out", which)
    found = json.loads(out)
    if which == "2":
        assert (found["n"], found["rouge_lsum"]) == (
            2,
            50,
        )  # the second question keeps its only one
    else:
        assert (found["n"], found["rouge_lsum"]) == (1, 100)
    assert f"annotations:without-{which}" in found["signatures"]["rouge_lsum"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name the file of predictions"),
        (["--annotator", "1", "--predictions", "x"], "--predictions does not go with it"),
        (["--annotator", "1", "--leave-out", "1"], "--leave-out does not go with it"),
        (["--annotator", "0"], "must be 1 or more"),
        (["--leave-out", "both"], "invalid"),
        (["--pairing", "paper", "--predictions", "x"], "--pairing is not an option of asqa"),
    ],
)
def test_what_to_score_is_said_once(files, score, words, said):
    status, out, err = score("asqa", "--references", files(r=TWICE) / "r", *words)
    assert (status, out) == (2, "")
    assert said in err


def test_nq_open_counts_what_is_missing_as_wrong(files, score):
    gold = ({"question": "who", "answer": ["Ann"]}, {"question": "when", "answer": ["1843"]})
    folder = files(r=gold, p=({"question": "who", "prediction": "ann"},))
    words = ["nq-open", "--references", folder / "r", "--predictions", folder / "p", "--json"]
    _, out, _ = score(*words)
    found = json.loads(out)
    assert (found["accuracy"], found["correct"], found["n"]) == (0.5, 1, 2)
    status, _, err = score(*words, "--missing", "error")
    assert status == 2
    assert "when" in err


def test_retrieval(files, score):
    gold = [
        {"qid": 1, "answers": [["1843"], ["1869", "in 1869"]], "relevant": ["b"]},
        {"qid": 2, "positive_ctxs": [{"title": "Ferry", "text": "It sank in 1850."}]},
    ]
    ranked = (
        {"qid": 1, "ctxs": [{"text": "Opened 1843.", "id": "a"}, {"text": "In 1869.", "id": "b"}]},
        {"qid": 2, "ctxs": [{"title": "ferry", "text": "It sank in 1850."}]},
    )
    folder = files(r=gold, p=ranked)
    words = ["retrieval", "--references", folder / "r", "--predictions", folder / "p", "--json"]
    _, out, _ = score(*words, "--depths", "2,1")
    found = json.loads(out)
    assert found["arecall"] == {"1": 0.5, "2": 1.0}
    assert found["erecall"] == {"1": 1.0, "2": 1.0}
    assert found["recall"] == {"1": 0.0, "2": 1.0}
    assert (found["mrr"], found["n"]) == (0.5, 2)
    _, out, _ = score(*words)
    assert list(json.loads(out)["arecall"]) == ["10", "25", "50", "100", "200"]


@pytest.mark.parametrize("depths", ["0", "x", "", "1,,2", "-1"])
def test_depths_are_whole_numbers(files, score, depths):
    folder = files(r=[], p=[])
    words = ["retrieval", "--references", folder / "r", "--predictions", folder / "p"]
    status, _, err = score(*words, f"--depths={depths}")
    assert status == 2
    assert "--depths" in err


def test_depths_are_those_of_retrieval(files, score):
    folder = files(r=AMBIGQA, p={"1": ["1843"], "2": ["M. Brunel"]})
    words = ["ambigqa", "--references", folder / "r", "--predictions", folder / "p"]
    status, _, err = score(*words, "--depths", "1")
    assert status == 2
    assert "--depths is not an option of ambigqa" in err


def test_nq(files, score):
    gold = ({"example_id": 1, "annotations": [NQ_ROW] * 5},)
    said = {
        "predictions": [
            {"example_id": 1, **NQ_ROW, "long_answer_score": 1.0, "short_answers_score": 1.0}
        ]
    }
    folder = files(r=gold, p=said)
    _, out, _ = score("nq", "--references", folder / "r", "--predictions", folder / "p", "--json")
    found = json.loads(out)
    assert found["long"]["f1"] == found["short"]["f1"] == 1


STRINGS = (
    {
        "example_id": 1,
        "document_text": "The Mill a mill",
        "annotations": [
            {
                "long_answer": {"start_token": 0, "end_token": 4},
                "short_answers": [{"start_token": start, "end_token": start + 2}],
                "yes_no_answer": "NONE",
            }
            for start in (0, 2, 1)
        ],
    },
)


def test_annotators_are_compared_without_predictions(files, score):
    """N26: "The Mill" and "a mill" are the same words, "Mill a" are others to their order."""
    folder = files(r=STRINGS)
    words = ["nq-strings", "--references", folder / "r"]
    status, out, _ = score(*words, "--nulls", "drop", "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["agreement"], found["n"]) == (1, 1)
    assert "|nulls:drop|" in found["signatures"]["agreement"]
    status, out, _ = score(*words)
    assert out.startswith(f"Short answers of annotators: {folder / 'r'}")


@pytest.mark.parametrize("name", ["predictions", "compare", "compare-reader-answers"])
def test_annotators_are_compared_with_nothing_else(files, score, name):
    folder = files(r=STRINGS)
    status, out, err = score("nq-strings", "--references", folder / "r", f"--{name}", folder / "r")
    assert (status, out) == (2, "")
    assert f"--{name} does not go with it" in err


def test_qampari(files, score):
    folder = files(r=QAMPARI, p=({"id": "1", "predictions": ["1", "three"]},))
    _, out, _ = score(
        "qampari", "--references", folder / "r", "--predictions", folder / "p", "--json"
    )
    found = json.loads(out)
    assert {key: found[key] for key in ("f1", "precision", "recall", "n")} == {
        "f1": 0.5,
        "precision": 0.5,
        "recall": 0.5,
        "n": 1,
    }
    assert (found["f1_above"], found["recall_above"]) == (1, 0)


@pytest.fixture
def two(files):
    """Two systems on AmbigQA, as the words of a command."""
    folder = files(
        r=AMBIGQA,
        p={"1": ["1843", "1869"], "2": ["Marc Brunel"]},
        q={"1": ["1843"], "2": ["somebody"]},
    )
    return ["ambigqa", "--references", folder / "r", "--predictions", folder / "p"], folder


def test_intervals_and_a_comparison(two, score):
    words, folder = two
    _, out, _ = score(*words, "--compare", folder / "q", "--intervals", "--json", "--seed", 3)
    found = json.loads(out)
    few = {"low": None, "high": None, "note": "too few to tell"}
    assert found["intervals"]["f1_answer"]["all"] == few
    compared = found["comparison"]["f1_answer"]["all"]
    assert (compared["first"], compared["n"]) == (1, 2)
    assert compared["difference"] == pytest.approx(compared["first"] - compared["second"])
    assert 0 < compared["p_randomisation"] <= 1
    assert few.items() <= compared.items()
    assert "interval" not in found["signatures"]["f1_answer.all"]
    assert score(*words, "--compare", folder / "q", "--intervals", "--json", "--seed", 3)[1] == out


def test_intervals_of_many_questions(files, score):
    """All right: Wilson's interval, whose signature has no seed. All the same: words."""
    base = AMBIGQA
    rows = [base[0] | {"id": str(n)} for n in range(12)]
    folder = files(r=rows, p={str(n): ["1843", "1869"] for n in range(12)})
    words = ["ambigqa", "--references", folder / "r", "--predictions", folder / "p"]
    found = json.loads(score(*words, "--compare", folder / "p", "--intervals", "--json")[1])
    low, high = wilson_interval(12, 12)
    assert found["intervals"]["f1_answer"]["all"] == pytest.approx({"low": low, "high": high})
    assert "|interval:wilson-0.95|v:1" in found["signatures"]["f1_answer.all"]
    same = {"low": None, "high": None, "note": "all the same"}
    assert found["intervals"]["answers"]["all"] == same
    assert same.items() <= found["comparison"]["f1_answer"]["all"].items()
    out = score(*words, "--compare", folder / "p", "--intervals")[1]
    assert f"{low:.4f} to 1.0000" in out
    assert out.count("all the same") >= 2


def test_the_table_says_the_same(two, score):
    words, folder = two
    _, out, _ = score(*words, "--compare", folder / "q", "--intervals")
    lines = out.splitlines()
    assert lines[0].startswith("AmbigQA: ")
    assert ["f1_answer.all", "1.0000", "2", "too", "few", "to", "tell"] in map(str.split, lines)
    assert any(line.startswith("Compared with: ") for line in lines)
    assert "signature  ambigqa." in out
    assert all(line == line.rstrip() for line in lines)


def test_values_per_item(two, score, tmp_path):
    words, _ = two
    target = tmp_path / "items.jsonl"
    assert score(*words, "--per-item", target)[0] == 0
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["1", "2"]
    assert all(isinstance(value, (int, float)) for row in rows for value in list(row.values())[1:])


def test_values_per_item_stand_for_any_id(files, score, tmp_path):
    gold = ({"question": "caf\u00e9 \ud83d", "answer": ["Ann"]},)
    folder = files(r=gold, p=({"question": "caf\u00e9 \ud83d", "prediction": "ann"},))
    target = tmp_path / "items.jsonl"
    words = ["nq-open", "--references", folder / "r", "--predictions", folder / "p"]
    assert score(*words, "--per-item", target)[0] == 0
    assert json.loads(target.read_text())["id"] == "caf\u00e9 \ud83d"


@pytest.mark.parametrize(
    ("predictions", "said"),
    [
        ({"1": ["a"]}, "1 question without a prediction: 2."),
        ({"1": ["a"], "2": ["a"], "x": ["a"]}, "1 prediction for no question"),
        ({"1": ["a"], "2": [7]}, "2"),
        ({"1": ["a"], "2": [{"question": "q", "answer": "a"}]}, ""),
        ([1, 2], ""),
        ("text", ""),
        (None, ""),
    ],
)
def test_bad_predictions_get_a_sentence_and_change_nothing(
    files, score, tmp_path, predictions, said
):
    folder = files(r=AMBIGQA, p=predictions)
    target = tmp_path / "items"
    words = ["ambigqa", "--references", folder / "r", "--predictions", folder / "p"]
    status, out, err = score(*words, "--per-item", target)
    assert (status, out) == (2, "")
    assert err.startswith("score: ")
    assert err.count("\n") == 1
    assert said in err
    assert not target.exists()


def test_what_is_missing_can_count_as_zero(files, score):
    folder = files(r=AMBIGQA, p={"2": ["M. Brunel"], "x": ["a"]})
    words = ["ambigqa", "--references", folder / "r", "--predictions", folder / "p", "--json"]
    status, out, _ = score(*words, "--missing", "zero", "--extra", "ignore")
    assert status == 0
    assert json.loads(out)["f1_answer"] == {"all": 0.5, "multi": 0}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--split", "dev"], "--split is not an option of ambigqa"),
        (["--reader-answers", "x"], "--reader-answers is not an option of ambigqa"),
        (["--compare-reader-answers", "x"], "belongs to --compare"),
        (["--per-item", "/proc/nowhere/items"], "cannot be written"),
        (["--resamples", "0"], "must be 1 or more"),
        (["--level", "1"], "must be between 0 and 1"),
        (["--seed", "-1"], "must be 0 or more"),
        (["--missing", "perhaps"], "invalid choice"),
        (["--compare", "/none.json"], "there is no such file"),
    ],
)
def test_options_that_cannot_be(two, score, words, said):
    status, out, err = score(*two[0], *words)
    assert (status, out) == (2, "")
    assert said in err


def test_every_file_that_was_read_has_its_digest(files, score):
    folder = files(r=ASQA, p={"1": "a"}, q={"1_0": "", "1_1": ""})
    words = ["asqa", "--references", folder / "r", "--predictions", folder / "p", "--json"]
    both = ["--reader-answers", folder / "q", "--compare-reader-answers", folder / "q"]
    _, out, _ = score(*words, "--compare", folder / "p", *both)
    names = ["references", "predictions", "reader_answers", "compare", "compare_reader_answers"]
    assert list(json.loads(out)["files"]) == names


def test_only_one_system_with_a_reader_cannot_be_compared(files, score):
    folder = files(r=ASQA, p={"1": "a"}, q={"1_0": "", "1_1": ""})
    words = ["asqa", "--references", folder / "r", "--predictions", folder / "p"]
    status, _, err = score(*words, "--reader-answers", folder / "q", "--compare", folder / "p")
    assert status == 2
    assert "Only one of the two systems has reader answers" in err


def test_the_django_command_gives_the_same(two, score, capsys):
    words, _ = two
    _, out, _ = score(*words, "--json")
    call_command(*["score", *map(str, words), "--json"])
    assert capsys.readouterr().out == out


def test_it_needs_neither_database_nor_django(two, tmp_path):
    """The whole process: no file is left behind where the embedded database would live."""
    words, _ = two
    home = tmp_path / "ambit"
    done = subprocess.run(
        [sys.executable, "manage.py", "score", *map(str, words), "--json"],
        cwd=ROOT,
        env={"AMBIT_DATA": str(home), "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n"] == 2
    assert not home.exists()
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "metrics", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    for heavy in ("django", "numpy", "nltk", "scipy", "rouge_score"):
        assert f" {heavy}\n" not in loaded.stderr, f"{heavy} is loaded where nothing needs it"


def test_a_closed_pipe_is_no_error(two):
    words, _ = two
    done = subprocess.run(
        ["bash", "-c", '"$@" | true; exit ${PIPESTATUS[0]}', "-", sys.executable, "-m", "metrics"]
        + [str(word) for word in words],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
