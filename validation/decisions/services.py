"""Write decisions on questions. A decision is never edited: another replaces it."""

import datetime as dt
from collections.abc import Iterable, Sequence

from django.db import transaction

from accounts import prepared_statements
from accounts.models import User
from annotation.models import Question
from validation.decisions.models import (
    AcceptedAnnotation,
    AcceptedAnswer,
    AcceptedPair,
    AcceptedQuestion,
    Decision,
    ExcludedAnswer,
)
from validation.decisions.statements import END_DECISION
from validation.verdicts.models import Validation
from validation.verdicts.responses import (
    AnswerRow,
    Contribution,
    Form,
    FormOrigin,
    Phrasing,
    ProposedSet,
    ValidationResult,
)


@transaction.atomic(savepoint=False)
def decide_question(
    *,
    question: Question,
    result: ValidationResult,
    said: Sequence[Contribution],
    source: str,
    validation: Validation | None = None,
    reason: str = "",
    by: User | None,
    now: dt.datetime,
) -> Decision:
    """Put a decision in force, with the sets it accepts, in place of the previous one.

    The caller holds the question's lock (annotation.work.seats.lock_assignment or lock_questions).
    """
    before = prepared_statements.fetch_rows(END_DECISION, {"question": question.pk})
    decision = Decision.objects.create(
        question=question,
        source=source,
        outcome=result.outcome,
        change=result.change,
        validation=validation,
        made_by=by,
        reason=reason,
        covers=[contribution.annotation for contribution in said],
        replaces_id=before[0][0] if before else None,
        created_at=now,
    )
    write_accepted(decision, result.accepted, said)
    _write_excluded(decision, result.left_out, said)
    return decision


def write_accepted(
    decision: Decision, accepted: Iterable[ProposedSet], said: Sequence[Contribution]
) -> None:
    """Write the accepted sets of a decision with the provenance of every text. Four inserts."""
    sets = list(accepted)
    annotations = prepared_statements.insert_rows(
        AcceptedAnnotation(
            decision=decision,
            position=position,
            kind=accepted_set.kind,
            annotation_id=None
            if accepted_set.column is None
            else said[accepted_set.column].annotation,
        )
        for position, accepted_set in enumerate(sets)
    )
    rows = [
        (annotation, position, row, accepted_set.kind)
        for annotation, accepted_set in zip(annotations, sets, strict=True)
        for position, row in enumerate(accepted_set.pairs)
    ]
    pairs = prepared_statements.insert_rows(
        AcceptedPair(accepted=annotation, position=position) for annotation, position, _, _ in rows
    )
    prepared_statements.insert_rows(
        _question(pair, position, phrasing, said)
        for pair, (_, _, row, kind) in zip(pairs, rows, strict=True)
        if kind == "multiple"  # a single answer answers the prompt itself
        for position, phrasing in enumerate(row.phrasings)
    )
    prepared_statements.insert_rows(
        _answer(pair, position, form, said)
        for pair, (_, _, row, _) in zip(pairs, rows, strict=True)
        for position, form in enumerate(row.forms)
    )


def _write_excluded(
    decision: Decision, rows: Iterable[AnswerRow], said: Sequence[Contribution]
) -> None:
    """Write the excluded answers, with the pairs that had them. Two inserts."""
    rows = list(rows)
    excluded = ExcludedAnswer.objects.bulk_create(
        ExcludedAnswer(
            decision=decision,
            position=position,
            answers=[form.text for form in row.forms],
            questions=[phrasing.text for phrasing in row.kept],
            reason=row.why,
        )
        for position, row in enumerate(rows)
    )
    prepared_statements.insert_rows(
        ExcludedAnswer.pairs.through(excludedanswer=answer, qapair_id=pk)
        for answer, row in zip(excluded, rows, strict=True)
        for pk in dict.fromkeys(said[m.annotation].pairs[m.pair].pk for m in row.members)
        if pk is not None
    )


def _question(
    pair: AcceptedPair, position: int, phrasing: Phrasing, said: Sequence[Contribution]
) -> AcceptedQuestion:
    origin = said[phrasing.origin[0]].pairs[phrasing.origin[1]] if phrasing.origin else None
    return AcceptedQuestion(
        pair=pair,
        position=position,
        text=phrasing.text,
        source_id=origin.pk if origin else None,
        edited=origin is not None and origin.question != phrasing.text,
    )


def _answer(
    pair: AcceptedPair, position: int, form: Form, said: Sequence[Contribution]
) -> AcceptedAnswer:
    if form.origin is None:
        return AcceptedAnswer(pair=pair, position=position, text=form.text)
    column, place, number = form.origin
    origin = said[column].pairs[place]
    return AcceptedAnswer(
        pair=pair,
        position=position,
        text=form.text,
        source_id=origin.form_pks[number] if number < len(origin.form_pks) else None,
        edited=origin.forms[number] != form.text,
    )


def set_aside(question_ids: Iterable[int]) -> int:
    """Take the decisions on these questions out of force; return how many there were."""
    return Decision.objects.filter(question_id__in=list(question_ids), in_force=True).update(
        in_force=False
    )


def rows_of(accepted: AcceptedAnnotation, said: Sequence[Contribution]) -> list[AnswerRow]:
    """Return a stored set as rows with their origins, to be shown and edited again."""
    pairs: dict[int | None, tuple[int, int]] = {}
    forms: dict[int | None, FormOrigin] = {}
    for column, contribution in enumerate(said):
        for place, pair in enumerate(contribution.pairs):
            pairs[pair.pk] = column, place
            forms |= {pk: (column, place, n) for n, pk in enumerate(pair.form_pks)}
    return [
        AnswerRow(
            key=f"a{pair.position}",
            forms=tuple(Form(a.text, forms.get(a.source_id)) for a in pair.answers.all()),
            phrasings=tuple(Phrasing(q.text, pairs.get(q.source_id)) for q in pair.questions.all()),
        )
        for pair in accepted.pairs.all()
    ]
