"""Keep the answers of imported questions as rows."""

import hashlib
import random
from collections.abc import Iterable, Sequence

from annotation.models import Question
from qampari.models import Candidate, Evidence, ListQuestion
from qampari.records import LIST, Record, of_context


def record_of(question: Question) -> Record:
    """Return the record of an imported question."""
    return of_context(question.external_id, question.text, question.context)


def replace_answer_rows(questions: Iterable[Question]) -> None:
    """Write the rows of questions in place of earlier ones. At most five statements.

    Answers that people have checked keep their numbers: see `check_answers_unchanged`.
    """
    records = {question.pk: (question, record_of(question)) for question in questions}
    if not records:
        return
    seeds = {pk: _seed(question) for pk, (question, _) in records.items()}
    ListQuestion.objects.bulk_create(
        [
            ListQuestion(question_id=pk, kind=record.kind, source=record.source, seed=seeds[pk])
            for pk, (_, record) in records.items()
        ],
        update_conflicts=True,
        unique_fields=["question"],
        update_fields=["kind", "source"],
    )
    Candidate.objects.filter(question__in=records).delete()
    candidates = Candidate.objects.bulk_create(
        row for pk, (_, record) in records.items() for row in _candidates(pk, record, seeds[pk])
    )
    answers = [answer for _, record in records.values() for answer in record.answers]
    Evidence.objects.bulk_create(
        Evidence(candidate=row, position=n, text=proof.text, url=proof.url, pid=proof.pid)
        for row, answer in zip(candidates, answers, strict=True)
        for n, proof in enumerate(answer.proofs)
    )


def check_answers_unchanged(known: Question, context: dict[str, object]) -> str:
    """Return why other answers cannot replace those of a question in work, "" where they can."""
    keys = (LIST, "answers")
    if all(context.get(key, known.context.get(key)) == known.context.get(key) for key in keys):
        return ""
    return (
        f"People have checked answers of “{known.external_id}”, and the file has others for it. "
        "They were not changed."
    )


def _candidates(pk: int, record: Record, seed: int) -> Sequence[Candidate]:
    lots = random.Random(seed)  # noqa: S311 - no secret: the same seed gives the same lots
    return [
        Candidate(
            question_id=pk,
            position=n,
            text=answer.text,
            forms=list(answer.forms),
            lot=lots.random(),
        )
        for n, answer in enumerate(record.answers)
    ]


def _seed(question: Question) -> int:
    name = f"{question.project_id}/{question.external_id}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:6])
