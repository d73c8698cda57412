"""Answers as a CSV file, one line per answer, safe to open in a spreadsheet."""

import csv
import datetime as dt
import io
from collections.abc import Iterable

from annotation.consent.queries import BackgroundShare, ConsentOfPerson
from annotation.text.spreadsheets import defuse_formula

HEADS = (
    *("name", "email", "roles", "state", "version", "given_at", "refused_at", "may_train"),
    *("withdrawn_at", "replaced_at"),
)


def render_answers(people: Iterable[ConsentOfPerson]) -> str:
    """Return the file: by person, the oldest answer first; people who were not asked have a line
    without an answer. Times are UTC.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADS)
    for person in people:
        who = [
            defuse_formula(person.user.name),
            defuse_formula(person.user.email),
            "; ".join(person.roles),
        ]
        if not person.answers:
            writer.writerow([*who, person.state, *[""] * 6])
        for answer in reversed(person.answers):
            writer.writerow(
                [
                    *who,
                    answer.state,
                    answer.text.version,
                    _time(answer.given_at),
                    _time(answer.refused_at),
                    {True: "yes", False: "no", None: ""}[answer.may_train],
                    _time(answer.withdrawn_at),
                    _time(answer.replaced_at),
                ]
            )
    return text.getvalue()


def render_shares(shares: Iterable[BackgroundShare]) -> str:
    """Return what people said about themselves as a file of shares, which names nobody."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("about", "said", "people", "of", "per_cent"))
    for row in shares:
        writer.writerow((row.about, row.said, row.people, row.of, f"{row.share:.1f}"))
    return text.getvalue()


def _time(at: dt.datetime | None) -> str:
    return at.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else ""
