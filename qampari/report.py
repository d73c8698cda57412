"""The figures of a project of questions with many answers."""

from collections import Counter
from collections.abc import Sequence

from annotation.core.consistent_view import snapshot
from annotation.models import Project, Question
from metrics.score import Evaluation, Figure
from qampari.records import KINDS, kind_of
from qampari.release import AT_ONCE, read_question_chunks
from qampari.verdicts import CORRECT, VERDICTS, JudgedCandidate, read_judged_answers
from validation.agreement.reporting import (
    AgreementReport,
    FigureGroup,
    FigureSection,
    LabelledFigure,
)

Rows = Sequence[JudgedCandidate]


def evaluate_verdicts(rows: Rows) -> Evaluation | None:
    """Return the share of answers that everyone found correct, or anyone something else."""
    checked = [row for row in rows if row.said]
    if not checked:
        return None
    named = [next((each for each in row.said if each != CORRECT), CORRECT) for row in checked]
    return Evaluation(
        task="qampari-verdicts",
        ids=[str(place) for place in range(len(checked))],
        columns={key: [float(verdict == key) for verdict in named] for key in VERDICTS},
        figures=[Figure(key, (key,)) for key in VERDICTS],
    )


def evaluate_team_agreement(rows: Rows) -> Evaluation | None:
    """Return the share of answers on which staff agree with those who checked them."""
    both = [row for row in rows if row.said and row.team]
    if not both:
        return None
    same = [float((row.team == CORRECT) != row.doubted) for row in both]
    return Evaluation(
        task="qampari-team",
        ids=[str(place) for place in range(len(both))],
        columns={"same": same},
        figures=[Figure("same", ("same",))],
    )


_SECTIONS: Sequence[FigureSection[Rows]] = (
    FigureSection(
        "verdicts",
        "What people said of each answer",
        "1 answer that was checked",
        {key: (label, "share") for key, label in VERDICTS.items()},
        evaluate_verdicts,
        counted="answer",
    ),
    FigureSection(
        "team",
        "Answers that staff checked again",
        "1 answer that staff checked",
        {"same": ("Staff agree with those who checked", "share")},
        evaluate_team_agreement,
        counted="answer",
    ),
)


def build_report(project: Project, split: str | None) -> AgreementReport:
    """Return what was said of answers, and how many questions and answers are accepted."""
    with snapshot():
        rows = _judged(project, split)
        counts = _counts(project, split)
    groups = (*(section.group(rows) for section in _SECTIONS), counts)
    return AgreementReport(groups=groups, generators=(), validators=())


def _judged(project: Project, split: str | None) -> Rows:
    """Return every answer of a project, or of one split of it. One query for each chunk."""
    asked = Question.objects.filter(project=project, **{"split": split} if split else {})
    ids = list(asked.order_by("pk").values_list("pk", flat=True))
    chunks = (ids[place : place + AT_ONCE] for place in range(0, len(ids), AT_ONCE))
    return [row for some in chunks for rows in read_judged_answers(some).values() for row in rows]


def _counts(project: Project, split: str | None) -> FigureGroup:
    chunks = read_question_chunks(project, split)
    rows = [row for some in chunks for row in some if not row.left_out]
    kinds = Counter(kind_of(row.external_id) for row in rows)
    n, answers = len(rows), sum(len(row.kept) for row in rows)
    shown = [
        LabelledFigure("counts.questions", "Questions", "count", n, n=n),
        LabelledFigure("counts.answers", "Answers", "count", answers, n=n),
        *(
            LabelledFigure(f"counts.{kind}", f"{label} questions", "count", kinds[kind], n=n)
            for kind, label in KINDS.items()
        ),
    ]
    return FigureGroup("counts", "Accepted questions", "1 accepted question", tuple(shown))
