"""What the pages of the audit show."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.core.states import ANY_ACCEPTED, HELD
from annotation.generation.stage import GENERATION
from annotation.models import Annotation, Assignment, Project, Question, StagePolicy, Task
from validation.audits.models import AuditSample
from validation.audits.scores import score_experts
from validation.audits.values import AUDIT
from validation.decisions.accepted_answers import sets_of
from validation.decisions.models import Decision
from validation.verdicts.comparing import ComparedPair, Texts, compare_with_nearest

State = Assignment.State


@dataclass(frozen=True)
class ExpertAnswers:
    """One expert's answers, compared with the accepted set that shares most with them.

    `f1` is from 0 to 100; None where nothing is accepted any longer.
    """

    person: str
    f1: float | None
    none_reason: str
    pairs: tuple[ComparedPair, ...]


@dataclass(frozen=True)
class SampledQuestion:
    """One question of a sample. Answers are shown once no expert can answer it any longer."""

    question: Question
    done: int
    held: int
    open: int
    answered: tuple[ExpertAnswers, ...]


def list_samples(project: Project) -> list[tuple[AuditSample, int, int]]:
    """Return (sample, number of questions, number of them answered), newest first."""
    drawn = AuditSample.objects.filter(project=project).select_related("drawn_by")
    rows = list(drawn.annotate(size=Count("items")).order_by("-pk"))
    done = dict(
        Task.objects.filter(policy__project=project, policy__stage=AUDIT)
        .filter(assignments__state=State.SUBMITTED, assignments__used=True)
        .values_list("unit")
        .annotate(n=Count("question", distinct=True))
        .order_by()
    )
    return [(row, row.size, done.get(row.unit, 0)) for row in rows]


def list_policies(project: Project) -> QuerySet[StagePolicy]:
    """Return the policies of the audit: how many experts are asked for on each split."""
    return StagePolicy.objects.filter(project=project, stage=AUDIT)


def list_sample_questions(sample: AuditSample) -> list[SampledQuestion]:
    """Return the questions of a sample in the order of the draw. The number of queries is fixed."""
    questions = list(
        Question.objects.filter(audit_items__sample=sample).order_by("audit_items__position")
    )
    ids = [question.pk for question in questions]
    held = Q(assignments__state__in=HELD)
    tasks = {
        task.question_id: task
        for task in Task.objects.filter(
            question__in=ids, policy__stage=AUDIT, unit=sample.unit
        ).annotate(
            done=Count(
                "assignments", filter=Q(assignments__state=State.SUBMITTED, assignments__used=True)
            ),
            held=Count("assignments", filter=held),
        )
    }
    blind = _still_to_answer(ids)
    shown = [pk for pk in ids if pk not in blind]
    given = _annotations(shown, AUDIT)
    sets = _sets(shown)
    rows = []
    for question in questions:
        task = tasks.get(question.pk)  # a task goes when its question is imported as finished work
        answered = [
            _answered(annotation, sets.get(question.pk, []))
            for annotation in given.get(question.pk, [])
            if task is not None and annotation.assignment.task_id == task.pk
        ]
        rows.append(
            SampledQuestion(
                question=question,
                done=task.done if task else 0,
                held=task.held if task else 0,
                open=task.seats if task else 0,
                answered=tuple(answered),
            )
        )
    return rows


def _still_to_answer(question_ids: Sequence[int]) -> set[int]:
    """Return the questions that an expert may still answer, so that they stay blind."""
    audits = Task.objects.filter(question__in=question_ids, policy__stage=AUDIT)
    held = Q(assignments__state__in=HELD)
    return set(audits.filter(Q(seats__gt=0) | held).values_list("question", flat=True))


def _annotations(question_ids: Sequence[int], stage: str) -> dict[int, list[Annotation]]:
    by_question: dict[int, list[Annotation]] = {}
    rows = (
        Annotation.objects.filter(
            question__in=question_ids,
            assignment__stage=stage,
            assignment__state=State.SUBMITTED,
            assignment__used=True,
        )
        .select_related("author", "assignment")
        .prefetch_related("pairs__answers")
        .order_by("pk")
    )
    for row in rows:
        by_question.setdefault(row.question_id, []).append(row)
    return by_question


def _sets(question_ids: Sequence[int]) -> dict[int, list[tuple[Texts, ...]]]:
    """Return the accepted answers of each finished question."""
    finished = dict(
        Question.objects.filter(pk__in=question_ids, state__in=ANY_ACCEPTED).values_list(
            "pk", "state"
        )
    )
    decisions = Decision.objects.filter(question__in=finished, in_force=True)
    deciding = {
        question: pk
        for pk, question, outcome in decisions.values_list("pk", "question", "outcome")
        if outcome == finished[question]
    }
    sets = sets_of(list(deciding.values()))
    accepted = {
        question: [answers.pairs for answers in sets.get(decision, ())]
        for question, decision in deciding.items()
    }
    alone = [pk for pk in finished if pk not in accepted]
    for pk, written in _annotations(alone, GENERATION).items():
        accepted[pk] = [
            _texts(annotation) for annotation in written if annotation.kind != Annotation.Kind.NONE
        ]
    return accepted


def _texts(annotation: Annotation) -> tuple[Texts, ...]:
    return tuple(
        Texts(
            (pair.question,) if pair.question else (),
            tuple(answer.text for answer in pair.answers.all()),
        )
        for pair in annotation.pairs.all()
    )


def _answered(annotation: Annotation, sets: list[tuple[Texts, ...]]) -> ExpertAnswers:
    own = _texts(annotation)
    accepted = [[pair.forms for pair in pairs] for pairs in sets if pairs]
    scored = score_experts([([pair.forms for pair in own], accepted)]) if accepted else None
    return ExpertAnswers(
        person=annotation.author.name,
        f1=None if scored is None else 100 * scored.columns["f1_answer"][0],
        none_reason=annotation.none_reason,
        pairs=tuple(compare_with_nearest(own, sets)),
    )
