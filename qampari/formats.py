"""The formats of QAMPARI's files: JSON lines as released, and the readers' JSON array."""

from collections.abc import Mapping

from annotation.imports.formats import Format
from qampari import records

_EXAMPLE = (
    '{"qid": "1__wikidata_simple__dev", "question_text": "Which bridges did John Rennie design?", '
    '"answer_list": [{"answer_text": "Kelso Bridge", "aid": "1__wikidata_simple__dev__0", '
    '"aliases": ["Kelso Bridge"], "answer_url": "https://en.wikipedia.org/wiki/Kelso_Bridge", '
    '"proof": [{"proof_text": "The bridge at Kelso was built to a design by John Rennie.", '
    '"found_in_url": "https://en.wikipedia.org/wiki/Kelso_Bridge", '
    '"pid": "1__wikidata_simple__dev__0__0"}]}, '
    '{"answer_text": "Waterloo Bridge", "aliases": ["Waterloo Bridge", "the Strand Bridge"]}]}\n'
)
_EXAMPLE_READERS = """\
[
  {
    "id": "1__wikidata_simple__dev",
    "question": "Which bridges did John Rennie design?",
    "answers": [["Kelso Bridge"], ["Waterloo Bridge", "the Strand Bridge"]],
    "answer": "Kelso Bridge, Waterloo Bridge."
  }
]
"""


def is_official(record: Mapping[str, object]) -> bool:
    """Return whether a record has the fields of the released files."""
    return {"qid", "question_text", "answer_list"} <= record.keys()


def is_for_readers(record: Mapping[str, object]) -> bool:
    """Return whether a record has a list of forms for each answer."""
    answers = record.get("answers")
    lists = isinstance(answers, list) and all(isinstance(each, list) for each in answers)
    return lists and {"id", "question"} <= record.keys()


OFFICIAL = Format(
    key="qampari",
    label="QAMPARI JSONL",
    hint="One JSON object per line with “qid”, “question_text” and “answer_list”, each answer with "
    "its aliases and proofs, as QAMPARI was released.",
    layouts=("lines",),
    parse=records.parse_record,
    example=_EXAMPLE,
    suffix="jsonl",
    annotated=True,
    names_split=True,
    is_like=is_official,
)
READERS = Format(
    key="qampari-readers",
    label="QAMPARI for readers, JSON",
    hint="One JSON array of records with “id”, “question” and “answers”, a list of forms for each "
    "answer.",
    layouts=("array",),
    parse=records.parse_record,
    example=_EXAMPLE_READERS,
    suffix="json",
    annotated=True,
    names_split=True,
    is_like=is_for_readers,
)
