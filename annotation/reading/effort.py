"""How many pages people opened and how many searches they wrote for a question (A72, A73)."""

from dataclasses import dataclass

from annotation.core.models.projects import Project
from annotation.exports.rows import fetch
from annotation.reading.visits import COUNTED_VIAS
from annotation.stages import registry as stages

# What everyone who answered a question did counts together, each page and each query once. A
# question imported as finished work says itself what was read and searched for.
_COUNTS = """
    SELECT q.split, count(DISTINCT e.data ->> 'path')
               FILTER (WHERE e.kind = 'page_open' AND e.data ->> 'via' = ANY(%(vias)s)),
           count(DISTINCT e.data ->> 'path') FILTER (WHERE e.kind = 'page_open'),
           count(DISTINCT lower(btrim(e.data ->> 'query'))) FILTER (WHERE e.kind = 'search')
    FROM annotation_assignment s
    JOIN annotation_task t ON t.id = s.task_id
    JOIN annotation_question q ON q.id = t.question_id
    LEFT JOIN annotation_event e ON e.assignment_id = s.id AND e.kind IN ('page_open', 'search')
    WHERE s.project_id = %(project)s AND s.stage = ANY(%(stages)s)
      AND s.state = 'submitted' AND s.used
      AND (%(split)s::text IS NULL OR q.split = %(split)s)
    GROUP BY q.id, q.split
"""
_IMPORTED = """
    SELECT q.split,
           (SELECT count(DISTINCT title) FROM jsonb_array_elements_text(
                q.context -> 'viewed_doc_titles') AS title),
           (SELECT count(DISTINCT lower(btrim(used ->> 'query')))
            FROM jsonb_array_elements(q.context -> 'used_queries') AS used)
    FROM annotation_question q
    WHERE q.project_id = %(project)s AND (%(split)s::text IS NULL OR q.split = %(split)s)
      AND q.state = 'accepted' AND jsonb_typeof(q.context -> 'viewed_doc_titles') = 'array'
      AND jsonb_typeof(q.context -> 'used_queries') = 'array'
      AND NOT EXISTS (
          SELECT FROM annotation_assignment s JOIN annotation_task t ON t.id = s.task_id
          WHERE t.question_id = q.id AND s.stage = ANY(%(stages)s)
            AND s.state = 'submitted' AND s.used)
"""


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
    done = [Effort(*row) for row in fetch(_COUNTS, values)]
    return done + [
        Effort(part, pages, None, queries) for part, pages, queries in fetch(_IMPORTED, values)
    ]
