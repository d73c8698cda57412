"""How many pages each submission read (A72): as CSV, a line per submission.

`pages_from_search` is what AmbigQA could count: pages opened from search results. `pages` also has
those reached by links, from the history and in all other ways. Each page counts once, whichever
redirect it was opened by. A cell that a spreadsheet would take for a formula begins with an
apostrophe.
"""

import csv
import io
from collections.abc import Iterator
from typing import Any

from annotation.core.models.projects import Project
from annotation.exports.format import CSV, Format, count_submissions
from annotation.exports.rows import Names, fetch_chunks, fetch_rows
from annotation.exports.selection import Selection
from annotation.reading.statements import COUNTED_EVENTS, EXPORTED_READING
from annotation.reading.visits import COUNTED_VIAS
from annotation.stages import registry as stages

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


def export_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield the header and a line per submission, in the order of questions, then of submission.

    Only within a snapshot.
    """
    names = Names(project)
    yield _line(HEADER)
    values = selection.values(project) | {"stages": stages.list_writing_stages(project)}
    for rows in fetch_chunks(EXPORTED_READING, values, _AT_ONCE):
        counted = fetch_rows(COUNTED_EVENTS, [list(COUNTED_VIAS), [row[0] for row in rows]])
        counts = {row[0]: row[1:] for row in counted}
        for assignment, question, part, stage, key, used in rows:
            searches, from_search, pages, dwell = counts.get(assignment, (0, 0, 0, 0))
            took = f"{int(dwell) / 1000:.1f}"
            start = (question, part, stage, assignment, names[key], "true" if used else "false")
            yield _line((*start, searches, from_search, pages, took))


def _line(values: tuple[Any, ...]) -> bytes:
    """Return one line of CSV, without its line end."""
    held = io.StringIO()
    csv.writer(held, lineterminator="").writerow(_harmless(value) for value in values)
    return held.getvalue().encode()


def _harmless(value: object) -> object:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value


PAGES_READ = Format(
    key="pages-read",
    label="Pages read",
    hint="A line per submission: pages opened from search results, and all pages",
    content_type=CSV,
    records=export_records,
    count=count_submissions,
    headings=1,
)
