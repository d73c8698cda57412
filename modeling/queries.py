"""Reads for the page of suggestions: what is stored, and what people did with it."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from annotation.exports.rows import Row, fetch
from annotation.figures import services as figures_services
from annotation.models import Project
from annotation.suggestions.values import held_out
from modeling.uptake import (
    FATES,
    Figure,
    SuggestionFates,
    SuggestionWork,
    as_rows,
    compute_uptake_figures,
)
from validation.agreement.figures import Answers

REPORT = "suggestions"
SPLITS = ("", "train", "dev", "test")

_STORED = """
    SELECT s.system, s.version, count(DISTINCT s.question_id), count(*),
           to_json(max(s.created_at)) #>> '{}',
           (SELECT count(*) FROM annotation_question a
            WHERE a.project_id = %(project)s AND (%(split)s = '' OR a.split = %(split)s))
    FROM annotation_suggestion s
    JOIN annotation_question q ON q.id = s.question_id
    WHERE q.project_id = %(project)s AND (%(split)s = '' OR q.split = %(split)s)
    GROUP BY s.system, s.version ORDER BY s.system, max(s.created_at) DESC
"""
# Only submitted work that is in use counts: what is being written has not been decided.
_USED = """
    SELECT a.stage, s.system, s.version, s.kind, q.external_id,
           count(*) FILTER (WHERE u.fate = 'accepted'), count(*) FILTER (WHERE u.fate = 'edited'),
           count(*) FILTER (WHERE u.fate = 'dismissed'), count(*) FILTER (WHERE u.fate = '')
    FROM annotation_assignment a
    JOIN annotation_suggestionuse u ON u.assignment_id = a.id
    JOIN annotation_suggestion s ON s.id = u.suggestion_id
    JOIN annotation_question q ON q.id = s.question_id
    WHERE a.project_id = %(project)s AND a.state = 'submitted' AND a.used
      AND (%(split)s = '' OR q.split = %(split)s)
    GROUP BY a.stage, s.system, s.version, s.kind, q.id
    ORDER BY a.stage, s.system, s.version, s.kind, q.id
"""
# Work that could have had suggestions of the policy's system: taken when they were stored, since
# the first of them was shown under the policy. The last column: others answered before that.
_WORK = """
    WITH begun AS (
        SELECT p.id AS policy_id, p.suggestions AS system, p.suggestions_held_out AS held_out,
               min(a.started_at) AS at
        FROM annotation_stagepolicy p
        JOIN annotation_assignment a ON a.policy_id = p.id
        JOIN annotation_suggestionuse u ON u.assignment_id = a.id
        JOIN annotation_suggestion s ON s.id = u.suggestion_id AND s.system = p.suggestions
        WHERE p.project_id = %(project)s AND (%(split)s = '' OR p.split = %(split)s)
        GROUP BY p.id)
    SELECT a.stage, b.system, q.id, b.held_out, q.external_id, a.id, a.active_seconds,
           EXISTS (SELECT 1 FROM annotation_suggestionuse u WHERE u.assignment_id = a.id),
           EXISTS (SELECT 1 FROM annotation_assignment o JOIN annotation_task k ON k.id = o.task_id
                   WHERE k.question_id = q.id AND o.policy_id = a.policy_id AND o.used
                     AND o.state = 'submitted' AND o.started_at < b.at)
    FROM begun b
    JOIN annotation_assignment a ON a.policy_id = b.policy_id AND a.started_at >= b.at
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_question q ON q.id = t.question_id
    WHERE a.state = 'submitted' AND a.used
      AND EXISTS (SELECT 1 FROM annotation_suggestion s WHERE s.question_id = q.id
                  AND s.system = b.system AND s.created_at <= a.started_at)
    ORDER BY a.stage, b.system, q.id, a.id
"""
_ANSWERS = """
    SELECT n.assignment_id, p.id,
           ARRAY(SELECT w.text FROM annotation_answer w WHERE w.pair_id = p.id ORDER BY w.position)
    FROM annotation_annotation n
    LEFT JOIN annotation_qapair p ON p.annotation_id = n.id
    WHERE n.assignment_id = ANY(%(assignments)s)
    ORDER BY n.assignment_id, p.position
"""
_TEXTS = """
    SELECT l.assignment_id, l.text FROM annotation_longanswer l
    WHERE l.assignment_id = ANY(%(assignments)s)
"""


@dataclass(frozen=True)
class StoredSuggestions:
    """The suggestions of one version of a system in a project, or in one split of it.

    policies: those that show the system, as (stage, split).
    """

    system: str
    version: str
    questions: int
    suggestions: int
    newest_at: dt.datetime
    of: int
    policies: Sequence[tuple[str, str]]


def list_stored_versions(project: Project, split: str = "") -> list[StoredSuggestions]:
    """Return what is stored, by system, the newest version first. Two queries at most."""
    policies = defaultdict(list)
    for policy in project.policies.exclude(suggestions="").order_by("stage", "split"):
        if split in ("", policy.split):
            policies[policy.suggestions].append((policy.stage, policy.split))
    rows = figures_services.find_stored_part(project, REPORT, f"stored.{split or 'all'}")
    if rows is None:
        rows = _stored(project, split)
    return [
        StoredSuggestions(
            system, version, questions, number, dt.datetime.fromisoformat(at), of, policies[system]
        )
        for system, version, questions, number, at, of in rows
    ]


def _stored(project: Project, split: str) -> list[Row]:
    return fetch(_STORED, {"project": project.pk, "split": split})


def list_uptake_figures(project: Project, split: str = "") -> list[Figure]:
    """Return the figures of the report: those counted by the worker in large projects.

    Otherwise four queries, whatever the number of questions.
    """
    rows = figures_services.find_stored_part(project, REPORT, split or "all")
    if rows is not None:
        return [Figure(**row) for row in rows]
    return count_project_uptake(project, split)


def count_project_uptake(project: Project, split: str = "") -> list[Figure]:
    """Count the figures of the report now."""
    values = {"project": project.pk, "split": split}
    used = [
        SuggestionFates(
            stage, system, version, kind, question, dict(zip(FATES, counts, strict=True))
        )
        for stage, system, version, kind, question, *counts in fetch(_USED, values)
    ]
    return compute_uptake_figures(used, _work(fetch(_WORK, values)))


def _work(rows: Sequence[Row]) -> list[SuggestionWork]:
    assignments = [row[5] for row in rows]
    answers, texts = _answers(assignments), _texts(assignments)
    work = []
    for (stage, system, pk, share, name), group in groupby(rows, itemgetter(0, 1, 2, 3, 4)):
        turns = list(group)
        without = held_out(pk, share)
        if without and any(row[7] for row in turns):
            continue  # a smaller share was held out when it was answered
        whole = [] if any(row[8] for row in turns) else [row[5] for row in turns]
        work.append(
            SuggestionWork(
                stage,
                system,
                name,
                "without" if without else "with",
                [row[6] for row in turns],
                [answers[assignment] for assignment in whole if assignment in answers],
                [texts[assignment] for assignment in whole if assignment in texts],
            )
        )
    return work


def _answers(assignments: Sequence[int]) -> dict[int, Answers]:
    """Return the short answers of submissions, of those whose stage writes any."""
    return {
        assignment: tuple(tuple(forms) for _, pair, forms in group if pair is not None)
        for assignment, group in groupby(_of(assignments, _ANSWERS), itemgetter(0))
    }


def _texts(assignments: Sequence[int]) -> dict[int, str]:
    """Return the long answers of submissions, of those whose stage writes one."""
    return dict(_of(assignments, _TEXTS))


def _of(assignments: Sequence[int], statement: str) -> list[Row]:
    return fetch(statement, {"assignments": list(assignments)}) if assignments else []


def _register(split: str) -> None:
    name = split or "all"
    figures_services.register_part(
        REPORT, f"stored.{name}", lambda project, now: _stored(project, split)
    )
    figures_services.register_part(
        REPORT, name, lambda project, now: as_rows(count_project_uptake(project, split))
    )


for _split in SPLITS:
    _register(_split)
