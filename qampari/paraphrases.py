"""Which paraphrases are accepted, and how those of each person went."""

from collections.abc import Iterable
from typing import NamedTuple

from annotation.exports.rows import fetch
from annotation.models import Project

# A paraphrase counts once it is submitted and used, and if it was drawn, once another person has
# found that it means the same. Of several, the first counts.
_ACCEPTED = """
    SELECT DISTINCT ON (p.question_id) p.question_id, p.text
    FROM qampari_paraphrase p
    JOIN annotation_submission s ON s.id = p.submission_id
    JOIN annotation_assignment a ON a.id = s.assignment_id AND a.state = 'submitted' AND a.used
    WHERE p.question_id = ANY(%(questions)s)
      AND (NOT p.drawn OR EXISTS (
          SELECT 1 FROM qampari_verification v
          JOIN annotation_submission vs ON vs.id = v.submission_id
          JOIN annotation_assignment va ON va.id = vs.assignment_id AND va.used
          WHERE v.paraphrase_id = p.id AND v.version = p.version AND v.verdict = 'same'))
    ORDER BY p.question_id, p.id
"""
_BY_PERSON = """
    SELECT p.author_id, count(*), count(*) FILTER (WHERE p.drawn),
           count(v.first), count(*) FILTER (WHERE v.first = 'same'),
           count(*) FILTER (WHERE v.first = 'changed'),
           count(*) FILTER (WHERE v.first = 'unnatural')
    FROM qampari_paraphrase p
    JOIN annotation_question q ON q.id = p.question_id
    CROSS JOIN LATERAL (
        SELECT (SELECT w.verdict FROM qampari_verification w
                WHERE w.paraphrase_id = p.id ORDER BY w.version, w.id LIMIT 1) AS first) v
    WHERE q.project_id = %(project)s AND (%(split)s = '' OR q.split = %(split)s)
    GROUP BY p.author_id ORDER BY p.author_id
"""


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
    return dict(fetch(_ACCEPTED, {"questions": list(question_ids)}))


def by_person(project: Project, split: str = "") -> list[Author]:
    """Return how the paraphrases of each person went. One query."""
    return [
        Author(*row) for row in fetch(_BY_PERSON, {"project": project.pk, "split": split or ""})
    ]
