"""The ledger as a CSV file, one line per entry, safe to open in a spreadsheet."""

import csv
import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Any

from accounts.models import User
from accounts.pseudonyms import derive_pseudonym, question_code
from annotation.core.models.questions import Question
from annotation.pay.models import PayEntry
from annotation.text.spreadsheets import defuse_formula


class _Echo:
    """A file for csv.writer whose `write` returns the line."""

    def write(self, line: str) -> str:
        return line


def render_csv_lines(entries: Iterable[PayEntry], *, names: str) -> Iterator[str]:
    """Yield the lines of the file.

    `names`: "own" has no columns for people, "people" adds name, address and the member of the team
    who posted it, "pseudonyms" the pseudonym that the project's exports use. Amounts are
    plain numbers with a dot; times are UTC.
    """
    writer = csv.writer(_Echo())
    yield writer.writerow(
        ["entry", "time", *_heads(names), "project", "kind", "question", "text", "questions",
         "active_seconds", "amount", "currency", "note", "corrects"]
    )  # fmt: skip
    pseudonyms: dict[tuple[int, str], str] = {}
    for entry in entries:
        question = entry.assignment.task.question if entry.assignment else None
        yield writer.writerow(
            [
                entry.pk,
                entry.at.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                *_who(entry, names, pseudonyms),
                entry.project.slug,
                entry.kind,
                _named(question, names) if question else "",
                defuse_formula(question.text) if question else "",
                entry.units,
                entry.seconds,
                f"{entry.amount:.2f}",
                entry.currency,
                defuse_formula(entry.note),
                entry.corrects_id or "",
            ]
        )


def _named(question: Question, names: str) -> str:
    """Return the id of a question for the team, and its code for who worked on it."""
    return question_code(question.pk) if names == "own" else defuse_formula(question.external_id)


def _heads(names: str) -> list[str]:
    return {"people": ["person", "email", "by"], "pseudonyms": ["person"]}.get(names, [])


def _who(entry: PayEntry, names: str, known: dict[tuple[int, str], str]) -> list[Any]:
    if names == "people":
        by = entry.by.name if entry.by else ""
        return [
            defuse_formula(entry.user.name),
            defuse_formula(entry.user.email),
            defuse_formula(by),
        ]
    if names == "pseudonyms":
        key = entry.user_id, entry.project.slug
        if key not in known:
            known[key] = derive_pseudonym(User(key=entry.user.key), scope=entry.project.slug)
        return [known[key]]
    return []
