"""How many pages each submission read (A72): as CSV, a line per submission.

`pages_from_search` is what AmbigQA could count: pages opened from search results. `pages` has
those reached by links, from the history and all other ways too. Each page counts once, under
whatever redirect it was opened. A cell that a spreadsheet would take for a formula begins with an
apostrophe.
"""

import csv
import io
import uuid
from collections.abc import Iterator
from typing import Any

from accounts.models import User
from accounts.pseudonyms import pseudonym
from annotation.models import Project
from annotation.queries.visits import COUNTED_VIAS
from annotation.services.exports.rows import chunks, fetch, snapshot

HEADER = (
    "id",
    "split",
    "stage",
    "assignment",
    "person",
    "used",
    "searches",
    "pages_from_search",
    "pages",
    "reading_seconds",
)
_AT_ONCE = 2_000
_SUBMISSIONS = """
    SELECT s.id, q.external_id, q.split, s.stage, u.key, s.used
    FROM annotation_assignment s
    LEFT JOIN annotation_annotation n ON n.assignment_id = s.id
    LEFT JOIN annotation_longanswer l ON l.assignment_id = s.id
    JOIN annotation_question q ON q.id = coalesce(n.question_id, l.question_id)
    JOIN accounts_user u ON u.id = s.user_id
    WHERE s.project_id = %s AND s.state = 'submitted' AND (%s::text IS NULL OR q.split = %s)
    ORDER BY q.id, s.submitted_at, s.id
"""
_COUNTS = """
    SELECT assignment_id,
           count(*) FILTER (WHERE kind = 'search' AND (data ->> 'offset')::int = 0),
           count(DISTINCT data ->> 'path')
               FILTER (WHERE kind = 'page_open' AND data ->> 'via' = ANY(%s)),
           count(DISTINCT data ->> 'path') FILTER (WHERE kind = 'page_open'),
           coalesce(sum((data ->> 'dwell_ms')::bigint) FILTER (WHERE kind = 'page_close'), 0)
    FROM annotation_event
    WHERE assignment_id = ANY(%s) AND kind IN ('search', 'page_open', 'page_close')
    GROUP BY assignment_id
"""


def records(project: Project, split: str | None) -> Iterator[bytes]:
    """Give the header and a line per submission, in the order of questions, then of submission."""
    names: dict[uuid.UUID, str] = {}
    with snapshot():
        yield _line(HEADER)
        for rows in chunks(_SUBMISSIONS, [project.pk, split, split], _AT_ONCE):
            counted = fetch(_COUNTS, [list(COUNTED_VIAS), [row[0] for row in rows]])
            counts = {row[0]: row[1:] for row in counted}
            for assignment, question, part, stage, key, used in rows:
                if key not in names:
                    names[key] = pseudonym(User(key=key), scope=project.slug)
                searches, from_search, pages, dwell = counts.get(assignment, (0, 0, 0, 0))
                person, took = names[key], f"{int(dwell) / 1000:.1f}"
                start = (question, part, stage, assignment, person, "true" if used else "false")
                yield _line((*start, searches, from_search, pages, took))


def _line(values: tuple[Any, ...]) -> bytes:
    """One line, without its end."""
    held = io.StringIO()
    csv.writer(held, lineterminator="").writerow(_harmless(value) for value in values)
    return held.getvalue().encode()


def _harmless(value: object) -> object:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
