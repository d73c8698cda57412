"""How many pages people opened and how many searches they wrote for a question (A72, A73)."""

from dataclasses import dataclass

from annotation.core.models.projects import Project
from annotation.exports.rows import fetch_rows
from annotation.reading.statements import COUNTED_EFFORT, IMPORTED_EFFORT
from annotation.reading.visits import COUNTED_VIAS
from annotation.stages import registry as stages


@dataclass(frozen=True, slots=True)
class Effort:
    """What was done for one question. from_search: pages opened from search results, which is what
    AmbigQA could count; pages: all of them, None where a file says only what AmbigQA counted.
    """

    split: str
    from_search: int
    pages: int | None
    queries: int


def list_efforts(project: Project, split: str | None = None) -> list[Effort]:
    """Return the effort of every question that was answered or imported with it. Two queries."""
    values = {
        "project": project.pk,
        "split": split,
        "stages": stages.list_writing_stages(project),
        "vias": list(COUNTED_VIAS),
    }
    done = [Effort(*row) for row in fetch_rows(COUNTED_EFFORT, values)]
    return done + [
        Effort(part, pages, None, queries)
        for part, pages, queries in fetch_rows(IMPORTED_EFFORT, values)
    ]
