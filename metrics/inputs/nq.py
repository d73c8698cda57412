"""Natural Questions' files: the original and the simplified form, and predictions for them."""

import glob
import math
from collections.abc import Mapping
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from metrics import nq
from metrics.inputs import files, nq_lines
from metrics.nq import NqAnnotation, NqSpan, Prediction, YesNo
from metrics.score import BadInput, Evaluation

_SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".json.gz")
_YES_NO: dict[str, YesNo] = {"YES": "yes", "NO": "no", "NONE": "none"}
_OFFSETS = itemgetter(*NqSpan._fields)
_NULL = (-1, -1, -1, -1)
# What Span(...) and Annotation(...) do, without a step in Python for each of 100,000.
_new_span = partial(tuple.__new__, NqSpan)
_new_annotation = partial(tuple.__new__, NqAnnotation)


def score_files(
    references: Path,
    predictions: Path,
    *,
    missing: files.Missing = "error",
    extra: files.Extra = "error",
    beta: int = nq.BETA,
) -> Evaluation:
    """Read annotations and predictions and score them.

    A missing prediction is an error unless ``missing`` is "zero": then it counts as no answer.
    Raises ``BadInput``.
    """
    gold = read_references(references)
    given = read_predictions(predictions)
    files.check_ids_match(
        gold, given, path=predictions, missing=missing, extra=extra, noun="example"
    )
    return nq.score_predictions(gold, given, beta=beta)


def read_references(path: Path) -> dict[str, list[NqAnnotation]]:
    """Return the annotations of each example by its id, from JSON lines, gzip or not.

    ``path`` is a file, a folder (every .jsonl, .json and .gz of them in it) or a pattern such as
    ``dev/nq-dev-*.jsonl.gz``. Several files are read at a time, line by line; the page of an
    example is never kept, and in a long line only ``example_id`` and ``parse_annotations`` are
    parsed. Offsets that a form does not have (bytes in the simplified one) count as unknown.

    Raises ``BadInput`` with the file, and the line or the example's id.
    """
    found: dict[str, list[NqAnnotation]] = {}
    for part, examples in nq_lines.read_all(list_part_files(path), parse_annotations):
        if twice := sorted(found.keys() & examples.keys()):
            raise BadInput(f"{part}: is also in another file: {files.render_name_list(twice)}.")
        found |= examples
    if not found:
        raise BadInput(f"{path}: has no examples.")
    return found


def read_predictions(path: Path) -> dict[str, Prediction]:
    """Return the prediction for each example by its id.

    The file is {"predictions": [..]}, or a list or lines of the records in it: ``example_id``,
    ``long_answer`` (a span, or null), ``short_answers`` (a list of spans), ``yes_no_answer`` ("yes"
    or "no" or "none" in any case), ``long_answer_score`` and ``short_answers_score``. Fields that
    are not there are null; a score must be there for every answer or for none.

    Raises ``BadInput`` with the example's id.
    """
    found: dict[str, Prediction] = {}
    for place, record in enumerate(_prediction_records(path), 1):
        if not isinstance(record, dict):
            raise BadInput(f"{path}, prediction {place}: must be one JSON object.")
        name = files.parse_id(record.get("example_id")) or nq_lines.example_id(
            record, f"{path}, prediction {place}"
        )
        if name in found:
            raise BadInput(f"{path}, example {name}: has two predictions. Keep one.")
        try:
            found[name] = parse_prediction(record)
        except BadInput as error:
            raise BadInput(f"{path}, example {name}: {error}") from None
    try:
        check_scores(found)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    return found


def parse_prediction(record: Mapping[str, Any]) -> Prediction:
    """Return the prediction in one record. Raises ``BadInput``."""
    long, short, yes_no = _answers(record)
    if short and yes_no != "none":
        raise BadInput(f"answers {yes_no} and with short spans. Keep one of the two.")
    scores = (_score(record, "long_answer_score"), _score(record, "short_answers_score"))
    return Prediction(long, short, yes_no, *scores)


def check_scores(predictions: Mapping[str, Prediction]) -> None:
    """Raise ``BadInput`` where some answers have a score and others have none.

    A null answer needs none: it cannot move a threshold.
    """
    long = {name: item.long_score for name, item in predictions.items() if item.long}
    _check_scores(long, "long_answer_score")
    short = {
        name: item.short_score
        for name, item in predictions.items()
        if item.short or item.yes_no != "none"
    }
    _check_scores(short, "short_answers_score")


def encode_prediction(name: str, prediction: Prediction) -> dict[str, Any]:
    """Return a prediction as a record of the official file, which ``parse_prediction`` reads."""
    number = int(name) if name.isascii() and name.isdigit() and str(int(name)) == name else name
    return {
        "example_id": number,
        "long_answer": (prediction.long or NqSpan(*_NULL))._asdict(),
        "long_answer_score": prediction.long_score,
        "short_answers": [span._asdict() for span in prediction.short],
        "short_answers_score": prediction.short_score,
        "yes_no_answer": prediction.yes_no.upper(),
    }


def list_part_files(path: Path) -> list[Path]:
    """Return the files that a path, a folder or a pattern stands for. Raises ``BadInput``."""
    if path.is_dir():
        found = sorted(part for part in path.iterdir() if part.name.endswith(_SUFFIXES))
        if not found:
            raise BadInput(f"{path}: has no file that ends in {', '.join(_SUFFIXES)}.")
        return found
    if not path.exists() and glob.has_magic(str(path)):
        found = sorted(Path(name) for name in glob.glob(str(path)))
        if not found:
            raise BadInput(f"{path}: no file has a name like this.")
        return found
    return [path]


def parse_annotations(value: Any) -> list[NqAnnotation]:
    """Return the annotations of one example from their JSON. Raises ``BadInput``."""
    if not isinstance(value, list):
        raise BadInput("annotations must be a list.")
    if not value:
        raise BadInput("has no annotations. Score on annotated data (the dev set).")
    found: list[NqAnnotation] = []
    for record in value:
        try:
            found.append(_new_annotation(_answers(record)))
        except BadInput as error:
            raise BadInput(f"annotation {len(found) + 1}: {error}") from None
    return found


def _answers(record: Any) -> tuple[NqSpan | None, tuple[NqSpan, ...], YesNo]:
    """Return the long answer, the short answers that are not null, and yes, no or none."""
    if not isinstance(record, dict):
        raise BadInput("must be a JSON object.")
    short = record.get("short_answers")
    spans: list[NqSpan] = []
    if short:
        if not isinstance(short, list):
            raise BadInput("short_answers must be a list of spans.")
        for item in short:
            if span := _span(item, "short_answers"):
                spans.append(span)  # most hold one: a comprehension is slower
    answer = record.get("yes_no_answer")
    yes_no: YesNo = "none" if answer == "NONE" else _yes_no(answer)
    return _span(record.get("long_answer"), "long_answer"), tuple(spans), yes_no


def _span(value: Any, name: str) -> NqSpan | None:
    """Return a span, or None for a null one: null, or no offset of 0 or above."""
    try:
        place = _OFFSETS(value)
    except (KeyError, TypeError):  # null, or a form without bytes or without tokens
        if value is None:
            return None
        if not isinstance(value, dict):
            raise BadInput(f"{name} must be a JSON object with start and end offsets.") from None
        place = tuple([value.get(offset, -1) for offset in NqSpan._fields])
    start_byte, end_byte, start_token, end_token = place
    if not type(start_byte) is type(end_byte) is type(start_token) is type(end_token) is int:
        raise BadInput(f"{name}: start and end offsets must be whole numbers.")
    if 0 <= start_byte < end_byte and 0 <= start_token < end_token:
        return _new_span(place)
    if place == _NULL:
        return None
    _check_bounds(start_byte, end_byte, "byte", name)
    _check_bounds(start_token, end_token, "token", name)
    return None if start_byte < 0 and start_token < 0 else _new_span(place)


def _check_bounds(start: int, end: int, unit: str, name: str) -> None:
    if (start < 0) != (end < 0):
        known, unknown = ("start", "end") if end < 0 else ("end", "start")
        raise BadInput(f"{name} has a {known}_{unit} and no {unknown}_{unit}. Give both or none.")
    if start >= end and start >= 0:
        raise BadInput(f"{name}: start_{unit} {start} must lie before end_{unit} {end}.")


def _yes_no(value: Any) -> YesNo:
    if value is None:
        return "none"
    if not isinstance(value, str) or (found := _YES_NO.get(value.upper())) is None:
        raise BadInput(f"yes_no_answer must be yes, no or none, not {value!r}.")
    return found


def _score(record: Mapping[str, Any], name: str) -> float | None:
    value = record.get(name)
    if value is None or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInput(f"{name} must be a number.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadInput(f"{name} must be a finite number.")
    return number


def _check_scores(scores: Mapping[str, float | None], field: str) -> None:
    without = [name for name, score in scores.items() if score is None]
    if without and len(without) < len(scores):
        raise BadInput(
            f"{len(without):,} of {len(scores):,} answers have no {field}: "
            f"{files.render_name_list(without)}. Give it for every answer or for none."
        )


def _prediction_records(path: Path) -> list[Any]:
    data = files.read_records(path)
    if isinstance(data, dict):
        data = data.get("predictions", [data])
    if not isinstance(data, list):
        raise BadInput(f'{path}: must be {{"predictions": [..]}}, with one object per example.')
    return data
