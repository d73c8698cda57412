"""The file of predictions that QAMPARI's scorer reads: lists of answers by id, or records."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

import orjson

from annotation.imports.arrays import split_array, split_object
from annotation.imports.lines import BOM, split_lines
from annotation.imports.records import BadLine, Piece, id_of, load_object, texts_of
from evaluation.scores.values import Details
from evaluation.systems.formats import MAX_ANSWER
from evaluation.systems.output_files import Content, GivenContent, OutputFile, OutputText
from qampari.records import MOST_ANSWERS
from qampari.score_panels import list_answers

_HEAD = 4_096
_RECORD = re.compile(rb'\s*\[?\s*\{(?:[^{}]*,)?\s*"predictions"\s*:\s*\[')
_ENTRY = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.){1,400}"\s*:\s*\[')


def is_predictions(beginning: bytes) -> bool:
    """Whether the beginning of a file is that of lists by id, or of records with “predictions”."""
    return bool(_RECORD.match(beginning) or _ENTRY.match(beginning))


def cut_predictions(file: BinaryIO) -> Iterator[Piece]:
    """Yield the records of a file."""
    file.seek(0)
    head = file.read(_HEAD).removeprefix(BOM)
    file.seek(0)
    if not _RECORD.match(head):
        return split_object(file)
    return split_array(file) if head.lstrip().startswith(b"[") else split_lines(file)


def parse_prediction(piece: Piece) -> tuple[str, object]:
    """Read a record, or an id with its list. Raises ValueError with the sentence to show.

    A list without an answer is an empty text, which no output is.
    """
    assert isinstance(piece.found, bytes)
    if piece.found.lstrip().startswith(b"{"):
        data = load_object(piece.found)
        key = id_of(data, "qid" if "qid" in data else "id")
        if "predictions" not in data:
            raise ValueError("“predictions” is missing, the list of answers.")
    else:
        [(name, value)] = load_object(b"{" + piece.found + b"}").items()
        key, data = id_of({"id": name}), {"predictions": value}
    answers = texts_of(data, "predictions")
    if len(answers) > MOST_ANSWERS:
        raise ValueError(f"It has {len(answers):,} answers. The maximum is {MOST_ANSWERS:,}.")
    if not any(answer.strip() for answer in answers):
        return key, ""
    return key, GivenContent(Details(answers=answers).as_json())


def render_predictions(given: Mapping[int, Content]) -> Mapping[int, OutputText | BadLine]:
    """Return lists as they are stored, with a line for each answer as their text."""
    return {pk: _render(content) for pk, content in given.items()}


def _render(content: Content) -> OutputText | BadLine:
    answers = Details.from_stored(content).answers
    text = "\n".join(" ".join(answer.split()) for answer in answers if answer.strip())
    if len(text) > MAX_ANSWER:
        return BadLine(f"Its list has {len(text):,} characters. The maximum is {MAX_ANSWER:,}.")
    return OutputText(text, content=content)


def encode_predictions(rows: Iterable[tuple[str, str, Content]]) -> Iterator[bytes]:
    """Give a record a line, with the answers that are scored."""
    for name, text, content in rows:
        answers = list_answers(text, Details.from_stored(content).answers)
        yield orjson.dumps({"qid": name, "predictions": answers}) + b"\n"


PREDICTIONS = OutputFile(
    label="QAMPARI’s predictions",
    is_like=is_predictions,
    cut=cut_predictions,
    parse=parse_prediction,
    render=render_predictions,
    holds="answers",
    encode=encode_predictions,
)
