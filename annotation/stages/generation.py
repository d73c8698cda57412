"""Stage one of AmbigQA: write every plausible answer, each with its question."""

import datetime as dt
from collections.abc import Callable, Mapping

from accounts.models import User
from annotation import prepared
from annotation.checks import Context, Report, run_checks
from annotation.cleaning import more_of
from annotation.models import (
    Annotation,
    Answer,
    Assignment,
    Event,
    KeptWarning,
    Project,
    QAPair,
    Role,
    Split,
    StagePolicy,
)
from annotation.policies.base import Conflict
from annotation.policies.work import Refused
from annotation.responses import (
    AnswerForm,
    Pair,
    Response,
    from_json,
    settled,
    to_json,
    with_quotes,
)
from annotation.services import leases
from annotation.stages import GENERATION, Ordinary
from wikipedia.models import Quote, ShownPage


class Generation(Ordinary):
    """Generation (A1-A35)."""

    key = GENERATION
    label = "Generation"
    role = Role.ANNOTATOR.value
    views = "annotation.views.answering"

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """As in the paper: one generator on train, two on dev and test (A49, A50)."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=people)
            for split, people in ((Split.TRAIN, 1), (Split.DEV, 2), (Split.TEST, 2))
        ]

    def read_draft(self, draft: Mapping[str, object]) -> Response:
        """Read a stored draft; an empty one opens with two empty pairs (A4)."""
        return from_json(draft) if draft else Response(pairs=(Pair(), Pair()))

    def draft_of(self, response: Response) -> dict[str, object]:
        """Return what a draft holds."""
        return to_json(response)

    def context(self, assignment: Assignment, response: Response, *, now: dt.datetime) -> Context:
        """Return what the rules may know beside the response.

        One query for the pages opened, one for quotes where the response names some, one for
        the text of the pages, and that only when a rule asks for it.
        """
        paths = _opened_paths(assignment.pk)
        question, project = assignment.task.question, assignment.project
        return Context(
            prompt=question.prompt,
            reference_date=project.reference_date,
            pages_opened=len(paths),
            seconds_on_task=leases.seconds_at(assignment, now),
            minimum_seconds=assignment.policy.minimum_seconds,
            quoted=_own_quotes(assignment, response),
            page_texts=_finder(project.snapshot_id, paths),
            settings=project.rule_settings,
        )

    def check(self, assignment: Assignment, response: Response, *, now: dt.datetime) -> Report:
        """Run every rule on the response."""
        return run_checks(response, self.context(assignment, response, now=now))

    def submit(
        self, assignment: Assignment, response: Response, *, by: User, now: dt.datetime
    ) -> Annotation:
        """Write the annotation with its pairs, answers and kept warnings.

        Raises Refused(report) while something blocks. A quote that is not this person's own, from
        this project's Wikipedia, is left off its answer: the text stays, unproven.
        """
        response = settled(response)
        context = self.context(assignment, response, now=now)
        report = run_checks(response, context)
        if not report.can_submit:
            raise Refused(report)
        annotation = Annotation.objects.create(
            assignment=assignment,
            question_id=assignment.task.question_id,
            author=by,
            kind=response.kind,
            none_reason=response.none_reason if response.kind == "none" else "",
            created_at=now,
        )
        _write_pairs(annotation, response, frozenset(context.quoted))
        _write_kept(annotation, assignment, report, now)
        return annotation

    def submission(self, assignment: Assignment) -> Annotation:
        """Return the annotation of this assignment."""
        return Annotation.objects.get(assignment_id=assignment.pk)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the annotation; the draft of the assignment still holds the response."""
        Annotation.objects.filter(assignment_id=assignment.pk).delete()

    def record(self, assignment: Assignment) -> dict[str, object]:
        """Return the submitted response: kind, pairs with their answers, reason."""
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


def _opened_paths(assignment_id: int) -> set[str]:
    """Return the paths of the pages opened in this assignment, each once."""
    rows = prepared.fetch(
        "SELECT DISTINCT data->>'path' FROM annotation_event "
        "WHERE assignment_id = %(assignment)s AND kind = 'page_open'",
        {"assignment": assignment_id},
    )
    return {path for (path,) in rows if path}


def _own_quotes(assignment: Assignment, response: Response) -> frozenset[int]:
    """Return which of the quotes named in the response are this person's, from this snapshot."""
    forms = [*response.single, *(form for pair in response.pairs for form in pair.answers)]
    named = {quote for form in forms for quote in form.quotes}
    if not named:
        return frozenset()
    return frozenset(
        Quote.objects.filter(
            pk__in=named,
            created_by_id=assignment.user_id,
            page__snapshot_id=assignment.project.snapshot_id,
        ).values_list("pk", flat=True)
    )


def _finder(snapshot_id: int, paths: set[str]) -> Callable[[str], bool]:
    """Return a function that says whether words stand on an opened page; reads them once."""
    loaded: list[Context] = []

    def stands(text: str) -> bool:
        if not loaded:
            texts = ShownPage.objects.filter(snapshot_id=snapshot_id, path__in=paths)
            pages = tuple(texts.values_list("text", flat=True)) if paths else ()
            loaded.append(Context(prompt="", page_texts=pages))
        return loaded[0].on_opened_page(text)

    return stands


def _write_pairs(annotation: Annotation, response: Response, quoted: frozenset[int]) -> None:
    written: list[tuple[str, tuple[AnswerForm, ...]]] = []
    if response.kind == "single":
        written = [("", response.single)]
    elif response.kind == "multiple":
        written = [(pair.question, pair.answers) for pair in response.pairs]
    if not written:
        return
    pairs = QAPair.objects.bulk_create(
        QAPair(annotation=annotation, position=position, question=question)
        for position, (question, _) in enumerate(written)
    )
    proven = [
        (pair, position, with_quotes(form, filter(quoted.__contains__, form.quotes)))
        for pair, (_, forms) in zip(pairs, written, strict=True)
        for position, form in enumerate(forms)
    ]
    answers = Answer.objects.bulk_create(
        Answer(pair=pair, position=position, text=form.text, quote_id=form.quote)
        for pair, position, form in proven
    )
    Answer.more_quotes.through.objects.bulk_create(
        Answer.more_quotes.through(answer_id=answer.pk, quote_id=quote)
        for answer, (_, _, form) in zip(answers, proven, strict=True)
        for quote in form.more
    )


def _write_kept(
    annotation: Annotation, assignment: Assignment, report: Report, now: dt.datetime
) -> None:
    """Store the warnings that fired and were kept, once more in the log of events (A67)."""
    kept = {
        (finding.rule, finding.field): finding.kept_because
        for finding in report.findings
        if finding.kept_because
    }
    if not kept:
        return
    KeptWarning.objects.bulk_create(
        KeptWarning(annotation=annotation, rule=rule, field=field, reason=reason)
        for (rule, field), reason in kept.items()
    )
    Event.objects.bulk_create(
        Event(
            assignment=assignment,
            kind=Event.Kind.WARNING_KEPT,
            at=now,
            data={"rule": rule, "field": field, "reason": reason},
        )
        for (rule, field), reason in kept.items()
    )
