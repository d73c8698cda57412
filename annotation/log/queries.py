"""The log of a project, with the names and addresses of the things its rows are about."""

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.urls import reverse

from accounts.models import User
from annotation.core.models.audit import AuditEntry
from annotation.core.models.jobs import Job
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question, display_form
from annotation.core.models.work import Assignment
from annotation.faq.models import FaqEntry
from annotation.jobs.sentences import title_of
from annotation.log import sentences as log_words
from annotation.long_answers.concerns.models import Concern
from annotation.qualifications.models import (
    Qualification,
    QualificationAttempt,
    QualificationItem,
    Qualified,
    WalkThrough,
)
from annotation.stages import registry as stages
from annotation.threads.models import Thread

PAGE = 50


@dataclass(frozen=True)
class Said:
    """A row of the log: a sentence with a link in it. `address` is "" where there is no page."""

    pk: int
    at: dt.datetime
    before: str
    link: str
    after: str
    address: str


@dataclass(frozen=True)
class _Kind:
    """How to word rows about a kind of target: the fields of its name, its page, and the field with
    the page's number ("" for pages of the whole project)."""

    model: type[Model]
    name: str
    page: str
    number: str = ""
    person: str = ""


_KINDS: Mapping[str, _Kind] = {
    "question": _Kind(Question, "text", "question-view", "pk"),
    "assignment": _Kind(
        Assignment, "task__question__text", "question-view", "task__question", "user__name"
    ),
    "thread": _Kind(Thread, "assignment__task__question__text", "claim-view", "pk"),
    "concern": _Kind(Concern, "question__text", "question-view", "question"),
    "stagepolicy": _Kind(StagePolicy, "stage", "policy-change", "pk"),
    "job": _Kind(Job, "file_name", "job-detail", "pk"),
    "faqentry": _Kind(FaqEntry, "question", "project-faq"),
    "membership": _Kind(Membership, "role", "project-people", person="user__name"),
    "qualification": _Kind(Qualification, "title", "qualification-view", "pk"),
    "qualificationitem": _Kind(
        QualificationItem, "qualification__title", "qualification-view", "qualification"
    ),
    "qualificationattempt": _Kind(
        QualificationAttempt, "qualification__title", "qualification-view", "qualification"
    ),
    "qualified": _Kind(
        Qualified, "qualification__title", "qualification-view", "qualification", "user__name"
    ),
    "walkthrough": _Kind(
        WalkThrough, "qualification__title", "qualification-view", "qualification", "user__name"
    ),
}
# Pages of targets that are not looked up, by target or, for the project itself, by action.
_PAGES = {
    "consensus": "consensus-list",
    "briefing": "briefing",
    "goldflag": "project-golds",
    "goldplan": "project-golds",
    "invitation": "project-people",
    "participation": "recruitment-list",
    "payentry": "project-pay",
    "project": "project-overview",
    "guidelines_published": "project-guidelines",
    "project_changed": "project-settings",
    "context_threshold_changed": "project-contexts",
    "contexts_searched": "project-contexts",
    "questions_imported": "project-questions",
    "baseline_run": "system-list",
    "ambiguity_sample_drawn": "ambiguity-sample",
    "reader_answers_stored": "system-list",
    # A draft may be deleted.
    "study_created": "study-list",
    "study_changed": "study-list",
    "study_deleted": "study-list",
    "system": "system-list",
    "webhook": "webhook-list",
}
# Pages of targets of floors above, by their number.
_NUMBERED = {
    "auditsample": "audit-sample",
    "recruitment": "recruitment-view",
    "study": "study-view",
}
_PROMPTS = frozenset({"question", "assignment", "thread", "concern"})
_GONE = {
    "question": "a question that was removed",
    "job": "a job",
    "faqentry": "an entry that was removed",
}


def log(project: Project, *, before: int | None = None) -> list[Said]:
    """Return up to PAGE + 1 rows, newest first. One query for the rows, one for the people and one
    for each kind of target."""
    # A range of one and both columns of the index in the order: with an equality, PostgreSQL may
    # walk the primary key through the rows of all other projects.
    entries = AuditEntry.objects.filter(project__range=(project.pk, project.pk))
    if before:
        entries = entries.filter(pk__lt=before)
    return said(project, list(entries.order_by("project", "-pk")[: PAGE + 1]))


def said(project: Project, page: Sequence[AuditEntry]) -> list[Said]:
    """Return rows of a project's log as sentences."""
    people = _people(page)
    targets = _targets(page)
    return [_said(project, entry, people, targets.get(entry.target, {})) for entry in page]


def _people(page: Sequence[AuditEntry]) -> dict[int, str]:
    ids = {each.actor for each in page if each.actor}
    ids |= {each.data["user"] for each in page if isinstance(each.data.get("user"), int)}
    return dict(User.objects.filter(pk__in=ids).values_list("pk", "name"))


def _targets(page: Sequence[AuditEntry]) -> dict[str, dict[str, Any]]:
    """Return name, number and person of every target that still exists, by target."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for entry in page:
        kind, _, number = entry.target.partition(":")
        if kind in _KINDS and number.isdecimal():
            wanted[kind].add(int(number))
    found: dict[str, dict[str, Any]] = {}
    for kind, ids in wanted.items():
        how = _KINDS[kind]
        extra = ["split"] if kind == "stagepolicy" else ["kind"] if kind == "job" else []
        fields = {"pk", how.name, how.number or "pk", how.person or "pk", *extra}
        for row in how.model._default_manager.filter(pk__in=ids).values(*fields):
            found[f"{kind}:{row['pk']}"] = {
                "name": _name(kind, row, how),
                "number": row[how.number] if how.number else None,
                "person": row[how.person] if how.person else "",
            }
    return found


def _name(kind: str, row: Mapping[str, Any], how: _Kind) -> str:
    if kind in _PROMPTS:
        return log_words.short(display_form(row[how.name]))
    if kind == "stagepolicy":
        return f"{stages.label_of(row['stage'])}, {row['split']}"
    if kind == "job":
        return row["file_name"] or title_of(row["kind"])
    return log_words.short(row[how.name])


def _said(
    project: Project, entry: AuditEntry, people: Mapping[int, str], target: Mapping[str, Any]
) -> Said:
    kind = entry.target.partition(":")[0]
    data = entry.data if isinstance(entry.data, dict) else {}
    why = data.get("reason") or data.get("note") or ""
    split = data.get("split") or ""
    values = {key: log_words.short(value) for key, value in data.items()} | {
        "who": people.get(entry.actor or 0, "Ambit"),
        "what": target.get("name") or _GONE.get(kind, entry.target.replace(":", " ")),
        "whose": target.get("person") or "somebody",
        "user": people.get(data.get("user", 0)) or target.get("person") or "somebody",
        "because": f" (“{log_words.short(why)}”)" if why else "",
        "of_split": f", {split}" if split and split != "all" else "",
        "changes": log_words.changes(data.get("before"), data.get("after")),
        "counts": log_words.counts(data),
    }
    if entry.action == "question_state":
        labels = dict(Question.State.choices)
        values |= {each: str(labels.get(str(data.get(each)), "…")) for each in ("before", "after")}
    return Said(
        entry.pk,
        entry.at,
        *log_words.parts(entry.action, values),
        _address(project, entry, target.get("number"), bool(target)),
    )


def _address(project: Project, entry: AuditEntry, number: int | None, there: bool) -> str:
    kind, _, pk = entry.target.partition(":")
    if kind in _NUMBERED and entry.action not in _PAGES:
        return reverse(_NUMBERED[kind], args=[project.slug, int(pk)])
    if kind not in _KINDS:
        page = _PAGES.get(entry.action) or _PAGES.get(kind)
        return reverse(page, args=[project.slug]) if page else ""
    page = _KINDS[kind].page
    if not _KINDS[kind].number:
        return reverse(page, args=[project.slug])
    return reverse(page, args=[project.slug, number]) if there else ""
