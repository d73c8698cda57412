"""Which paraphrases are accepted, and how those of each person went."""

from collections.abc import Iterable
from typing import NamedTuple

from annotation.exports.rows import fetch_rows
from annotation.models import Project
from qampari.statements import ACCEPTED_PARAPHRASES, PARAPHRASES_BY_PERSON


class Author(NamedTuple):
    """How the paraphrases of a person went, by what was first said of each."""

    person: int
    written: int
    drawn: int
    verified: int
    same: int
    changed: int
    unnatural: int


def read_accepted_texts(question_ids: Iterable[int]) -> dict[int, str]:
    """Return the accepted paraphrase of each of these questions that has one. One query."""
    return dict(fetch_rows(ACCEPTED_PARAPHRASES, {"questions": list(question_ids)}))


def by_person(project: Project, split: str = "") -> list[Author]:
    """Return how the paraphrases of each person went. One query."""
    return [
        Author(*row)
        for row in fetch_rows(PARAPHRASES_BY_PERSON, {"project": project.pk, "split": split or ""})
    ]
