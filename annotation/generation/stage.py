"""Stage one of AmbigQA: write every plausible answer, each with its question."""

import datetime as dt
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any

from accounts import prepared_statements
from accounts.models import User
from annotation.core.models.people import Role
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Split
from annotation.core.models.work import Assignment, Opened
from annotation.core.refusals import Conflict
from annotation.generation.answer_checks import asks_conflict
from annotation.generation.check_values import Context
from annotation.generation.golds import AnswerGolds
from annotation.generation.models import Annotation, KeptWarning
from annotation.generation.pair_pay import PairPay
from annotation.generation.responses import GenerationResponse, WrittenPair, quotes_in
from annotation.generation.sheet import GenerationSheet, written_pairs
from annotation.generation.statements import OPENED_PAGES, WRITE_ANNOTATION
from annotation.reading.quotes import own_quotes
from annotation.sheets.answers import with_quotes
from annotation.sheets.report import FindingsReport
from annotation.stages.gold_items import Golds
from annotation.suggestions.queries import find_suggestions
from annotation.suggestions.stage import SuggestingStage
from annotation.text.cleaning import more_of
from annotation.threads import queries as threads_queries
from annotation.work import leases
from annotation.work.stage import kept_warnings
from wikipedia.models import ShownPage

GENERATION = "generation"


class Generation(SuggestingStage[GenerationResponse, Context]):
    """Generation (A1-A35)."""

    key = GENERATION
    label = "Generation"
    role = Role.ANNOTATOR.value
    pays_pairs = True
    revisable: int | None = None
    minimum = "For “One clear answer” and “Not found”. 0 means no minimum."
    sheet = GenerationSheet()
    taking = sheet.taking
    suggested: Sequence[str] = ("pair", "answer", "passage")
    golds: Golds | None = AnswerGolds(GENERATION)

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """As in the paper: one generator on train, two on dev and test (A49, A50)."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=people)
            for split, people in ((Split.TRAIN, 1), (Split.DEV, 2), (Split.TEST, 2))
        ]

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> Context:
        """At most one query, for the opened pages; their text is read when a rule asks for it."""
        question, project = assignment.task.question, assignment.project
        opened = assignment.opened_pages
        if opened is None:
            opened = _opened(assignment.pk, project.snapshot_id)
        return Context(
            prompt=question.prompt,
            reference_date=project.reference_date,
            pages_opened=len({path for path, _ in opened}),
            seconds_on_task=leases.seconds_at(assignment, now),
            minimum_seconds=assignment.policy.minimum_seconds,
            quotes=own_quotes(assignment),
            page_texts=_finder(tuple(sorted(page for _, page in opened if page))),
            settings=project.rule_settings,
            suggestions=find_suggestions(assignment, self.suggested),
            pair_pay=_pair_pay(assignment.policy),
        )

    def write_rows(
        self,
        assignment: Assignment,
        response: GenerationResponse,
        report: FindingsReport,
        *,
        given: Context,
        by: User,
        now: dt.datetime,
    ) -> Annotation:
        """Write the annotation with its pairs, answers and kept warnings.

        A quote that is not this person's own, from this project's Wikipedia, is dropped from its
        answer: the text stays, without proof.
        """
        annotation = Annotation(
            assignment=assignment,
            question_id=assignment.task.question_id,
            author=by,
            kind=response.kind,
            none_reason=response.none_reason if response.kind == "none" else "",
            no_conflict=True if asks_conflict(given) and response.no_conflict else None,
            created_at=now,
        )
        self.record_saved_draft(assignment, response, given, by=by, now=now)
        response = self.sheet.adapt_response(response, given)
        _write(annotation, response, given.quotes(quotes_in(response)))
        prepared_statements.insert_rows(
            KeptWarning(annotation=annotation, **warning)
            for warning in kept_warnings(assignment, report, now=now)
        )
        return annotation

    def get_submission(self, assignment: Assignment) -> Annotation:
        """Return the annotation of this assignment."""
        return Annotation.objects.get(assignment_id=assignment.pk)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the annotation; the draft of the assignment still holds the response."""
        Annotation.objects.filter(assignment_id=assignment.pk).delete()

    def values_for_log(self, assignment: Assignment) -> dict[str, object]:
        """Return the submission for the log: kind, pairs with their answers, reason."""
        annotation = (
            Annotation.objects.filter(assignment_id=assignment.pk)
            .prefetch_related("pairs__answers__more_quotes")
            .first()
        )
        if annotation is None:
            raise Conflict(f"Assignment {assignment.pk} has no submission.")
        pairs = [
            {
                "question": pair.question,
                "answers": [
                    {
                        "text": answer.text,
                        "quote": answer.quote_id,
                        **more_of([quote.pk for quote in answer.more_quotes.all()]),
                    }
                    for answer in pair.answers.all()
                ],
            }
            for pair in annotation.pairs.all()
        ]
        return {
            "kind": annotation.kind,
            "pairs": pairs,
            "none_reason": annotation.none_reason,
            **({"no_conflict": True} if annotation.no_conflict else {}),
        }

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show the submission, or else the draft, and the questions asked about it."""
        annotation = Annotation.objects.filter(assignment=assignment).first()
        draft = self.sheet.load(assignment.draft)
        return {
            "annotation": annotation,
            "draft": draft,
            "pairs": _submitted_pairs(annotation) if annotation else written_pairs(draft),
            "threads": threads_queries.list_threads(assignment),
        }


def _submitted_pairs(annotation: Annotation) -> list[dict[str, Any]]:
    """Return the pairs of a submission for display: questions with their forms."""
    return [
        {"question": pair.question, "forms": [answer.text for answer in pair.answers.all()]}
        for pair in annotation.pairs.prefetch_related("answers")
    ]


def _pair_pay(policy: StagePolicy) -> PairPay | None:
    """Return what pairs bring after validation; None where they are not paid."""
    if not policy.pay_pair:
        return None
    return PairPay(policy.pay_accepted, policy.pay_pair, policy.pay_pairs_max, policy.currency)


def _opened(assignment_id: int, snapshot_id: int) -> Opened:
    """Return the paths of the pages opened in this assignment, with the pages shown there."""
    rows = prepared_statements.fetch_rows(
        OPENED_PAGES, {"assignment": assignment_id, "snapshot": snapshot_id}
    )
    return tuple((path, page) for path, page in rows if path)


def _finder(pages: tuple[int, ...]) -> Callable[[str], bool]:
    """Return a function that tells whether words are on one of the pages; it reads them once."""
    return lambda text: Context(prompt="", page_texts=_texts(pages)).on_opened_page(text)


# A draft is checked every few seconds, mostly with the same pages. A page shown never changes.
@lru_cache(maxsize=32)
def _texts(pages: tuple[int, ...]) -> tuple[str, ...]:
    rows = ShownPage.objects.filter(pk__in=pages)
    return tuple(rows.values_list("text", flat=True)) if pages else ()


def _write(annotation: Annotation, response: GenerationResponse, quoted: Collection[int]) -> None:
    """Write the annotation with its pairs and answers, in one statement."""
    written: tuple[WrittenPair, ...] = ()
    if response.kind == "single":
        written = (WrittenPair("", response.single),)
    elif response.kind == "multiple":
        written = response.pairs
    forms = [
        (pair, position, with_quotes(form, filter(quoted.__contains__, form.quotes)))
        for pair, row in enumerate(written)
        for position, form in enumerate(row.answers)
    ]
    more = [(pair, position, quote) for pair, position, form in forms for quote in form.more]
    ((annotation.pk,),) = prepared_statements.fetch_rows(
        WRITE_ANNOTATION,
        {
            "assignment": annotation.assignment_id,
            "question": annotation.question_id,
            "author": annotation.author_id,
            "kind": annotation.kind,
            "none_reason": annotation.none_reason,
            "no_conflict": annotation.no_conflict,
            "now": annotation.created_at,
            "questions": [pair.question for pair in written],
            "suggestions": [pair.suggestion for pair in written],
            "pairs": [pair for pair, _, _ in forms],
            "positions": [position for _, position, _ in forms],
            "texts": [form.text for _, _, form in forms],
            "quotes": [form.quote for _, _, form in forms],
            "more_pairs": [pair for pair, _, _ in more],
            "more_positions": [position for _, position, _ in more],
            "more_quotes": [quote for _, _, quote in more],
        },
    )
