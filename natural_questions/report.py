"""The figures of a project: how far its annotations came, and how far people agree."""

from collections.abc import Sequence
from contextlib import closing

from annotation.core.consistent_view import snapshot
from annotation.models import Project
from evaluation.models import Consensus
from natural_questions import figures
from natural_questions.annotation import Path
from natural_questions.answers import read_question_chunks
from natural_questions.figures import AnnotatedQuestion
from validation.agreement.reporting import (
    AgreementReport,
    FigureGroup,
    FigureSection,
    LabelledFigure,
)

_SECTIONS: Sequence[FigureSection[Sequence[AnnotatedQuestion]]] = (
    FigureSection(
        "decisions",
        "How far annotations came",
        "1 annotation",
        {
            Path.BAD: ("Bad question", "share"),
            Path.NO_LONG: ("No long answer", "share"),
            Path.LONG_ONLY: ("A long answer alone", "share"),
            Path.YES_NO: ("Yes or no", "share"),
            Path.SHORT: ("A short answer", "share"),
        },
        figures.evaluate_decisions,
    ),
    FigureSection(
        "generators",
        "Annotators against each other",
        "2 annotations of 1 question",
        {
            "long": ("All gave the same long answer, or none", "share"),
            "short": ("All gave the same short answer, or none", "share"),
        },
        figures.evaluate_same_answers,
    ),
)


def build_report(project: Project, split: str | None) -> AgreementReport:
    """Return every figure of a project, or of one split of it."""
    rows = items_of(project, split)
    groups = (*(section.group(rows) for section in _SECTIONS), _counts(rows))
    return AgreementReport(groups=groups, generators=(), validators=())


def items_of(project: Project, split: str | None) -> list[AnnotatedQuestion]:
    """Return the questions that have annotations. No page is read; two statements a chunk."""
    verdicts = _verdicts(project)
    with snapshot(), closing(read_question_chunks(project, split)) as chunks:
        return [
            AnnotatedQuestion(
                each.pk,
                each.external_id,
                each.split,
                each.annotations,
                each.kinds,
                verdicts.get(each.pk, ""),
            )
            for some in chunks
            for each in some
            if each.annotations and each.left_out != "excluded"
        ]


def _verdicts(project: Project) -> dict[int, str]:
    """Return the newest consensus of experts on an answer of each question. One query."""
    rows = Consensus.objects.filter(item__study__project=project).order_by("created_at", "pk")
    return dict(rows.values_list("item__question_id", "verdict"))


def _counts(rows: Sequence[AnnotatedQuestion]) -> FigureGroup:
    n = len(rows)
    annotations = sum(len(row.annotations) for row in rows)
    shown = (
        LabelledFigure("counts.questions", "Questions with annotations", "count", n, n=n),
        LabelledFigure("counts.annotations", "Annotations", "count", annotations, n=n),
    )
    return FigureGroup("counts", "Annotations", "1 annotation", shown)
