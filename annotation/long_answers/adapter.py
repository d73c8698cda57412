"""Fit questions to long answers: they need disambiguations, made from AmbigNQ's annotations.

Marks and kept warnings refer to a disambiguation by position, and must not be shown with another
one. The disambiguations of a question that someone holds are not replaced. Where an import does
replace one, the marks on it are removed from the drafts of people who left the question and may
reopen it.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.db.models import F

from accounts.models import User
from annotation.contexts import services as contexts_services
from annotation.contexts.inputs import Disambiguation, inputs_of
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.core.states import LEFT
from annotation.imports.adapters import (
    ANNOTATIONS,
    AcceptedWorkEffect,
    ImportAdapter,
    annotations_of,
    log_replaced,
)
from annotation.imports.formats import BadLine, Format, LeftOut, QuestionRecord, ReadRecord
from annotation.imports.peer_answers import PEERS
from annotation.long_answers import arriving, finished
from annotation.long_answers.concerns.models import Concern
from annotation.long_answers.response import LongAnswerResponse, from_json, to_json
from annotation.long_answers.stage import LONG_ANSWERS
from annotation.text.cleaning import ResponseError
from wikipedia.models import Snapshot

State = Assignment.State
_PAIRS = "qa_pairs"
_CONVERTED = "ambignq"
MOST_KNOWLEDGE = 1_000


class _Imported(NamedTuple):
    """Long answers of a question as a file had them, and whether somebody doubts the question."""

    answers: tuple[finished.FinishedLongAnswer, ...] | None
    doubted: bool


class LongAnswerImportAdapter(ImportAdapter):
    """Takes questions with disambiguations, or without where writers get only the question."""

    reasons = arriving.LABELS
    finished_formats = ("asqa",)
    finished_keys = (ANNOTATIONS,)
    takes = (_CONVERTED,)

    def check_format_fits(self, project: Project, format: Format) -> None:
        """Refuse a format that never has disambiguations, where all writers are given them."""
        if not format.holds_context and not question_only(project):
            raise Conflict(
                f"{format.label} has no disambiguations, and writers of this project are given "
                "them. Import ASQA or AmbigNQ, or let the policy of a split give writers only the "
                "question."
            )

    def zero_counts(self, format: str) -> dict[str, int]:
        """Return the reasons for which AmbigNQ's records may be left out, each with 0."""
        return dict.fromkeys(arriving.REASONS, 0) if format == _CONVERTED else {}

    def problems_of(self, project: Project) -> Callable[[QuestionRecord, str], str]:
        """Require disambiguations, except in splits whose writers get only the question."""
        alone = question_only(project)
        return lambda record, split: arriving.problem_of(
            record, split, question_only=split in alone
        )

    def adapt_records(
        self, project: Project, format: str, reads: Iterator[ReadRecord]
    ) -> Iterator[ReadRecord]:
        """Turn the pairs of AmbigNQ's annotators, and other tools', into disambiguations."""
        if format not in (_CONVERTED, *PEERS):
            yield from reads
            return
        articles = articles_of(project.snapshot)
        for read in reads:
            record = read.found
            if isinstance(record, QuestionRecord):
                if format in PEERS:
                    record = arriving.drop_unasked(record)
                if format == _CONVERTED or annotations_of(record):
                    record = _converted(read.number, record, articles)
                read = read._replace(found=record)
            yield read

    def replacement_problem(self, known: Question, record: QuestionRecord) -> str:
        """Refuse to replace disambiguations that someone is working with."""
        before = known.context.get(_PAIRS)
        if record.context.get(_PAIRS, before) == before:
            return ""
        return (
            f"Someone is working on “{record.external_id}”, and the file has other "
            "disambiguations for it. They were not changed."
        )

    def clean_up_replaced(self, questions: Iterable[Question]) -> None:
        """Forget paragraphs for disambiguations that are replaced, and marks on them."""
        changed = list(questions)
        contexts_services.forget_changed(changed)
        forget_marks(changed)

    def follow_up_import(self, project: Project, *, by: User, now: dt.datetime) -> None:
        """Look for paragraphs, which questions without any need before someone opens them."""
        contexts_services.start_after_import(project=project, by=by, now=now)

    def undo_problem(self, job: Job) -> str:
        """Keep questions that somebody has doubted."""
        if Concern.objects.filter(question__job=job).exists():
            return "There is a concern about one of these questions, so they stay."
        return ""

    def unfinished_problem(self, record: QuestionRecord) -> str:
        """Require annotations, each with a long answer."""
        if problem := super().unfinished_problem(record):
            return problem
        for number, annotation in enumerate(annotations_of(record), start=1):
            if not annotation["long_answer"]:
                return f"Annotation {number} has an empty long answer. Write it, or remove it."
            if len(annotation.get("knowledge", [])) > MOST_KNOWLEDGE:
                return f"Annotation {number} has more than {MOST_KNOWLEDGE:,} pieces of knowledge."
        return ""

    def read_finished(self, question_ids: Sequence[int]) -> Mapping[int, _Imported]:
        """Return what was imported for each question and whether it is doubted. Three queries."""
        answers = finished.read_imported(question_ids)
        doubted = Concern.objects.filter(
            question__in=question_ids, state__in=[Concern.State.OPEN, Concern.State.UPHELD]
        )
        doubted_ids = set(doubted.values_list("question", flat=True))
        return {pk: _Imported(answers.get(pk), pk in doubted_ids) for pk in question_ids}

    def effect_of_finished(
        self, question: Question, record: QuestionRecord, before: Any, worked: bool
    ) -> AcceptedWorkEffect:
        """Refuse where people doubt or answer here, unless the file says nothing new."""
        same = before.answers is not None and before.answers == finished.answers_in(record)
        if same and question.text == record.text:
            return AcceptedWorkEffect()  # nothing new, so what happened here since then is kept
        if before.doubted:
            return AcceptedWorkEffect(
                f"A concern was raised about “{record.external_id}” in this project and has not "
                "been dismissed. Decide on the concern first, or import the file into a project "
                "of its own."
            )
        if worked:
            return AcceptedWorkEffect(
                f"People work on “{record.external_id}” in this project, so what they answer "
                "counts. Import the file into a project of its own."
            )
        return AcceptedWorkEffect(changed=not same)

    def write_finished(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write long answers, which have no author here, in place of an earlier import's."""
        before = finished.write_answers(questions, now=now)
        replaced = sorted((q for q, _ in questions if q.pk in before), key=lambda q: q.pk)
        log_replaced("long_answers_replaced", [(q, {}) for q in replaced], by=by, now=now)


def question_only(project: Project) -> frozenset[str]:
    """Return the splits whose writers are given only the question (S9). One query."""
    policies = StagePolicy.objects.filter(
        project=project, stage=LONG_ANSWERS, inputs=StagePolicy.Inputs.QUESTION
    )
    return frozenset(policies.values_list("split", flat=True))


def _converted(
    number: int, record: QuestionRecord, articles: str
) -> QuestionRecord | BadLine | LeftOut:
    try:
        return arriving.from_ambignq(record, articles)
    except ValueError as error:
        return BadLine(f"Record {number}, “{record.external_id}”: {error}")


def articles_of(snapshot: Snapshot) -> str:
    """Return the web address under which the articles of the snapshot's wiki are found."""
    address = snapshot.address
    if snapshot.kind == Snapshot.Kind.LIVE:
        parts = urlsplit(address)
        address = f"{parts.scheme}://{parts.netloc}/wiki/" if parts.netloc else ""
    if not address:
        return f"https://{snapshot.language}.wikipedia.org/wiki/"
    return address if address.endswith("/") else f"{address}/"


def forget_marks(questions: Iterable[Question]) -> None:
    """Remove from drafts the marks on disambiguations that these questions, not saved yet,
    replace.

    The text and its evidence stay. The caller holds the questions' locks. One query where there
    are no such drafts, else two and one for each draft.
    """
    new = {question.pk: question.context for question in questions}
    drafts = list(
        Assignment.objects.filter(
            task__question__in=new,
            stage=LONG_ANSWERS,
            state__in=LEFT,
            draft_saved_at__isnull=False,
        ).values_list("pk", "task__question", "draft")
    )
    stored = Question.objects.filter(pk__in={question for _, question, _ in drafts})
    known = dict(stored.values_list("pk", "context")) if drafts else {}
    for pk, question, draft in drafts:
        gone = _replaced(known[question], new[question])
        try:
            before = from_json(draft)
        except ResponseError:
            continue  # no one can open it in its present form
        after = _without(before, gone)
        if after != before:
            # A window that was open before must not overwrite it.
            Assignment.objects.filter(pk=pk).update(
                draft=to_json(after), draft_version=F("draft_version") + 1
            )


def _replaced(before: Mapping[str, Any], after: Mapping[str, Any]) -> frozenset[int]:
    """Return the positions at which the disambiguation has changed or gone."""
    old, new = (_disambiguations(each) for each in (before, after))
    return frozenset(
        at for at, each in enumerate(old) if at >= len(new) or _said(each) != _said(new[at])
    )


def _disambiguations(context: Mapping[str, Any]) -> Sequence[Disambiguation]:
    return inputs_of("", context, {}).disambiguations


def _said(disambiguation: Disambiguation) -> tuple[str, tuple[str, ...]]:
    return disambiguation.question, disambiguation.answers


def _without(response: LongAnswerResponse, gone: frozenset[int]) -> LongAnswerResponse:
    fields = {f"answer-{position + 1}" for position in gone}
    return replace(
        response,
        said=tuple(each for each in response.said if each.disambiguation not in gone),
        keeps=tuple(keep for keep in response.keeps if keep.field not in fields),
    )
