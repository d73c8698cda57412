"""The answers of a question with the verdicts on them, for the page of the question."""

from collections import Counter

from annotation.models import Question
from annotation.protocols.registry import AnswerLine
from qampari.verdicts import VERDICTS, JudgedCandidate, accepted_of, read_judged_answers


def list_answer_lines(question: Question) -> list[AnswerLine]:
    """Return every answer that the question came with. One query."""
    rows = read_judged_answers([question.pk]).get(question.pk, [])
    kept = set(accepted_of(rows)) if question.state == Question.State.ACCEPTED else set()
    return [AnswerLine(row.text, _said(row), row.position in kept) for row in rows]


def _said(row: JudgedCandidate) -> str:
    counts = Counter(row.said)
    people = [f"{VERDICTS[verdict]} ({n})" for verdict, n in counts.most_common()]
    team = [f"Team: {VERDICTS[row.team]}"] if row.team else []
    return "; ".join([*people, *team]) or "Not checked"
