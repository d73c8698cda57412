"""Files of a recruitment: for the platform's bulk actions, and for the data."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from accounts.pseudonyms import derive_pseudonym
from annotation.text.spreadsheets import defuse_formula
from crowds.models import Participation, Recruitment

Review = Participation.Review
KINDS = ("approve", "bonus", "decisions", "participants")


class _Echo:
    """A file for csv.writer whose `write` returns the line."""

    def write(self, line: str) -> str:
        return line


def render_csv_lines(
    kind: str, recruitment: Recruitment, people: Iterable[Participation], labels: list[str]
) -> Iterator[bytes]:
    """Yield the lines of a file; `labels` are the questions of the form.

    The files for a platform's forms, `approve` and `bonus`, have no heading, as these want it.
    """
    writer = csv.writer(_Echo())
    labels = labels if kind == "participants" else []
    if kind in _HEADS:
        yield writer.writerow(
            [*_HEADS[kind], *(defuse_formula(label) for label in labels)]
        ).encode()
    for row in people:
        cells = _CELLS[kind](row, recruitment)
        if cells is not None:
            said = row.answers or {}
            more = (defuse_formula(said.get(label, "")) for label in labels)
            yield writer.writerow([*cells, *more]).encode()


def _approve(row: Participation, recruitment: Recruitment) -> list[Any] | None:
    return [row.external_id] if row.review == Review.APPROVED and row.external_id else None


def _bonus(row: Participation, recruitment: Recruitment) -> list[Any] | None:
    return [row.external_id, f"{row.bonus:.2f}"] if row.bonus and row.external_id else None


def _decision(row: Participation, recruitment: Recruitment) -> list[Any] | None:
    reviewed = row.reviewed_at.isoformat(timespec="seconds") if row.reviewed_at else ""
    return [
        row.external_id,
        row.session,
        row.status,
        row.code,
        row.review or "waiting",
        defuse_formula(row.reason),
        f"{row.bonus:.2f}",
        recruitment.currency,
        reviewed,
    ]


def _participant(row: Participation, recruitment: Recruitment) -> list[Any] | None:
    ended = row.ended_at.isoformat(timespec="seconds") if row.ended_at else ""
    return [
        derive_pseudonym(row.user, scope=recruitment.project.slug),
        row.status,
        row.review or "waiting",
        row.briefing.version,
        row.consented_at.isoformat(timespec="seconds"),
        ended,
        row.done,
        row.skipped,
        "" if row.median_seconds is None else row.median_seconds,
        len(row.checks),
        row.failed,
        defuse_formula(row.comment),
    ]


_HEADS = {
    "decisions": [
        *("participant_id", "submission_id", "status", "code", "review", "reason", "bonus"),
        *("currency", "reviewed_at"),
    ],
    "participants": [
        *("person", "status", "review", "consent_version", "consented_at", "ended_at"),
        *("questions", "skipped", "median_seconds", "checks", "checks_wrong", "comment"),
    ],
}
_CELLS = {
    "approve": _approve,
    "bonus": _bonus,
    "decisions": _decision,
    "participants": _participant,
}
