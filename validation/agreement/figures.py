"""The figures of agreement and validation, from plain values: no database, no Django.

Each group of figures is an ``Evaluation``: a column of numbers per question, and means of them, so
that every figure comes with its number of questions and a bootstrap interval over questions.
``docs/agreement.md`` defines each with a worked example.

Sources: Min et al. 2020, section 4.1, Table 2 and appendix A.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.core.states import ANY_ACCEPTED
from annotation.figures.memory import recall
from metrics import agreement
from metrics.score import Evaluation, Figure, ratio_or_zero
from validation.audits.scores import score_experts
from validation.verdicts.merging import cluster_answers

Answers = tuple[tuple[str, ...], ...]
"""Answers, each as the tuple of its forms."""

KINDS = ("multiple", "single", "none")


@dataclass(frozen=True, slots=True)
class SubmittedAnswers:
    """One person's submission on a question; without answers it is "not found".

    correct: whether what was decided accepts it, None while nothing is.
    """

    person: int
    kind: str
    answers: Answers = ()
    correct: bool | None = None


@dataclass(frozen=True, slots=True)
class DecisionInForce:
    """The decision in force on a question: values as in Decision, and the sets it accepts."""

    source: str
    outcome: str
    change: str
    sets: tuple[Answers, ...] = ()


@dataclass(frozen=True, slots=True)
class AgreementFacts:
    """Everything that the figures need to know about one question.

    ``validated`` says whether its split is validated; ``given`` are the generators' annotations in
    use, ``experts`` those of the audit.
    """

    question: str
    state: str
    validated: bool
    given: tuple[SubmittedAnswers, ...] = ()
    experts: tuple[SubmittedAnswers, ...] = ()
    decided: DecisionInForce | None = None

    @property
    def sets(self) -> tuple[Answers, ...]:
        """The sets accepted now; empty while the question is not finished."""
        if self.state not in ANY_ACCEPTED:
            return ()
        if self.decided is not None:
            return self.decided.sets
        return tuple(submission.answers for submission in self.given if submission.answers)


@dataclass(frozen=True, slots=True)
class ValidatorResult:
    """A validator's result on a question: `pairs` of the smallest set accepted, 0 for none."""

    question: str
    person: int
    pairs: int

    @property
    def kind(self) -> str:
        """The kind of the smallest set they accepted."""
        return ("none", "single")[self.pairs] if self.pairs < 2 else "multiple"


# --- generators against each other (A62) ---------------------------------------------------------


def compare_annotators(facts: Sequence[AgreementFacts]) -> Evaluation | None:
    """F1-answer of generators against each other, and how often all gave the same answers."""
    given = {row.question: [submission.answers for submission in row.given] for row in facts}
    if not any(len(submissions) > 1 for submissions in given.values()):
        return None
    return agreement.score_answer_agreement(given)


# --- what validation did (A63, A64) --------------------------------------------------------------


def find_outcome(row: AgreementFacts) -> agreement.ValidationOutcome | None:
    """Return the outcome of validation for a question; None where it has not been validated.

    A question of a split with a validation policy counts as validated if its answers all match, or
    if a validator or the team has decided on it. The current result counts: if the team has
    overruled the validator, the team's.
    """
    if not row.validated:
        return None
    if row.decided is None:
        return agreement.ValidationOutcome(automatic=True) if row.state == "auto_accepted" else None
    if row.decided.source == "import":
        return None
    change = row.decided.change
    return agreement.ValidationOutcome(edited=change == "edit", excluded=change == "exclusion")


def score_outcomes(facts: Sequence[AgreementFacts]) -> Evaluation | None:
    """Shares of questions that passed (automatically, or accepted) and that were changed."""
    outcomes = {row.question: result for row in facts if (result := find_outcome(row)) is not None}
    return agreement.score_validation(outcomes) if outcomes else None


def find_missed_and_invalid(row: AgreementFacts) -> tuple[bool, bool]:
    """Say whether a generator missed an accepted pair, and whether one included an invalid one.

    Each generator is compared with the accepted set that shares most answers with theirs (the
    first in case of a tie). They missed an answer of that set if they do not have it; an answer of
    theirs is invalid if no accepted set has it. Answers are the same if they share a form, one to
    one. Where nothing is accepted (an excluded question), both are False.
    """
    facts = repr(([submission.answers for submission in row.given], row.sets)).encode()
    missed, invalid = recall("missed", facts, lambda: _find_missed_and_invalid(row))
    return missed, invalid


def _find_missed_and_invalid(row: AgreementFacts) -> list[bool]:
    missed = invalid = False
    for submission in row.given if row.sets else ():
        compared = [_compared(submission.answers, accepted) for accepted in row.sets]
        nearest = max(compared, key=lambda found: (len(found[0]), -found[1]))
        missed = missed or nearest[1] > 0
        invalid = invalid or len(frozenset().union(*(both for both, _ in compared))) < len(
            submission.answers
        )
    return [missed, invalid]


def _compared(own: Answers, accepted: Answers) -> tuple[frozenset[int], int]:
    """Return the places of the accepted answers of one's own, and the number of the other ones."""
    both: set[int] = set()
    others = 0
    for cluster in cluster_answers([own, accepted]):
        sides = {member.annotation: member.pair for member in cluster.members}
        if sides.keys() == {0, 1}:
            both.add(sides[0])
        elif 1 in sides:
            others += 1
    return frozenset(both), others


def score_changes(facts: Sequence[AgreementFacts]) -> Evaluation | None:
    """Shares of the changed questions by what was wrong with them."""
    rows = [
        (row, result)
        for row in facts
        if (result := find_outcome(row)) is not None and (result.edited or result.excluded)
    ]
    if not rows:
        return None
    why = [find_missed_and_invalid(row) for row, _ in rows]
    columns = {
        "edited": [float(result.edited) for _, result in rows],
        "excluded": [float(result.excluded) for _, result in rows],
        "missed": [float(missed) for missed, _ in why],
        "invalid": [float(invalid) for _, invalid in why],
        "both": [float(missed and invalid) for missed, invalid in why],
        "neither": [float(not (missed or invalid)) for missed, invalid in why],
    }
    return _means("changes", [row.question for row, _ in rows], columns)


# --- kinds of response, numbers of pairs (A47, A48, A71) ----------------------------------------


def count_kinds(given: Iterable[tuple[str, str]]) -> Evaluation | None:
    """Shares of the kinds among (question, kind) of submissions; resampled by question."""
    counts: dict[str, dict[str, int]] = {}
    for question, kind in given:
        of_question = counts.setdefault(question, dict.fromkeys(KINDS, 0))
        of_question[kind] += 1
    if not counts:
        return None
    columns = {kind: [float(count[kind]) for count in counts.values()] for kind in KINDS}
    columns["submissions"] = [float(sum(count.values())) for count in counts.values()]
    return Evaluation(
        task="kinds",
        ids=list(counts),
        columns=columns,
        figures=[Figure(kind, (kind, "submissions"), ratio_or_zero) for kind in KINDS],
    )


def count_accepted_pairs(facts: Sequence[AgreementFacts]) -> Evaluation | None:
    """Accepted sets and question-answer pairs of each accepted question.

    The pairs of the smallest set count (A47).
    """
    rows = [row for row in facts if row.sets]
    if not rows:
        return None
    pairs = [min(map(len, row.sets)) for row in rows]
    columns = {
        "accepted_sets": [float(len(row.sets)) for row in rows],
        "pairs": [float(n) for n in pairs],
        "pairs_1": [float(n == 1) for n in pairs],
        "pairs_2": [float(n == 2) for n in pairs],
        "pairs_3": [float(n == 3) for n in pairs],
        "pairs_4_or_more": [float(n > 3) for n in pairs],
    }
    return _means("sizes", [row.question for row in rows], columns)


def count_annotations(facts: Sequence[AgreementFacts]) -> Evaluation | None:
    """Mean number of annotations of the questions that have any."""
    rows = [row for row in facts if row.given]
    if not rows:
        return None
    columns = {"annotations": [float(len(row.given)) for row in rows]}
    return _means("annotations", [row.question for row in rows], columns)


# --- the audit (A61) -----------------------------------------------------------------------------


def score_audit(facts: Sequence[AgreementFacts]) -> Evaluation | None:
    """F1-answer of experts against the accepted answers, with precision and recall.

    With the sides exchanged, F1 is the same, and precision and recall swap. Several experts on a
    question count with their mean.
    """
    rows = [(row, expert) for row in facts if row.sets for expert in row.experts]
    if not rows:
        return None
    scored = score_experts([(expert.answers, row.sets) for row, expert in rows])
    columns = {}
    for measure in ("f1_answer", "precision_answer", "recall_answer"):
        by_question: dict[str, list[float]] = {}
        for (row, _), value in zip(rows, scored.columns[measure], strict=True):
            by_question.setdefault(row.question, []).append(value)
        columns[measure] = [sum(values) / len(values) for values in by_question.values()]
    return _means("audit", list(by_question), columns)


def _means(task: str, ids: Sequence[str], columns: Mapping[str, Sequence[float]]) -> Evaluation:
    return Evaluation(
        task=task, ids=ids, columns=columns, figures=[Figure(name, (name,)) for name in columns]
    )
