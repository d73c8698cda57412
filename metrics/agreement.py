"""How far people who answered the same question agree, text by text and set by set.

Agreement that is corrected for chance (kappa, alpha) is in ``reliability``; this module compares
answers and texts directly and needs no arrays.

Sources: AmbigQA (Min et al. 2020, section 4.1 and appendix A), ASQA (Stelmakh et al. 2022, section
3.3).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

from metrics.score import SCORE, SHARE, BadInput, Evaluation, Figure
from metrics.text import answer_key

T = TypeVar("T")

Answers = Sequence[str | Sequence[str]]
"""What one person answered: each answer a text, or the accepted texts of that one answer."""


@dataclass(frozen=True, slots=True)
class ValidationOutcome:
    """How the annotations of one question came through validation.

    ``automatic``: they matched exactly and no one had to look. Otherwise the validator may have
    ``edited`` an answer or question, and may have ``excluded`` one; neither means accepted.
    """

    automatic: bool = False
    edited: bool = False
    excluded: bool = False


def answer_f1(first: Answers, second: Answers) -> float:
    """Return F1-answer of two lists of answers: ``2 · matched / (answers + answers)``, 0 to 1.

    Answers match where they share an accepted text (``text.answer_key``). Each answer of ``first``
    in turn takes the first answer of ``second`` that is still free, so an answer given twice
    counts against its giver. Nothing against nothing is 1, nothing against something 0.
    """
    return _keys_f1(_keys(first), _keys(second))


def pair_f1s(given: Sequence[Answers]) -> list[float]:
    """Return how close each two people are, in the order of ``combinations(given, 2)``.

    Each is the mean of ``answer_f1`` taken both ways.
    """
    people = [_keys(answers) for answers in given]
    return [(_keys_f1(a, b) + _keys_f1(b, a)) / 2 for a, b in combinations(people, 2)]


def score_pairwise_agreement(
    annotations: Mapping[str, Sequence[T]],
    similarity: Callable[[T, T], float],
    *,
    name: str,
    options: Mapping[str, str] | None = None,
) -> Evaluation:
    """Return how similar the annotations of each question are to each other, on average.

    ``annotations`` holds, by question, what each person gave. A question's value is the mean of
    ``similarity(a, b)`` over all ordered pairs of different people, so that a measure that treats
    its two sides differently (ROUGE against a reference) is taken both ways. A question with fewer
    than two annotations has no value and is not counted; ``counts`` says how many there are.

    The figure is the mean over questions. With the F1 of ROUGE-L as ``similarity`` it is ASQA's
    agreement; with equality of two texts, the share of agreeing pairs. Raises ``BadInput`` where no
    question has two annotations.
    """
    shared = {key: given for key, given in annotations.items() if len(given) > 1}
    _check_shared(shared)
    values = [
        _mean([(similarity(a, b) + similarity(b, a)) / 2 for a, b in combinations(given, 2)])
        for given in shared.values()
    ]
    return Evaluation(
        task="agreement",
        ids=list(shared),
        columns={name: values},
        figures=[Figure(name, (name,))],
        options={"pairs": "ordered"} | dict(options or {}),
        counts={"questions": len(shared), "alone": len(annotations) - len(shared)},
    )


def score_answer_agreement(annotations: Mapping[str, Sequence[Answers]]) -> Evaluation:
    """Return the agreement of people who answered the same questions with lists of answers.

    ``annotations`` holds, by question, the answers of each person. Figures, both means over the
    questions that two or more people answered, 0 to 1:

    - ``f1_answer``: mean ``answer_f1`` over the ordered pairs of people (AmbigQA: 0.608);
    - ``exact``: share of questions where all gave the same answers, one to one (AmbigQA: 0.37).

    Raises ``BadInput`` where no question was answered by two people.
    """
    shared = {key: given for key, given in annotations.items() if len(given) > 1}
    _check_shared(shared)
    f1: list[float] = []
    exact: list[float] = []
    for given in shared.values():
        pairs = pair_f1s(given)
        f1.append(_mean(pairs))
        exact.append(float(min(pairs) == 1))
    return Evaluation(
        task="agreement",
        ids=list(shared),
        columns={"f1_answer": f1, "exact": exact},
        figures=[Figure(name, (name,), scale=SCORE) for name in ("f1_answer", "exact")],
        options={"pairs": "ordered"},
        counts={"questions": len(shared), "alone": len(annotations) - len(shared)},
    )


def score_validation(outcomes: Mapping[str, ValidationOutcome]) -> Evaluation:
    """Return how the annotations of questions came through validation, as shares from 0 to 1.

    ``automatic`` (AmbigQA: 0.37), ``accepted`` by a validator as they stood (0.39), ``passed`` =
    either (0.76), ``changed`` = the rest (0.24), of which ``edited`` and ``excluded`` may both hold
    for one question. Raises ``BadInput`` where there is no question, or where one that needed no
    validator was changed.
    """
    if not outcomes:
        raise BadInput("There is no validated question to report on.")
    for key, outcome in outcomes.items():
        if outcome.automatic and (outcome.edited or outcome.excluded):
            raise BadInput(f"{key}: was accepted without a validator, and yet it was changed.")
    given = list(outcomes.values())
    columns = {
        "passed": [float(not (each.edited or each.excluded)) for each in given],
        "automatic": [float(each.automatic) for each in given],
        "accepted": [float(not (each.automatic or each.edited or each.excluded)) for each in given],
        "changed": [float(each.edited or each.excluded) for each in given],
        "edited": [float(each.edited) for each in given],
        "excluded": [float(each.excluded) for each in given],
    }
    return Evaluation(
        task="validation",
        ids=list(outcomes),
        columns=columns,
        figures=[Figure(name, (name,), scale=SHARE) for name in columns],
        counts={"questions": len(given)},
    )


def _keys(answers: Answers) -> list[frozenset[str]]:
    return [
        frozenset(map(answer_key, [each] if isinstance(each, str) else each)) - {""}
        for each in answers
    ]


def _keys_f1(first: list[frozenset[str]], second: list[frozenset[str]]) -> float:
    if not first and not second:
        return 1.0
    free = list(second)
    matched = 0
    for answer in first:
        place = next((i for i, other in enumerate(free) if answer & other), None)
        if place is not None:
            del free[place]
            matched += 1
    return 2 * matched / (len(first) + len(second))


def _check_shared(shared: Mapping[str, object]) -> None:
    if not shared:
        raise BadInput("No question has two annotations: there is nothing to compare.")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
