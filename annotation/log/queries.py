"""The log of a project, with the names and addresses of the things its rows are about."""

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from accounts.models import User
from annotation.core.models.audit import AuditEntry
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.log.sentences import (
    build_sentence_parts,
    describe_changes,
    describe_counts,
    log_entries,
    shorten_value,
)

PAGE = 50


@dataclass(frozen=True)
class LogSentence:
    """A row of the log: a sentence with a link in it. `address` is "" where there is no page.

    who and reason stand apart for lists that have columns for them; the sentence has both.
    """

    pk: int
    at: dt.datetime
    before: str
    link: str
    after: str
    address: str
    who: str = ""
    reason: str = ""
    project: Project | None = None

    @property
    def deed(self) -> str:
        """The sentence without who did it and why, as the text of a cell."""
        text = f"{self.before}{self.link}{self.after}".removeprefix(f"{self.who} ")
        if self.reason:
            text = text.replace(f" (“{self.reason}”)", "")
        return text[:1].upper() + text[1:]


def list_project_log(project: Project, *, before: int | None = None) -> list[LogSentence]:
    """Return up to PAGE + 1 rows, newest first. One query for the rows, one for the people and one
    for each kind of target."""
    # A range of one and both columns of the index in the order: with an equality, PostgreSQL may
    # walk the primary key through the rows of all other projects.
    entries = AuditEntry.objects.filter(project__range=(project.pk, project.pk))
    if before:
        entries = entries.filter(pk__lt=before)
    return describe_entries(project, list(entries.order_by("project", "-pk")[: PAGE + 1]))


def describe_entries(project: Project, page: Sequence[AuditEntry]) -> list[LogSentence]:
    """Return rows of a project's log as sentences."""
    return describe_all_entries(page, {project.pk: project})


def describe_all_entries(
    page: Sequence[AuditEntry], projects: Mapping[int, Project]
) -> list[LogSentence]:
    """Return rows of any project's log, or of none, as sentences."""
    people = _people(page)
    targets = _targets(page)
    return [
        _said(projects.get(entry.project or 0), entry, people, targets.get(entry.target, {}))
        for entry in page
    ]


def _people(page: Sequence[AuditEntry]) -> dict[int, str]:
    ids = {each.actor for each in page if each.actor}
    ids |= {each.data["user"] for each in page if isinstance(each.data.get("user"), int)}
    return dict(User.objects.filter(pk__in=ids).values_list("pk", "name"))


def _targets(page: Sequence[AuditEntry]) -> dict[str, dict[str, Any]]:
    """Return name, number and person of every target that still exists, by target."""
    targets = log_entries().targets
    wanted: dict[str, set[int]] = defaultdict(set)
    for entry in page:
        kind, _, number = entry.target.partition(":")
        if kind in targets and number.isdecimal():
            wanted[kind].add(int(number))
    found: dict[str, dict[str, Any]] = {}
    for kind, ids in wanted.items():
        how = targets[kind]
        fields = {"pk", *how.fields, how.number or "pk", how.person or "pk"}
        for row in how.model._default_manager.filter(pk__in=ids).values(*fields):
            found[f"{kind}:{row['pk']}"] = {
                "name": how.name(row) if how.name else shorten_value(row[how.fields[0]]),
                "number": row[how.number] if how.number else None,
                "person": row[how.person] if how.person else "",
            }
    return found


def _said(
    project: Project | None, entry: AuditEntry, people: Mapping[int, str], target: Mapping[str, Any]
) -> LogSentence:
    kind = entry.target.partition(":")[0]
    data = entry.data if isinstance(entry.data, dict) else {}
    why = data.get("reason") or data.get("note") or ""
    split = data.get("split") or ""
    values = {key: shorten_value(value) for key, value in data.items()} | {
        "who": people.get(entry.actor or 0, "Ambit"),
        "what": target.get("name") or _gone(kind) or entry.target.replace(":", " "),
        "whose": target.get("person") or "somebody",
        "user": people.get(data.get("user", 0)) or target.get("person") or "somebody",
        "because": f" (“{shorten_value(why)}”)" if why else "",
        "of_split": f", {split}" if split and split != "all" else "",
        "changes": describe_changes(data.get("before"), data.get("after")),
        "counts": describe_counts(data),
    }
    if entry.action == "question_state":
        labels = dict(Question.State.choices)
        values |= {each: str(labels.get(str(data.get(each)), "…")) for each in ("before", "after")}
    return LogSentence(
        entry.pk,
        entry.at,
        *build_sentence_parts(entry.action, values),
        _address(project, entry, target.get("number"), bool(target)) if project else "",
        who=str(values["who"]),
        reason=shorten_value(why) if why else "",
        project=project,
    )


def _gone(kind: str) -> str:
    target = log_entries().targets.get(kind)
    return target.gone if target else ""


def _address(project: Project, entry: AuditEntry, number: int | None, there: bool) -> str:
    kind, _, pk = entry.target.partition(":")
    entries = log_entries()
    if kind in entries.numbered and entry.action not in entries.pages:
        return reverse(entries.numbered[kind], args=[project.slug, int(pk)])
    target = entries.targets.get(kind)
    if target is None:
        page = entries.pages.get(entry.action) or entries.pages.get(kind)
        return reverse(page, args=[project.slug]) if page else ""
    if not target.number:
        return reverse(target.page, args=[project.slug])
    return reverse(target.page, args=[project.slug, number]) if there else ""
