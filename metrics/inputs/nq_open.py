"""NQ-open's files: one question per line, with its gold answers or with its prediction."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from metrics import nq_open
from metrics.inputs import files
from metrics.score import BadInput, Evaluation

ANSWER_FIELD = "answer"


def score_files(
    references: Path,
    predictions: Path,
    *,
    missing: files.Missing = "zero",
    extra: files.Extra = "error",
    several: nq_open.Several = "first",
    answer_field: str = ANSWER_FIELD,
) -> Evaluation:
    """Read both files and score them.

    A missing prediction is wrong unless ``missing`` is "error": so does the official scorer, and
    ``counts["missing"]`` says how many there were. ``answer_field`` chooses the gold answers where
    a file has several kinds (EfficientQA's ``answer_and_def_correct_predictions``).

    Raises ``BadInput``.
    """
    gold = read_references(references, answer_field=answer_field)
    given = read_predictions(predictions)
    files.check_ids_match(gold, given, path=predictions, missing=missing, extra=extra)
    return nq_open.score_predictions(gold, given, several=several)


def read_references(path: Path, *, answer_field: str = ANSWER_FIELD) -> dict[str, list[str]]:
    """Return the gold answers of each question from objects {question, answer: [..]}.

    Where ``answer`` is not there, ``answers`` is read. A question that stands twice counts once if
    its answers are the same both times, and is an error if they are not.

    Raises ``BadInput`` with the place for anything else.
    """
    found: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    for place, question, record in _questions(path):
        where = f"{path}, record {place}"
        name = answer_field
        if name == ANSWER_FIELD and name not in record:
            name = "answers"
        answers = record.get(name)
        if name not in record:
            raise BadInput(f"{where}: has no {answer_field}. Give the list of gold answers.")
        if not _is_strings(answers):
            raise BadInput(f"{where}: {name} must be a list of strings.")
        if not answers:
            raise BadInput(f"{where}: {name} is empty. Give at least one gold answer.")
        if found.get(question, answers) != answers:
            raise BadInput(
                f"{where}: the question {question!r} is also in record {places[question]}, with "
                "other answers. Keep one of the two."
            )
        found.setdefault(question, answers)
        places.setdefault(question, place)
    if not found:
        raise BadInput(f"{path}: has no questions.")
    return found


def read_predictions(path: Path) -> dict[str, list[str]]:
    """Return the answers predicted for each question from objects {question, prediction}.

    ``prediction`` is a string, or a list of strings, best first.

    Raises ``BadInput`` with its place; a question that stands twice is an error.
    """
    found: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    for place, question, record in _questions(path):
        where = f"{path}, record {place}"
        if "prediction" not in record:
            raise BadInput(f"{where}: has no prediction. Give a string; an empty one is wrong.")
        given = record["prediction"]
        if isinstance(given, str):
            given = [given]
        if not _is_strings(given):
            raise BadInput(f"{where}: prediction must be a string or a list of strings.")
        if question in found:
            raise BadInput(
                f"{where}: the question {question!r} already has a prediction in record "
                f"{places[question]}. Keep one of the two."
            )
        found[question] = given
        places[question] = place
    return found


def _questions(path: Path) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield (place in the file, question, record), the places counted from 1."""
    for place, record in enumerate(files.list_records(path, files.read_records(path)), 1):
        question = record.get("question")
        if not isinstance(question, str):
            raise BadInput(f"{path}, record {place}: question must be a string.")
        yield place, question, record


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
