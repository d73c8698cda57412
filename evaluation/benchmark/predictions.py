"""A file of predictions for the whole test split. What is wrong with it is said as a count.

Nothing that is said depends on an answer being right, and no single question is named.
"""

from collections.abc import Mapping
from typing import BinaryIO

from annotation.imports.records import WrongFormat
from annotation.models import Question
from evaluation.systems import formats
from evaluation.systems.matching import MOST_RECORDS
from evaluation.systems.models import Output, System
from evaluation.systems.output_files import Content, GivenContent, OutputFile, OutputText


def read_predictions(
    file: BinaryIO, questions: Mapping[int, Question], own: OutputFile | None
) -> list[Output]:
    """Return the answers of a file as outputs of no system, one for each question, by id.

    own: the file of the project's protocol, if it has one. Raises WrongFormat unless the file has
    each question once, nothing else, and the same parts in every answer: a system is not scored
    only over what it is good at.
    """
    ids = {row.external_id: pk for pk, row in questions.items()}
    texts: dict[int, OutputText] = {}
    given: dict[int, Content] = {}
    read = refused = 0
    for record in formats.read_records(file, own):
        read += 1
        if read > MOST_RECORDS:
            raise WrongFormat(f"The file has more than {MOST_RECORDS:,} records.")
        pk = ids.pop(record.id, None)
        if pk is None or not isinstance(record.found, str | GivenContent):
            refused += 1
        elif isinstance(record.found, str):
            texts[pk] = OutputText(record.found)
        else:
            given[pk] = record.found.content
    for pk, found in own.render(given).items() if own and given else ():
        if isinstance(found, OutputText):
            texts[pk] = found
        else:
            refused += 1
    if refused or len(texts) != len(questions):
        raise WrongFormat(_describe(read, refused, len(texts), len(questions)))
    if len({tuple(sorted(row.content or {})) for row in texts.values()}) > 1:
        raise WrongFormat(
            "Some answers of the file have parts that others lack, such as lists of answers or "
            "passages. Give every answer the same parts."
        )
    system = System(name="Entry")
    return [
        Output(system=system, question_id=pk, text=texts[pk].text, details=texts[pk].content or {})
        for pk in sorted(texts)
    ]


def _describe(read: int, refused: int, taken: int, questions: int) -> str:
    return (
        f"The file has to hold one answer, and not an empty one, for each of the {questions:,} "
        f"questions of the test split, and nothing else. Of its {read:,} records, {taken:,} do; "
        f"{refused:,} are empty, unreadable, repeated or of no such question."
    )
