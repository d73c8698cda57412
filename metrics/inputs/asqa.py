"""ASQA's files: references as released, long answers, and the reader's short answers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics import asqa
from metrics.inputs import files
from metrics.score import BadInput, Evaluation

_NO_CONTEXT = "No context provided"  # what the release has instead of a paragraph


def score_files(
    references: Path,
    predictions: Path | None = None,
    *,
    missing: files.Missing = "error",
    extra: files.Extra = "error",
    reader_answers: Path | None = None,
    split: str | None = None,
    annotator: int | None = None,
    leave_out: int | str | None = None,
) -> Evaluation:
    """Read the files and score them.

    ``reader_answers`` adds ``qa_*`` and ``dr``; ``split`` names a part of references that have
    several. ``missing`` and ``extra`` hold for both files. ``annotator``, counted from 1, is scored
    in place of predictions against the other annotators; ``leave_out`` is an annotation, counted
    from 1, or "longest", that predictions are not compared with. Raises ``BadInput``.
    """
    gold = every = read_references(references, split=split)
    if annotator is not None:
        gold = asqa.with_annotator(every, annotator - 1)
    elif leave_out is not None:
        gold = asqa.drop_annotation(
            every, leave_out if isinstance(leave_out, str) else leave_out - 1
        )
    # What is about a question that has no other annotation is not extra; it cannot be compared.
    passed_over = every.keys() - gold.keys()
    read = None
    if reader_answers:
        read = read_reader_answers(reader_answers)
        for key in [f"{name}_{n}" for name in passed_over for n in range(len(every[name].pairs))]:
            read.pop(key, None)
        keys = [f"{name}_{place}" for name, q in gold.items() for place in range(len(q.pairs))]
        files.check_ids_match(keys, read, path=reader_answers, missing=missing, extra=extra)
    if annotator is not None:
        return asqa.human_performance(gold, annotator=annotator - 1, reader_answers=read)
    if predictions is None:
        raise BadInput("Predictions, or an annotator in their place, are needed.")
    answers = read_predictions(predictions)
    answers = {name: text for name, text in answers.items() if name not in passed_over}
    files.check_ids_match(gold, answers, path=predictions, missing=missing, extra=extra)
    options = {} if leave_out is None else {"annotations": f"without-{leave_out}"}
    return asqa.score_predictions(gold, answers, reader_answers=read, options=options)


def read_references(path: Path, *, split: str | None = None) -> dict[str, asqa.Question]:
    """Return the questions of a file by id.

    The file is the release's ``{split: {id: question}}`` (without ``split``: dev, or the only
    one), ``{id: question}``, or one question per line with its ``sample_id``. Raises ``BadInput``.
    """
    data = files.read_records(path)
    if isinstance(data, dict) and ("sample_id" in data or _is_question(data)):
        data = [data]  # one line
    if isinstance(data, list):
        records = _by_id(data, "sample_id", path)
        if split:
            raise BadInput(f"{path}: has no splits, so there is no {split}. Leave out --split.")
    elif isinstance(data, dict):
        records = _of_split(data, split, path)
    else:
        raise BadInput(f"{path}: is not ASQA data: an object of questions by id is expected.")
    if not records:
        raise BadInput(f"{path}: holds no question.")
    return {name: _question(record, f"{path}, {name}") for name, record in records.items()}


def read_predictions(path: Path) -> dict[str, str]:
    """Return the long answers of a file by id.

    The file is ``{id: text}``, or one ``{"id": …, "long_answer": text}`` per line. Raises
    ``BadInput``.
    """
    data = files.read_records(path)
    if isinstance(data, dict) and {"id", "long_answer"} <= set(data):
        data = [data]
    if isinstance(data, list):
        data = {
            name: record.get("long_answer") for name, record in _by_id(data, "id", path).items()
        }
    if not isinstance(data, dict):
        raise BadInput(f"{path}: is not an object of long answers by question id.")
    for name, answer in data.items():
        if not isinstance(answer, str):
            raise BadInput(f"{path}, {name}: the long answer is {_a(answer)}, not text.")
    return data


def read_reader_answers(path: Path) -> dict[str, list[str]]:
    """Return the reader's answers by ``<id>_<index>``: a text each, or a list of texts.

    Raises ``BadInput``.
    """
    data = files.read_json(path)
    if not isinstance(data, dict):
        raise BadInput(f"{path}: is not an object of the reader's answers by <id>_<index>.")
    found = {}
    for name, answer in data.items():
        answers = answer if isinstance(answer, list) else [answer]
        if not answers:
            raise BadInput(f'{path}, {name}: the list of answers is empty. Use "" for no answer.')
        for one in answers:
            if not isinstance(one, str):
                raise BadInput(f"{path}, {name}: the reader's answer is {_a(one)}, not text.")
        found[name] = answers
    return found


def _of_split(data: dict[str, Any], split: str | None, path: Path) -> dict[str, Any]:
    """Return the questions by id; ``data`` is that already, or has them by split."""
    if any(_is_question(value) for value in data.values()):
        if split:
            raise BadInput(f"{path}: has no splits, so there is no {split}. Leave out --split.")
        return data
    chosen = split or ("dev" if "dev" in data or len(data) != 1 else next(iter(data)))
    if chosen not in data:
        there = f"It has {files.render_name_list(data)}." if data else "It is empty."
        choose = "" if split else " Choose one with --split."
        raise BadInput(f"{path}: has no split {chosen}. {there}{choose}")
    records = data[chosen]
    if not isinstance(records, dict):
        raise BadInput(f"{path}, {chosen}: is {_a(records)}, not an object of questions by id.")
    return records


def _is_question(value: Any) -> bool:
    return isinstance(value, dict) and ("qa_pairs" in value or "annotations" in value)


def _by_id(records: list[Any], key: str, path: Path) -> dict[str, dict[str, Any]]:
    return files.by_id(path, files.list_records(path, records), lambda record: record.get(key), key)


def _question(record: Any, where: str) -> asqa.Question:
    if not isinstance(record, dict):
        raise BadInput(f"{where}: is {_a(record)}, not a question with qa_pairs and annotations.")
    pairs = [
        _pair(pair, f"{where}, qa_pairs[{place}]")
        for place, pair in enumerate(_objects(record, "qa_pairs", where))
    ]
    annotations = [
        _annotation(annotation, f"{where}, annotations[{place}]")
        for place, annotation in enumerate(_objects(record, "annotations", where))
    ]
    return asqa.Question(pairs, annotations)


def _pair(pair: Mapping[str, Any], where: str) -> asqa.AsqaPair:
    answers = pair.get("short_answers")
    if not isinstance(answers, list) or not answers:
        raise BadInput(f"{where}: has no short_answers. Each needs at least one.")
    for answer in answers:
        if not isinstance(answer, str):
            raise BadInput(f"{where}: a short answer is {_a(answer)}, not text.")
    context = _text(pair, "context", where)
    return asqa.AsqaPair(
        _text(pair, "question", where), answers, "" if context == _NO_CONTEXT else context
    )


def _annotation(annotation: Mapping[str, Any], where: str) -> asqa.AsqaAnnotation:
    answer = annotation.get("long_answer")
    if not isinstance(answer, str):
        raise BadInput(f"{where}: long_answer is {_a(answer)}, not text.")
    pieces = []
    knowledge = annotation.get("knowledge")
    if knowledge is not None and not isinstance(knowledge, list):
        raise BadInput(f"{where}: knowledge is {_a(knowledge)}, not a list.")
    for piece in knowledge or []:
        if not isinstance(piece, dict):
            raise BadInput(f"{where}: a piece of knowledge is {_a(piece)}, not an object.")
        if content := _text(piece, "content", where):
            pieces.append(content)
    return asqa.AsqaAnnotation(answer, pieces)


def _objects(record: Mapping[str, Any], key: str, where: str) -> Sequence[Mapping[str, Any]]:
    values = record.get(key)
    if not isinstance(values, list) or not values:
        raise BadInput(f"{where}: has no {key}. Each question needs at least one.")
    for place, value in enumerate(values):
        if not isinstance(value, dict):
            raise BadInput(f"{where}, {key}[{place}]: is {_a(value)}, not an object.")
    return values


def _text(record: Mapping[str, Any], key: str, where: str) -> str:
    """Return a text that may be null or absent: empty then."""
    value = record.get(key)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{where}: {key} is {_a(value)}, not text.")
    return value or ""


def _a(value: Any) -> str:
    """Say what kind of JSON value something is."""
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return "missing" if value is None else kinds.get(type(value), "a number")
