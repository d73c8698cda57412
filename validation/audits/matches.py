"""Which validators decided what an expert found in an audit as well (A60)."""

from collections.abc import Sequence

from accounts import prepared_statements
from validation.audits.scores import score_experts
from validation.audits.statements import AUDITED_DECISIONS
from validation.decisions.accepted_answers import read_annotation_sets, sets_of
from validation.verdicts.comparing import AnswerSet
from validation.verdicts.merging import Annotation


def list_matched_assignments(question_ids: Sequence[int]) -> list[int]:
    """Return the validators' assignments whose decision is in force and matches an audit.

    One of several experts on a question is enough. Answers match where the figure of the audit,
    F1-answer, is 1: each answer of the expert is in an accepted set, which has no other. A decision
    of the team, or of generators alone, is no validator's. One query; three where there are audits.
    """
    rows = prepared_statements.fetch_rows(AUDITED_DECISIONS, {"questions": list(question_ids)})
    if not rows:
        return []
    accepted = sets_of(sorted({decision for _, decision, _ in rows}))
    written = read_annotation_sets([annotation for *_, annotation in rows])
    found = {
        assignment
        for assignment, decision, annotation in rows
        if _match(written[annotation], accepted.get(decision, ()))
    }
    return sorted(found)


def _match(own: AnswerSet, accepted: Sequence[AnswerSet]) -> bool:
    sets = [_answers(answers) for answers in accepted if answers.pairs]
    if not sets:
        return False
    return score_experts([(_answers(own), sets)]).columns["f1_answer"] == [1]


def _answers(answers: AnswerSet) -> Annotation:
    return [pair.forms for pair in answers.pairs]
