"""QAMPARI's files: the release, what the reader wrote, and plain lists of answers."""

from pathlib import Path
from typing import Any

from metrics import qampari
from metrics.inputs import files
from metrics.qampari import QampariAnswer
from metrics.score import BadInput, Evaluation


def score_files(
    references: Path,
    predictions: Path,
    *,
    missing: files.Missing = "error",
    extra: files.Extra = "error",
) -> Evaluation:
    """Read both files and score them; one file in the reader's form may serve as both.

    A missing prediction is an error unless ``missing`` is "zero". Raises ``BadInput``.
    """
    gold = read_references(references)
    given = read_predictions(predictions)
    files.check_ids_match(gold, given, path=predictions, missing=missing, extra=extra)
    return qampari.score_predictions(gold, given)


def read_references(path: Path) -> dict[str, list[QampariAnswer]]:
    """Return the gold answers of each question by its id, from JSON or JSON lines.

    A record has ``answer_list`` of {answer_text, aliases} (the release and the reader's file) or
    ``answers`` of lists of aliases, the first of which is the answer's name. The id is ``qid`` or
    ``id``; where no record has one it is the place in the file ("#1", "#2", ...). An answer of
    ``answer_list`` without ``aliases`` has its text as the only one.

    Raises ``BadInput`` with the id for anything else.
    """
    found = {}
    for name, record in _by_id(path, files.read_records(path)).items():
        answers = _answers(record, f"{path}, question {name}")
        if not answers:
            raise BadInput(f"{path}, question {name}: has no answers. Give at least one.")
        found[name] = answers
    if not found:
        raise BadInput(f"{path}: has no questions.")
    return found


def read_predictions(path: Path) -> dict[str, list[str]]:
    """Return the predicted answers of each question by its id.

    The file is an object {id: [..]}, or a list or lines of records with ``predictions``: [..] and
    ``qid`` or ``id`` (their place in the file, "#1", "#2", ..., where no record has one).

    Raises ``BadInput`` with the id for anything else.
    """
    data = files.read_records(path)
    if isinstance(data, dict) and "predictions" not in data:
        given = {name: {"predictions": answers} for name, answers in data.items()}
    else:
        given = _by_id(path, data)
    found = {}
    for name, record in given.items():
        where = f"{path}, question {name}"
        if "predictions" not in record:
            raise BadInput(f"{where}: has no predictions. Give a list of strings.")
        if not _is_strings(record["predictions"]):
            raise BadInput(f"{where}: predictions must be a list of strings.")
        found[name] = record["predictions"]
    return found


def _by_id(path: Path, data: Any) -> dict[str, dict[str, Any]]:
    records = files.list_records(path, data)
    if any("qid" in record or "id" in record for record in records):
        return files.by_id(path, records, lambda r: r.get("qid", r.get("id")), "qid (or id)")
    return {f"#{place}": record for place, record in enumerate(records, 1)}


def _answers(record: dict[str, Any], where: str) -> list[QampariAnswer]:
    if "answer_list" in record:
        return _named_answers(record["answer_list"], where)
    if "answers" not in record:
        raise BadInput(f"{where}: has neither answer_list nor answers.")
    answers = record["answers"]
    if not isinstance(answers, list) or not all(_is_strings(every) for every in answers):
        raise BadInput(f"{where}: answers must be a list of lists of strings, one per answer.")
    if not all(answers):
        raise BadInput(f"{where}: an answer has no aliases. Give at least its name.")
    return [QampariAnswer(every[0], tuple(every)) for every in answers]


def _named_answers(answers: Any, where: str) -> list[QampariAnswer]:
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
        found.append(QampariAnswer(name, tuple(aliases)))
    return found


def _is_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
