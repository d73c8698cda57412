"""AmbigNQ's files as accepted work: taken as they are, and given to other projects.

Of a file, each question gets a decision of source "import".
"""

import datetime as dt
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

from accounts.models import User
from annotation.imports.adapters import (
    AcceptedWorkEffect,
    ImportAdapter,
    annotations_of,
    log_replaced,
)
from annotation.imports.formats import QuestionRecord, ReadRecord
from annotation.imports.not_taken import QUOTES
from annotation.imports.peer_answers import PEERS, count_quotes
from annotation.models import Project, Question
from validation.decisions import accepted_answers
from validation.decisions.models import (
    AcceptedAnnotation,
    AcceptedAnswer,
    AcceptedPair,
    AcceptedQuestion,
    Decision,
)
from validation.decisions.official import problem_of, sets_in
from validation.release.services import start_release
from validation.verdicts.comparing import AnswerSet

FORMAT = "ambignq"


class _Decided(NamedTuple):
    """The source of the decision in force on a question, and the sets of its newest import."""

    in_force: str | None = None
    last: tuple[AnswerSet, ...] | None = None


class AmbigNQImportAdapter(ImportAdapter):
    """Takes every record; annotations of AmbigNQ's, which its format has checked, as accepted."""

    finished_formats = (FORMAT, *PEERS)
    gives = FORMAT

    def adapt_records(
        self, project: Project, format: str, reads: Iterator[ReadRecord]
    ) -> Iterator[ReadRecord]:
        """Count the quotes that other tools have for answers: accepted answers have none here."""
        for read in reads:
            record = read.found
            if format in PEERS and isinstance(record, QuestionRecord):
                quotes = count_quotes(annotations_of(record))
                not_taken = (*record.not_taken, *[QUOTES] * quotes)
                read = read._replace(found=replace(record, not_taken=not_taken))
            yield read

    def unfinished_problem(self, record: QuestionRecord) -> str:
        """Say why the record cannot be taken as finished, "" where it can."""
        for number, annotation in enumerate(annotations_of(record), start=1):
            pairs = annotation.get("qaPairs", [])
            if len(pairs) > 1 and not any(pair["question"] for pair in pairs):
                return (
                    f"Annotation {number} has {len(pairs):,} answers and no question for each, so "
                    "they cannot be told apart. Import it without “finished”: they become known "
                    "answers."
                )
        return problem_of(record)

    def read_finished(self, question_ids: Sequence[int]) -> Mapping[int, "_Decided"]:
        """Return the newest import of each question, and what is in force. Two queries."""
        newest: dict[int, int] = {}
        in_force: dict[int, str] = {}
        decisions = Decision.objects.filter(question__in=question_ids).order_by("pk")
        for pk, question, source, holds in decisions.values_list(
            "pk", "question", "source", "in_force"
        ):
            if source == Decision.Source.IMPORT:
                newest[question] = pk
            if holds:
                in_force[question] = source
        sets = accepted_answers.sets_of(list(newest.values()))
        return {
            question: _Decided(in_force.get(question), sets.get(newest.get(question, 0)))
            for question in newest | in_force
        }

    def effect_of_finished(
        self, question: Question, record: QuestionRecord, before: Any, worked: bool
    ) -> AcceptedWorkEffect:
        """Refuse where somebody has decided or answers here, unless the file says nothing new."""
        decided: _Decided = before or _Decided()
        unchanged = decided.last is not None and decided.last == sets_in(record)
        same = unchanged and question.text == record.text
        if decided.in_force not in (None, Decision.Source.IMPORT):
            if same:
                return AcceptedWorkEffect()  # nothing new in the file; decisions made here stay
            return AcceptedWorkEffect(
                f"“{record.external_id}” was decided in this project after it was imported, and "
                "that decision was kept. Change it in the project instead."
            )
        if worked and not (same and decided.in_force):
            return AcceptedWorkEffect(
                f"People work on “{record.external_id}” in this project, so what they answer "
                "decides. Import the file into a project of its own."
            )
        return AcceptedWorkEffect(changed=not (unchanged and decided.in_force))

    def write_finished(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Put a decision in force on each question, replacing an earlier import. 8 statements."""
        before = dict(
            Decision.objects.filter(
                question__in=[question.pk for question, _ in questions], in_force=True
            ).values_list("question", "pk")
        )
        if before:
            Decision.objects.filter(pk__in=before.values()).update(in_force=False)
        decisions = Decision.objects.bulk_create(
            Decision(
                question=question,
                source=Decision.Source.IMPORT,
                outcome=Decision.Outcome.ACCEPTED,
                change=Decision.Change.NONE,
                made_by=by,
                replaces_id=before.get(question.pk),
                created_at=now,
            )
            for question, _ in questions
        )
        _write_sets(
            [
                (decision, sets_in(record))
                for decision, (_, record) in zip(decisions, questions, strict=True)
            ]
        )
        replaced = [
            (decision.question, {"before": decision.replaces_id, "after": decision.pk})
            for decision in decisions
            if decision.replaces_id
        ]
        log_replaced("decision_replaced", replaced, by=by, now=now)

    def give_accepted(
        self, project: Project, split: str, *, by: User | None, now: dt.datetime
    ) -> Generator[bytes]:
        """Yield the full release of a split, and log it."""
        release = start_release(project=project, format=FORMAT, split=split, by=by, now=now)
        with closing(release.blocks()) as blocks:
            yield from blocks


def _write_sets(found: Sequence[tuple[Decision, Sequence[AnswerSet]]]) -> None:
    sets = [
        (
            AcceptedAnnotation(decision=decision, position=position, kind=accepted_set.kind),
            accepted_set,
        )
        for decision, all_sets in found
        for position, accepted_set in enumerate(all_sets)
    ]
    AcceptedAnnotation.objects.bulk_create(row for row, _ in sets)
    pairs = [
        (AcceptedPair(accepted=row, position=position), pair)
        for row, accepted_set in sets
        for position, pair in enumerate(accepted_set.pairs)
    ]
    AcceptedPair.objects.bulk_create(row for row, _ in pairs)
    AcceptedQuestion.objects.bulk_create(
        AcceptedQuestion(pair=row, position=position, text=text)
        for row, pair in pairs
        for position, text in enumerate(pair.questions)
    )
    AcceptedAnswer.objects.bulk_create(
        AcceptedAnswer(pair=row, position=position, text=text)
        for row, pair in pairs
        for position, text in enumerate(pair.forms)
    )
