"""The part of a project that an export holds."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from annotation.core.models.projects import Project


@dataclass(frozen=True)
class Selection:
    """The filters of an export; with none of them it holds everything.

    `state` is that of the question. `person` is a pseudonym and `user` whose it is. `since` and
    `until` are days in UTC, both included. `study` is the number of one, for formats that have
    them.
    """

    split: str = ""
    state: str = ""
    person: str = ""
    user: int | None = None
    since: dt.date | None = None
    until: dt.date | None = None
    study: int | None = None

    def as_json(self) -> dict[str, str | int | None]:
        """Return every filter under its name, null where it is not used."""
        return {
            "split": self.split or None,
            "state": self.state or None,
            "person": self.person or None,
            "since": self.since.isoformat() if self.since else None,
            "until": self.until.isoformat() if self.until else None,
            "study": self.study,
        }

    def words(self) -> list[str]:
        """Return the filters as words for a file name."""
        days = [f"{name}-{day}" for name in ("since", "until") if (day := getattr(self, name))]
        study = f"study-{self.study}" if self.study else ""
        return [*filter(None, (study, self.split, self.state, self.person)), *days]

    def values(self, project: Project) -> dict[str, Any]:
        """Return the parameters of a statement that has `chosen` in it."""
        day_after = self.until + dt.timedelta(days=1) if self.until else None
        return {
            "project": project.pk,
            "split": self.split or None,
            "state": self.state or None,
            "person": self.user,
            "since": _midnight(self.since),
            "until": _midnight(day_after),
        }


def chosen_condition(*, person: str = "s.user_id", time: str = "s.submitted_at") -> str:
    """Return the SQL condition of the filters on a question `q`, its person and its time."""
    return f"""(
        (%(split)s::text IS NULL OR q.split = %(split)s)
        AND (%(state)s::text IS NULL OR q.state = %(state)s)
        AND (%(person)s::bigint IS NULL OR {person} = %(person)s)
        AND (%(since)s::timestamptz IS NULL OR {time} >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR {time} < %(until)s)
    )"""


def _midnight(day: dt.date | None) -> dt.datetime | None:
    return dt.datetime.combine(day, dt.time(), dt.UTC) if day else None
