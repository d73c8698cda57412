"""Lists of answers from other annotation tools: one of what all of their people wrote. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from annotation.imports.adapters import ANNOTATIONS, annotations_of
from annotation.imports.formats import QuestionRecord
from annotation.imports.peer_answers import answers_in
from metrics.text import answer_key
from qampari.records import LIST


def list_peer_answers(record: QuestionRecord) -> QuestionRecord:
    """Return a record of another tool as an official one.

    Answers of several people that share a form are one; each quote is a proof. An answer known
    before, which nobody wrote, is in the list as well.
    """
    rows: list[dict[str, Any]] = []
    for annotation in annotations_of(record):
        before = rows[:]
        for answer in answers_in(annotation):
            _add_answer(rows, before, answer)
    for text in record.known_answers:
        _add_answer(rows, rows, {"answer": [text]})
    rest = {key: value for key, value in record.context.items() if key != ANNOTATIONS}
    return replace(record, known_answers=(), context={**rest, LIST: rows})


def _add_answer(
    rows: list[dict[str, Any]], before: Sequence[dict[str, Any]], answer: dict[str, Any]
) -> None:
    """Add an answer to the list, or to the row, of those before, that has one of its forms."""
    forms: list[str] = answer["answer"]
    keys = set(map(answer_key, forms))
    row = next((row for row in before if keys & set(map(answer_key, row["aliases"]))), None)
    if row is None:
        row = {"answer_text": forms[0], "aliases": [], "proof": []}
        rows.append(row)
    row["aliases"] = list(dict.fromkeys((*row["aliases"], *forms)))
    for key in ("aid", "answer_url"):
        if answer.get(key):
            row.setdefault(key, answer[key])
    for quote in answer.get("quotes", ()):
        proof = {"proof_text": quote["text"], "found_in_url": quote["url"], "pid": quote["pid"]}
        if proof not in row["proof"]:
            row["proof"].append(proof)
