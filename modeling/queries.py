"""Reads for the page of suggestions: what is stored, and what people did with it."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from annotation.exports.rows import Row, fetch_rows
from annotation.figures import counts as stored_counts
from annotation.models import Project
from annotation.suggestions.values import held_out
from modeling.statements import (
    ANSWERS_OF_WORK,
    CHANGED_VERDICTS,
    STORED_SUGGESTIONS,
    TEXTS_OF_WORK,
    USED_SUGGESTIONS,
    WORK_WITH_SUGGESTIONS,
)
from modeling.uptake import (
    FATES,
    Figure,
    SuggestionFates,
    SuggestionWork,
    VerdictChanges,
    as_rows,
    compute_uptake_figures,
)
from validation.agreement.figures import Answers

REPORT = "suggestions"
SPLITS = ("", "train", "dev", "test")


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
    rows = stored_counts.find_stored_part(project, REPORT, f"stored.{split or 'all'}")
    if rows is None:
        rows = _stored(project, split)
    return [
        StoredSuggestions(
            system, version, questions, number, dt.datetime.fromisoformat(at), of, policies[system]
        )
        for system, version, questions, number, at, of in rows
    ]


def _stored(project: Project, split: str) -> list[Row]:
    return fetch_rows(STORED_SUGGESTIONS, {"project": project.pk, "split": split})


def list_uptake_figures(project: Project, split: str = "") -> list[Figure]:
    """Return the figures of the report: those counted by the worker in large projects.

    Otherwise four queries, one more where verdicts were shown, whatever the number of questions.
    """
    rows = stored_counts.find_stored_part(project, REPORT, split or "all")
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
        for stage, system, version, kind, question, *counts in fetch_rows(USED_SUGGESTIONS, values)
    ]
    work = _work(fetch_rows(WORK_WITH_SUGGESTIONS, values))
    changed: list[VerdictChanges] = []
    if any(row.kind == "verdict" for row in used):
        changed = [VerdictChanges(*row) for row in fetch_rows(CHANGED_VERDICTS, values)]
    return compute_uptake_figures(used, work, changed)


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
        for assignment, group in groupby(_of(assignments, ANSWERS_OF_WORK), itemgetter(0))
    }


def _texts(assignments: Sequence[int]) -> dict[int, str]:
    """Return the long answers of submissions, of those whose stage writes one."""
    return dict(_of(assignments, TEXTS_OF_WORK))


def _of(assignments: Sequence[int], statement: str) -> list[Row]:
    return fetch_rows(statement, {"assignments": list(assignments)}) if assignments else []


def _register(split: str) -> None:
    name = split or "all"
    stored_counts.register_part(
        REPORT, f"stored.{name}", lambda project, now: _stored(project, split)
    )
    stored_counts.register_part(
        REPORT, name, lambda project, now: as_rows(count_project_uptake(project, split))
    )


for _split in SPLITS:
    _register(_split)
