"""The official file of predictions: {"predictions": [..]}, as the scorer of the data reads it."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from annotation.imports.arrays import split_array, split_array_within
from annotation.imports.lines import BOM, split_lines
from annotation.imports.records import BadLine, Piece, WrongFormat, load_object
from evaluation.scores.values import Details
from evaluation.systems.output_files import Content, GivenContent, OutputFile, OutputText
from metrics import nq
from metrics.inputs import nq as nq_files
from metrics.score import BadInput
from modeling.outputs import build_span_prediction
from modeling.services.storing import details_of, text_of
from natural_questions.own_pages import OwnPage
from natural_questions.records import example_id_of

_OPENING = re.compile(rb'\s*\{\s*"predictions"\s*:\s*(?=\[)')
_RECORD = re.compile(rb'\s*\[?\s*\{[^{}]*"example_id"')
_HEAD = 1_000


def is_predictions(beginning: bytes) -> bool:
    """Whether the beginning of a file is that of predictions: in their object, a list, or lines."""
    return bool(_OPENING.match(beginning) or _RECORD.match(beginning))


def cut_predictions(file: BinaryIO) -> Iterator[Piece]:
    """Yield the records of a file."""
    file.seek(0)
    head = file.read(_HEAD)
    file.seek(0)
    mark = len(head) - len(head.removeprefix(BOM))
    if opening := _OPENING.match(head, mark):
        return split_array_within(file, head[: opening.end()])
    return split_array(file) if head[mark:].lstrip().startswith(b"[") else split_lines(file)


def parse_prediction(piece: Piece) -> tuple[str, object]:
    """Read a record. Raises ValueError with the sentence to show."""
    assert isinstance(piece.found, bytes)
    data = load_object(piece.found)
    spans = nq_files.parse_prediction(data)
    return example_id_of(data), GivenContent(Details(spans=spans).as_json())


def render_predictions(given: Mapping[int, Content]) -> Mapping[int, OutputText | BadLine]:
    """Return answers as they are stored, with their words on the pages. A query for each.

    Raises WrongFormat where some answers have a score and others have none.
    """
    predictions = {pk: _spans_of(content) for pk, content in given.items()}
    try:
        nq_files.check_scores({str(pk): spans for pk, spans in predictions.items()})
    except BadInput as error:
        raise WrongFormat(f"{error}") from None
    return {pk: _render(pk, spans) for pk, spans in predictions.items()}


def encode_predictions(rows: Iterable[tuple[str, str, Content]]) -> Iterator[bytes]:
    """Give the file, a record a line. Answers that are no places on a page are left out."""
    between = b'{"predictions": [\n'
    for name, _, content in rows:
        spans = Details.from_stored(content).spans
        if spans is not None:
            yield between + json.dumps(nq_files.encode_prediction(name, spans)).encode()
            between = b",\n"
    yield (b"\n" if between == b",\n" else between) + b"]}\n"


def _spans_of(content: Content) -> nq.Prediction:
    spans = Details.from_stored(content).spans
    assert spans is not None  # `parse_prediction` gave it
    return spans


def _render(question: int, spans: nq.Prediction) -> OutputText | BadLine:
    prediction = build_span_prediction("", spans, OwnPage(question))
    text, problem = text_of(prediction)
    return BadLine(problem) if problem else OutputText(text, content=details_of(prediction))


PREDICTIONS = OutputFile(
    label="Natural Questions’ predictions",
    is_like=is_predictions,
    cut=cut_predictions,
    parse=parse_prediction,
    render=render_predictions,
    holds="spans",
    encode=encode_predictions,
)
