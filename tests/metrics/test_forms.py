"""The same figures whichever way a file is written, for every task of the command line."""

import gzip
import json

import pytest

from metrics import cli

SPAN = {"start_byte": 10, "end_byte": 20, "start_token": 1, "end_token": 3}
OTHER = {"start_byte": 30, "end_byte": 40, "start_token": 5, "end_token": 6}
NOTHING = dict.fromkeys(SPAN, -1)
ANSWERED = {"long_answer": SPAN, "short_answers": [OTHER], "yes_no_answer": "NONE"}
UNANSWERED = {"long_answer": NOTHING, "short_answers": [], "yes_no_answer": "NONE"}
SAID = ANSWERED | {"long_answer_score": 2.0, "short_answers_score": 1.0}
# For each task: references and predictions, as records; a question with U+2028 among them.
TASKS = {
    "ambigqa": (
        [
            {
                "id": 1,
                "question": "Who\u2028won?",
                "annotations": [{"type": "singleAnswer", "answer": ["Ann"]}],
            },
            {
                "id": 2,
                "question": "Where?",
                "annotations": [
                    {
                        "type": "multipleQAs",
                        "qaPairs": [
                            {"question": "Where first?", "answer": ["Rome"]},
                            {"question": "Where then?", "answer": ["Oslo"]},
                        ],
                    }
                ],
            },
        ],
        [
            {"id": 1, "predictions": [{"question": "Who\u2028won?", "answer": "ann"}]},
            {"id": 2, "predictions": [{"question": "Where first?", "answer": "Rome"}]},
        ],
    ),
    "asqa": (
        [
            {
                "sample_id": number,
                "qa_pairs": [{"question": "When?", "short_answers": ["1843"]}],
                "annotations": [{"long_answer": "It opened in 1843."}],
            }
            for number in (1, 2)
        ],
        [{"id": 1, "long_answer": "In\u20281843."}, {"id": 2, "long_answer": "Later."}],
    ),
    "nq-open": (
        [
            {"question": "who\u2028won", "answer": ["Ann"]},
            {"question": "where", "answer": ["Rome"]},
        ],
        [
            {"question": "who\u2028won", "prediction": "the Ann"},
            {"question": "where", "prediction": "Oslo"},
        ],
    ),
    "nq": (
        [
            {"example_id": 1, "annotations": [ANSWERED] * 5},
            {"example_id": 2, "annotations": [ANSWERED] * 2 + [UNANSWERED] * 3},
        ],
        [SAID | {"example_id": 1}, SAID | {"example_id": 2, "long_answer": OTHER}],
    ),
    "qampari": (
        [
            {"id": 1, "question": "Which?", "answers": [["One", "1\u2028"], ["Two"]]},
            {"id": 2, "question": "Who?", "answers": [["Ann"]]},
        ],
        [{"id": 1, "predictions": ["1", "Three"]}, {"id": 2, "predictions": ["ann"]}],
    ),
}


def as_lines(records, end="\n"):
    return end.join(json.dumps(record, ensure_ascii=False) for record in records).encode()


FORMS = {
    "lines": as_lines,
    "list": lambda records: json.dumps(records).encode(),
    "pretty": lambda records: json.dumps(records, indent=2).encode(),
    "blank lines": lambda records: b"\n\n" + as_lines(records, "\n\n") + b"\n\n \n",
    "of Windows": lambda records: b"\xef\xbb\xbf" + as_lines(records, "\r\n") + b"\r\n",
    "gzip": lambda records: gzip.compress(as_lines(records)),
    "text ids": lambda records: as_lines(
        {key: str(value) if "id" in key else value for key, value in record.items()}
        for record in records
    ),
}


@pytest.fixture
def figures(tmp_path, capsys):
    """figures(task, references, predictions, *words): what the command prints, as JSON."""

    def run(task, references, predictions, *words):
        (tmp_path / "r").write_bytes(references)
        (tmp_path / "p").write_bytes(predictions)
        files = ["--references", str(tmp_path / "r"), "--predictions", str(tmp_path / "p")]
        status = cli.main([task, *files, "--json", *words], prog="score")
        out, err = capsys.readouterr()
        assert status == 0, err
        return {key: value for key, value in json.loads(out).items() if key != "files"}

    return run


@pytest.mark.parametrize(
    ("task", "form"),
    [
        (task, form)
        for task in TASKS
        for form in FORMS
        if task != "nq" or form not in {"list", "pretty"}  # a page a line, read one at a time
    ],
)
def test_each_form_gives_the_same_figures(figures, task, form):
    references, predictions = TASKS[task]
    plain = figures(task, as_lines(references), as_lines(predictions))
    assert plain.get("n") == 2
    assert figures(task, FORMS[form](references), FORMS[form](predictions)) == plain


@pytest.mark.parametrize("task", TASKS)
def test_a_single_record_is_a_file(figures, task):
    [reference, *_], [prediction, *_] = TASKS[task]
    assert figures(task, as_lines([reference]), as_lines([prediction]))["n"] == 1


@pytest.mark.parametrize(("task", "field"), [("ambigqa", "predictions"), ("asqa", "long_answer")])
def test_an_object_by_id_is_the_same_as_its_records(figures, task, field):
    references, predictions = TASKS[task]
    by_id = {str(record["id"]): record[field] for record in predictions}
    plain = figures(task, as_lines(references), as_lines(predictions))
    assert figures(task, as_lines(references), json.dumps(by_id).encode()) == plain


def test_predictions_of_ambigqa_may_stand_under_their_name(figures):
    references, predictions = TASKS["ambigqa"]
    by_id = {str(record["id"]): record["predictions"] for record in predictions}
    wrapped = json.dumps({"predictions": by_id, "model": "m"}).encode()
    plain = figures("ambigqa", as_lines(references), as_lines(predictions))
    assert figures("ambigqa", as_lines(references), wrapped) == plain


@pytest.mark.parametrize("task", TASKS)
def test_the_signature_says_where_something_missing_counts_as_zero(figures, task):
    references, predictions = map(as_lines, TASKS[task])
    [first, *_] = TASKS[task][1]
    whole = figures(task, references, predictions, "--missing", "zero")["signatures"]
    part = figures(task, references, as_lines([first]), "--missing", "zero")["signatures"]
    assert not any("missing" in signature for signature in whole.values())
    assert all("|missing:zero|" in signature for signature in part.values())
