"""Reads across rows of systems, each with a fixed number of statements."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Avg, Count, Value
from django.db.models.functions import Length, Replace

from annotation.extensions.usages import list_uses
from annotation.models import AuditEntry, Project, Question
from evaluation.systems.models import Output, System


@dataclass(frozen=True)
class SystemRow:
    """A system with how many questions it answered, of how many in their splits.

    words: of an answer, on average; studies: how many use it.
    """

    system: System
    answers: int
    questions: int
    words: float
    studies: int


def list_systems(project: Project) -> list[SystemRow]:
    """Return the systems of a project by name. Four queries."""
    # Spaces are counted, as splitting every text would take seconds.
    text = "outputs__text"
    words = Length(text) - Length(Replace(text, Value(" "))) + 1
    rows = project.systems.annotate(answers=Count("outputs"), words=Avg(words)).order_by(
        "name",
        "version",
        "pk",  # a query that groups does not keep the order of the model
    )
    systems = list(rows)
    studies = Counter(use.row for use in list_uses(System, [row.pk for row in systems], "study"))
    per_split = dict(
        Question.objects.filter(project=project)
        .values_list("split")
        .annotate(Count("pk"))
        .order_by()
    )
    splits: dict[int, int] = {}
    answered = Output.objects.filter(system__project=project).order_by()
    for system, split in answered.values_list("system", "question__split").distinct():
        splits[system] = splits.get(system, 0) + per_split.get(split, 0)
    return [
        SystemRow(row, row.answers, splits.get(row.pk, 0), row.words or 0.0, studies[row.pk])
        for row in systems
    ]


def last_import(system: System) -> AuditEntry | None:
    """Return the audit row of the last import into a system, with its report. One query."""
    rows = AuditEntry.objects.filter(target=f"system:{system.pk}", action="outputs_imported")
    return rows.order_by("-pk").first()
