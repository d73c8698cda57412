"""The file of predictions that AmbigQA's scorer reads: answers, or pairs, of each question (A95).

`{id: […]}`, or records with “id” and “predictions”, as a list or one per line. Beside these a
record can have the text that people judge, as “answer”; without one it is made of the predictions.
Files of texts are read as in other projects.
"""

import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from annotation.imports.records import (
    BadLine,
    Piece,
    WrongFormat,
    describe_value,
    id_of,
    load_object,
    text_of,
)
from evaluation.scores.values import Details
from evaluation.systems import formats
from evaluation.systems.output_files import Content, GivenContent, OutputFile, OutputText

MOST_PREDICTIONS = 200  # of a question; each is compared with every accepted answer
_FILE = re.compile(rb'\s*[\[{]\s*["{\]}]')
_FORM = "“predictions” should be a list of answers, or of pairs with “question” and “answer”"


def is_answer_file(beginning: bytes) -> bool:
    """Whether the beginning of a file is that of an object or of records; not of ASQA's own."""
    return bool(_FILE.match(beginning)) and not formats.is_own_of_asqa(beginning)


def cut_answers(file: BinaryIO) -> Iterator[Piece]:
    """Yield the records of a file, or its entries by id. Raises WrongFormat for other files."""
    return formats.choose_cutter(file)(file)


def parse_prediction(piece: Piece) -> tuple[str, object]:
    """Read a record, or an id with what was answered: a text, or a list of predictions.

    Raises ValueError with the sentence to show.
    """
    assert isinstance(piece.found, bytes)
    if piece.found.lstrip().startswith(b'"'):
        key, value = formats.parse_entry(piece)
        return key, _read(key, value, "") if isinstance(value, list) else value
    data = load_object(piece.found)
    if "predictions" not in data:
        return formats.parse_record(piece)
    key = id_of(data)
    text = "" if data.get("answer") is None else text_of(data, "answer")
    return key, _read(key, data["predictions"], text)


def _read(key: str, value: object, text: str) -> object:
    """Return what is stored of predictions, or the text where there are none."""
    try:
        return _read_predictions(value, text)
    except ValueError as error:
        raise ValueError(f"“{key[:60]}”: {error}") from None


def _read_predictions(values: object, text: str) -> object:
    if not isinstance(values, list):
        raise ValueError(f"{_FORM}, and is {describe_value(values)}.")
    if len(values) > MOST_PREDICTIONS:
        raise ValueError(f"It has {len(values):,} answers. The maximum is {MOST_PREDICTIONS}.")
    if all(isinstance(value, str) for value in values):
        answers = tuple(text_of({"predictions": value}, "predictions") for value in values)
        details, lines = Details(answers=answers), [_on_one_line(answer) for answer in answers]
    else:
        pairs = [_pair(value) for value in values]
        details = Details(pairs=tuple((question, forms[0]) for question, forms in pairs))
        lines = [_on_one_line(f"{question} {'; '.join(forms)}") for question, forms in pairs]
    listed = "\n".join(filter(None, lines))
    text = text if formats.is_visible(text) else listed
    if not formats.is_visible(text) or details == Details():
        return text
    for length in (len(text), len(listed)):
        if length > formats.MAX_ANSWER:
            raise ValueError(
                f"Its answer has {length:,} characters. The maximum is {formats.MAX_ANSWER:,}."
            )
    return GivenContent({"text": text, "details": details.as_json()})


def _pair(value: object) -> tuple[str, list[str]]:
    """Return a question and the forms of its answer, of which the first is scored."""
    if not isinstance(value, dict):
        raise ValueError(f"{_FORM}, and holds {describe_value(value)}.")
    forms = value.get("answer")
    if not isinstance(forms, list):
        forms = [text_of(value, "answer")]
    if not forms:
        raise ValueError("“answer” of a pair is an empty list.")
    return text_of(value, "question"), [text_of({"answer": form}, "answer") for form in forms]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def render_predictions(given: Mapping[int, Content]) -> Mapping[int, OutputText | BadLine]:
    """Return predictions as they are stored. Raises WrongFormat where some are pairs and others
    answers alone, which cannot be compared.
    """
    pairs = sum("pairs" in content["details"] for content in given.values())
    if 0 < pairs < len(given):
        raise WrongFormat(
            f"Of the questions in the file, {pairs:,} have pairs and {len(given) - pairs:,} "
            "answers alone. Give one kind for all."
        )
    return {
        question: OutputText(content["text"], content=content["details"])
        for question, content in given.items()
    }


PREDICTIONS = OutputFile(
    label="AmbigQA’s predictions",
    hint=(
        "For scores of answers and questions, a list of answers, or of pairs with “question” and "
        "“answer”, takes the place of a text, or stands beside it as “predictions”."
    ),
    is_like=is_answer_file,
    cut=cut_answers,
    parse=parse_prediction,
    render=render_predictions,
)
