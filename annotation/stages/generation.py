"""Stage one of AmbigQA: write every plausible answer, each with its question."""

import datetime as dt
from collections.abc import Callable, Collection
from typing import Any

from accounts import prepared
from accounts.models import User
from annotation.checks import Context
from annotation.cleaning import more_of
from annotation.models import (
    Annotation,
    Answer,
    Assignment,
    KeptWarning,
    Project,
    QAPair,
    Role,
    Split,
    StagePolicy,
)
from annotation.policies.base import Conflict
from annotation.queries import threads
from annotation.queries.quotes import own_quotes
from annotation.responses import AnswerForm, Response, quotes_in, with_quotes
from annotation.services import leases
from annotation.sheets.generation import GenerationSheet, written_pairs
from annotation.sheets.report import Report
from annotation.stages.base import SheetStage, kept_warnings
from wikipedia.models import ShownPage

GENERATION = "generation"


class Generation(SheetStage[Response, Context]):
    """Generation (A1-A35)."""

    key = GENERATION
    label = "Generation"
    role = Role.ANNOTATOR.value
    sheet = GenerationSheet()

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """As in the paper: one generator on train, two on dev and test (A49, A50)."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=people)
            for split, people in ((Split.TRAIN, 1), (Split.DEV, 2), (Split.TEST, 2))
        ]

    def given(self, assignment: Assignment, *, now: dt.datetime) -> Context:
        """One query, for the opened pages; their text is read when a rule asks for it."""
        paths = _opened_paths(assignment.pk)
        question, project = assignment.task.question, assignment.project
        return Context(
            prompt=question.prompt,
            reference_date=project.reference_date,
            pages_opened=len(paths),
            seconds_on_task=leases.seconds_at(assignment, now),
            minimum_seconds=assignment.policy.minimum_seconds,
            quotes=own_quotes(assignment),
            page_texts=_finder(project.snapshot_id, paths),
            settings=project.rule_settings,
        )

    def write(
        self,
        assignment: Assignment,
        response: Response,
        report: Report,
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
            created_at=now,
        )
        prepared.insert([annotation])
        _write_pairs(annotation, response, given.quotes(quotes_in(response)))
        prepared.insert(
            KeptWarning(annotation=annotation, **warning)
            for warning in kept_warnings(assignment, report, now=now)
        )
        return annotation

    def submission(self, assignment: Assignment) -> Annotation:
        """Return the annotation of this assignment."""
        return Annotation.objects.get(assignment_id=assignment.pk)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the annotation; the draft of the assignment still holds the response."""
        Annotation.objects.filter(assignment_id=assignment.pk).delete()

    def record(self, assignment: Assignment) -> dict[str, object]:
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
        }

    def ended(self, assignment: Assignment) -> dict[str, Any]:
        """Show the submission, or else the draft, and the questions asked about it."""
        annotation = Annotation.objects.filter(assignment=assignment).first()
        draft = self.sheet.load(assignment.draft)
        return {
            "annotation": annotation,
            "draft": draft,
            "pairs": _submitted_pairs(annotation) if annotation else written_pairs(draft),
            "threads": threads.on(assignment),
        }


def _submitted_pairs(annotation: Annotation) -> list[dict[str, Any]]:
    """Return the pairs of a submission for display: questions with their forms."""
    return [
        {"question": pair.question, "forms": [answer.text for answer in pair.answers.all()]}
        for pair in annotation.pairs.prefetch_related("answers")
    ]


def _opened_paths(assignment_id: int) -> set[str]:
    """Return the paths of the pages opened in this assignment, each once."""
    rows = prepared.fetch(
        "SELECT DISTINCT data->>'path' FROM annotation_event "
        "WHERE assignment_id = %(assignment)s AND kind = 'page_open'",
        {"assignment": assignment_id},
    )
    return {path for (path,) in rows if path}


def _finder(snapshot_id: int, paths: set[str]) -> Callable[[str], bool]:
    """Return a function that tells whether words are on an opened page; it reads pages once."""
    loaded: list[Context] = []

    def stands(text: str) -> bool:
        if not loaded:
            texts = ShownPage.objects.filter(snapshot_id=snapshot_id, path__in=paths)
            pages = tuple(texts.values_list("text", flat=True)) if paths else ()
            loaded.append(Context(prompt="", page_texts=pages))
        return loaded[0].on_opened_page(text)

    return stands


def _write_pairs(annotation: Annotation, response: Response, quoted: Collection[int]) -> None:
    written: list[tuple[str, tuple[AnswerForm, ...]]] = []
    if response.kind == "single":
        written = [("", response.single)]
    elif response.kind == "multiple":
        written = [(pair.question, pair.answers) for pair in response.pairs]
    if not written:
        return
    pairs = prepared.insert(
        QAPair(annotation=annotation, position=position, question=question)
        for position, (question, _) in enumerate(written)
    )
    proven = [
        (pair, position, with_quotes(form, filter(quoted.__contains__, form.quotes)))
        for pair, (_, forms) in zip(pairs, written, strict=True)
        for position, form in enumerate(forms)
    ]
    answers = prepared.insert(
        Answer(pair=pair, position=position, text=form.text, quote_id=form.quote)
        for pair, position, form in proven
    )
    prepared.insert(
        Answer.more_quotes.through(answer_id=answer.pk, quote_id=quote)
        for answer, (_, _, form) in zip(answers, proven, strict=True)
        for quote in form.more
    )
