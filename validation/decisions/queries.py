"""The decision on a question, and the state that follows from it."""

from collections.abc import Mapping

from accounts import prepared_statements
from validation.decisions.models import Decision
from validation.decisions.statements import DECISIONS_IN_FORCE
from validation.verdicts.merging import all_match
from validation.verdicts.queries import said_on


def derive_question_states(questions: Mapping[int, bool]) -> Mapping[int, str]:
    """Return the state of each question that follows from its answers or a decision, if any.

    A decision by a validator holds while it covers exactly the annotations in use and the
    validator's work counts; one by the team or from an import always holds. Without a decision,
    answers that all match are accepted automatically (A46) on questions that ask for validation
    (True). One query, and a second where answers are needed.
    """
    rows = prepared_statements.fetch_rows(DECISIONS_IN_FORCE, {"questions": list(questions)})
    covered = {row[0] for row in rows if row[2] == Decision.Source.VALIDATION}
    looked_at = [pk for pk, asked in questions.items() if asked or pk in covered]
    said = said_on(looked_at) if looked_at else {}
    states: dict[int, str] = {}
    for question, annotations in said.items():
        answers = [[pair.forms for pair in annotation.pairs] for annotation in annotations]
        if questions[question] and all_match(answers):
            states[question] = "auto_accepted"
    for question, outcome, _, covers in rows:
        in_use = sorted(contribution.annotation for contribution in said.get(question, []))
        if question not in covered or sorted(covers) == in_use:
            states[question] = outcome
    return states


def decision_of(question_id: int) -> Decision | None:
    """Return the decision in force on a question."""
    return Decision.objects.filter(question_id=question_id, in_force=True).first()
