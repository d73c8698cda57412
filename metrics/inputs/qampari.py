"""QAMPARI's files: the release, what the reader wrote, and plain lists of answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from metrics import qampari
from metrics.inputs import files
from metrics.qampari import Answer
from metrics.score import BadInput, Evaluation


def load(
    references: Path,
    predictions: Path,
    *,
    missing: files.Missing | None = None,
    extra: Literal["error", "ignore"] = "error",
) -> Evaluation:
    """Read both files and score them; one file in the reader's form may serve as both.

    A missing prediction is an error unless ``missing`` is "zero". Raises ``BadInput``.
    """
    gold = read_references(references)
    given = read_predictions(predictions)
    files.match(gold, given, path=predictions, missing=missing or "error", extra=extra)
    return qampari.evaluate(gold, given)


def read_references(path: Path) -> dict[str, list[Answer]]:
    """Return the gold answers of each question by its id, from JSON or JSON lines.

    A record has ``answer_list`` of {answer_text, aliases} (the release and the reader's file) or
    ``answers`` of lists of aliases, the first of which is the answer's name. The id is ``qid`` or
    ``id``; where no record has one it is the place in the file ("#1", "#2", ...). An answer of
    ``answer_list`` without ``aliases`` has its text as the only one.

    Raises ``BadInput`` with the id for anything else.
    """
    found = {}
    for name, record in _records(path):
        answers = _answers(record, f"{path}, question {name}")
        if not answers:
            raise BadInput(f"{path}, question {name}: has no answers. Give at least one.")
        found[name] = answers
    return found


def read_predictions(path: Path) -> dict[str, list[str]]:
    """Return the predicted answers of each question by its id.

    The file is an object {id: [..]}, or a list or lines of records with ``predictions``: [..] and
    ``qid`` or ``id`` (their place in the file, "#1", "#2", ..., where no record has one).

    Raises ``BadInput`` with the id for anything else.
    """
    found = {}
    for name, record in _records(path, mapping=True):
        where = f"{path}, question {name}"
        if "predictions" not in record:
            raise BadInput(f"{where}: has no predictions. Give a list of strings.")
        if not _is_strings(record["predictions"]):
            raise BadInput(f"{where}: predictions must be a list of strings.")
        found[name] = record["predictions"]
    return found


def _records(path: Path, *, mapping: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (id, record) for each record of a file."""
    data = files.read_records(path)
    if mapping and isinstance(data, dict) and "predictions" not in data:
        yield from ((name, {"predictions": given}) for name, given in data.items())
        return
    records = [data] if isinstance(data, dict) else data
    if not isinstance(records, list) or not records:
        raise BadInput(f"{path}: must be a list, or lines, of one JSON object per question.")
    for place, record in enumerate(records, 1):
        if not isinstance(record, dict):
            raise BadInput(f"{path}, record {place}: must be one JSON object.")
    named = any("qid" in record or "id" in record for record in records)
    places: dict[str, int] = {}
    for place, record in enumerate(records, 1):
        name = record.get("qid", record.get("id")) if named else f"#{place}"
        if not isinstance(name, str):
            raise BadInput(f"{path}, record {place}: qid (or id) must be a string.")
        if name in places:
            raise BadInput(
                f"{path}, record {place}: {name} already stands in record {places[name]}. "
                "Keep one of the two."
            )
        places[name] = place
        yield name, record


def _answers(record: dict[str, Any], where: str) -> list[Answer]:
    if "answer_list" in record:
        return _named_answers(record["answer_list"], where)
    if "answers" not in record:
        raise BadInput(f"{where}: has neither answer_list nor answers.")
    answers = record["answers"]
    if not isinstance(answers, list) or not all(_is_strings(every) for every in answers):
        raise BadInput(f"{where}: answers must be a list of lists of strings, one per answer.")
    if not all(answers):
        raise BadInput(f"{where}: an answer has no aliases. Give at least its name.")
    return [Answer(every[0], tuple(every)) for every in answers]


def _named_answers(answers: Any, where: str) -> list[Answer]:
    if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
        raise BadInput(f"{where}: answer_list must be a list of objects, one per answer.")
    found = []
    for place, answer in enumerate(answers, 1):
        name = answer.get("answer_text")
        if not isinstance(name, str):
            raise BadInput(f"{where}, answer {place}: answer_text must be a string.")
        aliases = answer.get("aliases", [name])
        if not _is_strings(aliases):
            raise BadInput(f"{where}, answer {place}: aliases must be a list of strings.")
        found.append(Answer(name, tuple(aliases)))
    return found


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
