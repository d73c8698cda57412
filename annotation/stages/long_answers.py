"""ASQA: write a long answer to an ambiguous question, with evidence for what is added."""

import datetime as dt
from collections.abc import Mapping, Sequence

from accounts.models import User
from annotation import prepared
from annotation.checks import Report
from annotation.cleaning import first_and_more, more_of
from annotation.long_answers.checks import RULES, Context
from annotation.long_answers.covering import covering
from annotation.long_answers.inputs import Inputs
from annotation.long_answers.response import Response, from_json, settled, to_json
from annotation.models import (
    Assignment,
    Event,
    Knowledge,
    LongAnswer,
    Override,
    Project,
    Question,
    Role,
    Split,
    StagePolicy,
)
from annotation.policies.base import Conflict
from annotation.policies.work import Refused
from annotation.queries.long_answers import inputs_for, own_quotes, pages_reader
from annotation.services import leases
from annotation.stages import LONG_ANSWERS, Ordinary

_RULED = """
    SELECT question_id, bool_or(state = 'upheld') FROM annotation_concern
    WHERE question_id = ANY(%(questions)s::bigint[]) AND state IN ('open', 'upheld')
    GROUP BY question_id
"""


class LongAnswering(Ordinary):
    """Long answers (S1-S11)."""

    key = LONG_ANSWERS
    label = "Long answers"
    role = Role.ANNOTATOR.value
    enough = "has as many long answers as it needs, waits for the team"
    views = "annotation.views.long_answers"

    def ruled(self, question_ids: Sequence[int]) -> Mapping[int, str]:
        """Say which questions concerns have set aside: excluded where one was upheld. One query."""
        rows = prepared.fetch(_RULED, {"questions": list(question_ids)})
        states = Question.State
        return {pk: (states.EXCLUDED if upheld else states.FLAGGED).value for pk, upheld in rows}

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """As in the paper: one writer on train, two on dev and test; an hour; no least time."""
        return [
            StagePolicy(
                project=project,
                stage=self.key,
                split=split,
                people=people,
                lease_minutes=60,
                park_hours=72,
                minimum_seconds=0,
            )
            for split, people in ((Split.TRAIN, 1), (Split.DEV, 2), (Split.TEST, 2))
        ]

    def read_draft(self, draft: Mapping[str, object]) -> Response:
        """Read a stored draft."""
        return from_json(draft) if draft else Response()

    def draft_of(self, response: Response) -> dict[str, object]:
        """Return what a draft holds."""
        return to_json(response)

    def inputs(self, assignment: Assignment) -> Inputs:
        """Return what the writer was given. At most two queries."""
        return inputs_for(assignment)

    def context(
        self, assignment: Assignment, response: Response, inputs: Inputs, *, now: dt.datetime
    ) -> Context:
        """Return what the rules may know beside the response.

        A query for quotes where the response names some; one for the pages opened, and that only
        when a rule asks for it.
        """
        return Context(
            inputs=inputs,
            seconds_on_task=leases.seconds_at(assignment, now),
            minimum_seconds=assignment.policy.minimum_seconds,
            quoted=own_quotes(assignment, response),
            on_page=pages_reader(assignment),
            settings=assignment.project.rule_settings,
        )

    def check(self, assignment: Assignment, response: Response, *, now: dt.datetime) -> Report:
        """Run every rule on the response."""
        context = self.context(assignment, response, self.inputs(assignment), now=now)
        return RULES.run(response, context)

    def submit(
        self, assignment: Assignment, response: Response, *, by: User, now: dt.datetime
    ) -> LongAnswer:
        """Write the long answer with its knowledge, and the overrides with their spans.

        Raises Refused(report) while something blocks. A quote that is not this person's own, from
        this project's Wikipedia, is left off its piece: the words stay.
        """
        response = settled(response)
        inputs = self.inputs(assignment)
        context = self.context(assignment, response, inputs, now=now)
        report = RULES.run(response, context)
        if not report.can_submit:
            raise Refused(report)
        answer = LongAnswer.objects.create(
            assignment=assignment,
            question_id=assignment.task.question_id,
            author=by,
            text=response.text,
            keeps=_kept(assignment, report, now),
            created_at=now,
        )
        _write_knowledge(answer, response, context)
        Override.objects.bulk_create(
            Override(
                long_answer=answer,
                disambiguation=each.disambiguation.position,
                words=each.words,
                start=each.start,
                end=each.end,
            )
            for each in covering(response.text, inputs.disambiguations, response.said)
            if each.state == "said" and each.start is not None and each.end is not None
        )
        return answer

    def submission(self, assignment: Assignment) -> LongAnswer:
        """Return the long answer of this assignment."""
        return LongAnswer.objects.get(assignment_id=assignment.pk)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the long answer; the draft of the assignment still holds it."""
        LongAnswer.objects.filter(assignment_id=assignment.pk).delete()

    def record(self, assignment: Assignment) -> dict[str, object]:
        """Return the submitted response: text, knowledge, overrides with their spans."""
        answer = (
            LongAnswer.objects.filter(assignment_id=assignment.pk)
            .prefetch_related("knowledge__more_quotes", "overrides")
            .first()
        )
        if answer is None:
            raise Conflict(f"Assignment {assignment.pk} has no submission.")
        return {
            "long_answer": answer.text,
            "knowledge": [
                {
                    "content": piece.content,
                    "page": piece.page,
                    "quote": piece.quote_id,
                    **more_of([quote.pk for quote in piece.more_quotes.all()]),
                }
                for piece in answer.knowledge.all()
            ],
            "overrides": [
                {
                    "disambiguation": each.disambiguation,
                    "words": each.words,
                    "start": each.start,
                    "end": each.end,
                }
                for each in answer.overrides.all()
            ],
        }


def _write_knowledge(answer: LongAnswer, response: Response, context: Context) -> None:
    proven = [
        (piece, first_and_more(filter(context.quoted.__contains__, piece.quotes)))
        for piece in response.knowledge
    ]
    written = Knowledge.objects.bulk_create(
        Knowledge(
            long_answer=answer,
            position=position,
            content=piece.content or None,
            page=piece.page or None,
            quote_id=quote,
        )
        for position, (piece, (quote, _)) in enumerate(proven)
    )
    Knowledge.more_quotes.through.objects.bulk_create(
        Knowledge.more_quotes.through(knowledge_id=row.pk, quote_id=quote)
        for row, (_, (_, more)) in zip(written, proven, strict=True)
        for quote in more
    )


# Readings that turn out wrong are no fault of who wrote about them: they keep what acceptance is
# worth. While a concern is open nothing moves: what K people wrote stood accepted before.
_CREDITED = """
    SELECT a.id
    FROM annotation_assignment a
    JOIN annotation_task t ON t.id = a.task_id
    JOIN annotation_stagepolicy p ON p.id = t.policy_id
    JOIN annotation_question q ON q.id = t.question_id
    WHERE q.id = ANY(%(questions)s::bigint[]) AND a.state = 'submitted' AND a.used
      AND (q.state IN ('accepted', 'excluded') OR (q.state = 'flagged' AND p.people <= (
        SELECT count(*) FROM annotation_assignment w
        WHERE w.task_id = t.id AND w.state = 'submitted' AND w.used)))
"""


def credited(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose long answers count as accepted. One query."""
    return [row[0] for row in prepared.fetch(_CREDITED, {"questions": list(question_ids)})]


def _kept(assignment: Assignment, report: Report, now: dt.datetime) -> list[dict[str, str]]:
    """Return the warnings that fired and were kept, and write each into the log of events."""
    kept = [
        {"rule": each.rule, "field": each.field, "reason": each.kept_because}
        for each in report.findings
        if each.kept_because
    ]
    Event.objects.bulk_create(
        Event(assignment=assignment, kind=Event.Kind.WARNING_KEPT, at=now, data=data)
        for data in kept
    )
    return kept
