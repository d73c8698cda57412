"""AmbigNQ references (released, light or full, or exported here) and AmbigQA predictions."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from metrics.ambigqa import (
    AmbigqaAnnotation,
    GoldPair,
    Pairing,
    PredictedPair,
    Prediction,
    Reference,
    score_predictions,
)
from metrics.inputs.files import (
    Extra,
    Missing,
    check_ids_match,
    parse_id,
    read_records,
    render_name_list,
)
from metrics.score import BadInput, Evaluation, missing_option

# What GoldPair(...) does, without a step in Python for each of many.
_new_pair = partial(tuple.__new__, GoldPair)
_TEXTS = {str}
_NO_ID = '"id" must be a text or a whole number.'
_TYPES = "singleAnswer, multipleQAs or noAnswer"
_FORM = (
    'one object {"id": [...]}, or a line {"id": ..., "predictions": [...]} per question, '
    'each with a list of answers or of {"question": ..., "answer": ...}'
)


class _RecordProblem(Exception):
    """What is wrong, and where: each level on its way up puts itself in front."""

    def __init__(self, problem: str, *where: str) -> None:
        super().__init__(problem)
        self.problem, self.where = problem, list(where)

    def in_part(self, part: str) -> "_RecordProblem":
        return _RecordProblem(self.problem, part, *self.where)


def score_files(
    references: Path,
    predictions: Path,
    *,
    missing: Missing = "error",
    extra: Extra = "error",
    pairing: Pairing = "script",
) -> Evaluation:
    """Read both files and score; the questions without any answer in the references are left out.

    Raises ``BadInput`` for what cannot be read, and for missing and extra predictions unless
    ``missing`` and ``extra`` say otherwise.
    """
    gold = read_references(references)
    said = read_predictions(predictions)
    for reference in gold:
        if not reference.annotations:
            said.pop(reference.id, None)
    scored = [reference.id for reference in gold if reference.annotations]
    check_ids_match(scored, said, path=predictions, missing=missing, extra=extra)
    filled: dict[str, Prediction] = {name: said.get(name, ()) for name in scored}
    return score_predictions(gold, filled, pairing=pairing, options=missing_option(scored, said))


def read_references(path: Path) -> list[Reference]:
    """Read AmbigNQ records, a JSON list or one per line, in the order of the file.

    ``noAnswer`` annotations, which only exports of this application have, are dropped: a question
    with no other keeps its place, with no annotation.

    Raises ``BadInput`` for anything that is not as AmbigNQ has it, naming the question.
    """
    records = read_records(path)
    if isinstance(records, dict):
        records = [records]
    if not isinstance(records, list) or not records:
        raise BadInput(f"{path}: must be a list of AmbigNQ records, or one record per line.")
    found: dict[str, Reference] = {}
    for number, record in enumerate(records, 1):
        try:
            reference = _reference(record, number)
        except _RecordProblem as bad:
            raise BadInput(f"{path}, {', '.join(bad.where)}: {bad.problem}") from None
        if reference.id in found:
            raise BadInput(f"{path}, record {number}: question {reference.id} appears twice.")
        found[reference.id] = reference
    return list(found.values())


def _reference(record: Any, number: int) -> Reference:
    if not isinstance(record, dict):
        raise _RecordProblem(
            "is not an object with id, question and annotations.", f"record {number}"
        )
    name = parse_id(record.get("id"))
    if name is None:
        raise _RecordProblem(_NO_ID, f"record {number}")
    question, annotations = record.get("question"), record.get("annotations")
    if not isinstance(question, str):
        raise _RecordProblem('"question" must be a text.', f"question {name}")
    if not isinstance(annotations, list) or not annotations:
        raise _RecordProblem(
            '"annotations" must be a list with at least one annotation.', f"question {name}"
        )
    read: list[AmbigqaAnnotation | None] = []
    for value in annotations:
        try:
            read.append(_annotation(value))
        except _RecordProblem as bad:
            raise bad.in_part(f"annotation {len(read) + 1}").in_part(f"question {name}") from None
    return Reference(name, question, tuple(filter(None, read)))


def _annotation(value: Any) -> AmbigqaAnnotation | None:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "noAnswer":
        return None
    if kind == "singleAnswer":
        return AmbigqaAnnotation(answer=_forms(value.get("answer")))
    if kind != "multipleQAs":
        raise _RecordProblem(f'"type" must be {_TYPES}.')
    pairs = value.get("qaPairs")
    if not isinstance(pairs, list) or not pairs:
        raise _RecordProblem('"qaPairs" must be a list with at least one pair.')
    read: list[GoldPair] = []
    for pair in pairs:
        try:
            read.append(_gold_pair(pair))
        except _RecordProblem as bad:
            raise bad.in_part(f"pair {len(read) + 1}") from None
    return AmbigqaAnnotation(pairs=tuple(read))


def _gold_pair(pair: Any) -> GoldPair:
    question = pair.get("question") if isinstance(pair, dict) else None
    if not isinstance(question, str) or not question.replace("|", " ").strip():
        raise _RecordProblem('"question" must be a text that is not empty.')
    return _new_pair((question, _forms(pair.get("answer"))))


def _forms(value: Any) -> tuple[str, ...]:
    """Return the accepted forms of an answer: a list, or one text in older files."""
    forms = [value] if isinstance(value, str) else value
    if not isinstance(forms, list) or {*map(type, forms)} != _TEXTS:
        raise _RecordProblem('"answer" must be a list with at least one text.')
    return tuple(forms)


def read_predictions(path: Path) -> dict[str, Prediction]:
    """Read {id: answers or pairs}, or lines of {"id", "predictions"}; a bare answer is one answer.

    The object by id may also stand under the key "predictions" of another one.

    Raises ``BadInput`` for other forms, for an id that stands twice, and where some predictions
    are pairs and others only answers.
    """
    found = {name: _prediction(name, value, path) for name, value in _entries(path)}
    pairs = [name for name, each in found.items() if each and isinstance(each[0], PredictedPair)]
    answers = [name for name, each in found.items() if each and isinstance(each[0], str)]
    if pairs and answers:
        fewer, kind = (pairs, "pairs") if len(pairs) < len(answers) else (answers, "answers only")
        raise BadInput(
            f"{path}: holds pairs for {len(pairs):,} questions and answers only for "
            f"{len(answers):,}. Give one kind for all; {kind}: {render_name_list(fewer)}."
        )
    return found


def _entries(path: Path) -> list[tuple[str, Any]]:
    """Return (id, prediction) in the order of the file."""
    data = read_records(path)
    if isinstance(data, dict) and isinstance(wrapped := data.get("predictions"), dict):
        data = wrapped  # as some systems write them, next to other facts about themselves
    if isinstance(data, dict) and not {"id", "predictions"} <= set(data):
        return list(data.items())
    records = [data] if isinstance(data, dict) else data
    if not isinstance(records, list):
        raise BadInput(f"{path}: must be {_FORM}.")
    found: dict[str, Any] = {}
    for number, record in enumerate(records, 1):
        where = f"{path}, record {number}"
        if not isinstance(record, dict) or "predictions" not in record:
            raise BadInput(f"{where}: the file must be {_FORM}.")
        name = parse_id(record.get("id"))
        if name is None:
            raise BadInput(f"{where}: {_NO_ID}")
        if name in found:
            raise BadInput(f"{where}: question {name} appears twice. Keep one prediction of each.")
        found[name] = record["predictions"]
    return list(found.items())


def _prediction(name: str, value: Any, path: Path) -> Sequence[str] | Sequence[PredictedPair]:
    values = [value] if isinstance(value, str) else value
    if isinstance(values, list):
        if all(isinstance(each, str) for each in values):
            return values
        pairs = [
            PredictedPair(each["question"], each["answer"])
            for each in values
            if isinstance(each, dict)
            and isinstance(each.get("question"), str)
            and isinstance(each.get("answer"), str)
        ]
        if len(pairs) == len(values):
            return pairs
        if any(isinstance(each, str) for each in values) and pairs:
            raise BadInput(f"{path}, question {name}: mixes answers and pairs. Give one kind.")
    raise BadInput(
        f"{path}, question {name}: must be a list of answers (texts), or a list of "
        '{"question": ..., "answer": ...} with two texts each.'
    )
