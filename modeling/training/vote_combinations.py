"""Which of several models are best left to vote together (A93). Pure.

AmbigQA (Min et al. 2020, section 5) trains 16 models and lets the best combination of them vote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from metrics import ambigqa
from metrics.ambigqa import Reference
from metrics.text import answer_key

MOST_MODELS: Final = 16
SIZES: Final = (4, 5, 6)  # models that vote together
_DECIMALS: Final = 12  # sums in another order differ beyond
NOTE: Final = (
    "These models were chosen on the questions that the figure is of, so it is too good. The "
    "figure of the other half is not."
)


@dataclass(frozen=True, slots=True)
class RankedVote:
    """Models that vote, by name, and their mean F1-answer, from 0 to 1."""

    models: tuple[str, ...]
    f1_answer: float


@dataclass(frozen=True, slots=True)
class VoteRanking:
    """All combinations, the best first; of equal ones the smaller, then the one named first.

    half: the best on one half of the questions; unseen: its mean F1-answer on the other half.
    note: what the first figure is worth.
    """

    ranked: tuple[RankedVote, ...]
    half: RankedVote
    unseen: float
    note: str = NOTE


def rank_combinations(
    references: Sequence[Reference], answers: Mapping[str, Mapping[str, Sequence[str]]]
) -> VoteRanking:
    """Return every combination of 4 to 6 models by the mean F1-answer of what they vote for.

    answers: of each model by its name, by the id of the question. The vote is that of
    `modeling.outputs.vote_on_answers`. Halves are drawn by a hash of the id. Raises ValueError
    where there are fewer than 4 models, more than 16, or fewer than 2 questions with an accepted
    answer.
    """
    names = list(answers)
    if not SIZES[0] <= len(names) <= MOST_MODELS:
        raise ValueError(f"{SIZES[0]} to {MOST_MODELS} models can be combined, not {len(names)}.")
    asked = sorted(
        (reference for reference in references if reference.annotations),
        key=lambda reference: sha256(reference.id.encode()).digest(),
    )
    if len(asked) < 2:
        raise ValueError("Two questions with an accepted answer are needed, one for each half.")
    chosen = [own for size in SIZES for own in combinations(range(len(names)), size)]
    members = np.zeros((len(chosen), len(names)), dtype=np.int16)
    for row, own in zip(members, chosen, strict=True):
        row[list(own)] = 1
    scores = _score_votes(asked, [answers[name] for name in names], members)
    middle = len(asked) // 2
    first = scores[:, :middle].mean(axis=1).round(_DECIMALS)
    second = scores[:, middle:].mean(axis=1).round(_DECIMALS)

    def describe(place: int, means: NDArray[Any]) -> RankedVote:
        return RankedVote(tuple(names[each] for each in chosen[place]), float(means[place]))

    means = scores.mean(axis=1).round(_DECIMALS)
    best = int(_order(first)[0])
    ranked = tuple(describe(int(place), means) for place in _order(means))
    return VoteRanking(ranked, describe(best, first), float(second[best]))


def describe_votes(
    references: Sequence[Reference], answers: Mapping[str, Mapping[str, Sequence[str]]]
) -> dict[str, Any]:
    """Return the mean F1-answer of each model, of all that vote, and of the best combination.

    "majority" is that of all answers which more than half of the models give (`vote=majority`). The
    best only with enough models and questions for `rank_combinations`. answers: as there.
    references: at least one with an accepted answer.
    """
    asked = [reference for reference in references if reference.annotations]
    alone = np.eye(len(answers), dtype=np.int16)
    members = np.vstack([alone, np.ones_like(alone[:1])])
    *single, together = _score_votes(asked, list(answers.values()), members).mean(axis=1).tolist()
    said: dict[str, Any] = {
        "questions": len(asked),
        "single": dict(zip(answers, single, strict=True)),
        "all": together,
        "majority": float(
            _score_votes(asked, list(answers.values()), members[-1:], majority=True).mean()
        ),
    }
    if len(answers) >= SIZES[0] and len(asked) > 1:
        ranking = rank_combinations(asked, answers)
        best, half = ranking.ranked[0], ranking.half
        said["best"] = {"models": list(best.models), "f1_answer": best.f1_answer}
        said["half"] = {"models": list(half.models), "f1_answer": half.f1_answer}
        said["half"]["unseen"] = ranking.unseen
        said["note"] = ranking.note
    return said


def _order(means: NDArray[Any]) -> NDArray[Any]:
    """Return places by falling mean, equal ones in their order."""
    order: NDArray[Any] = np.argsort(-means, kind="stable")
    return order


def _score_votes(
    asked: Sequence[Reference],
    answers: Sequence[Mapping[str, Sequence[str]]],
    members: NDArray[Any],
    *,
    majority: bool = False,
) -> NDArray[Any]:
    """Return the F1-answer of each combination (rows of members) for each question.

    Many combinations give the same answers, so each set of answers is scored once. majority: as in
    `modeling.outputs.vote_on_answers`.
    """
    half = members.sum(axis=1, keepdims=True) // 2 + 1
    places = np.zeros((len(members), len(asked)), dtype=np.int64)
    scored: list[Reference] = []
    predictions: dict[str, list[str]] = {}
    for number, reference in enumerate(asked):
        first, given = _read_answers([own[reference.id] for own in answers])
        votes = members @ given
        most = votes.max(axis=1, initial=0, keepdims=True)
        enough = np.minimum(most, half) if majority else most
        elected = (votes >= enough) & (votes > 0)
        packed = np.packbits(elected, axis=1)
        _, where, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        places[:, number] = len(scored) + which.ravel()
        for row in where:
            own = Reference(f"{len(scored)}", reference.question, reference.annotations)
            scored.append(own)
            predictions[own.id] = [first[each] for each in np.flatnonzero(elected[row])]
    columns = ambigqa.score_predictions(scored, predictions).columns
    gained: NDArray[Any] = np.asarray(columns["f1_answer"])[places]
    return gained


def _read_answers(given: Sequence[Sequence[str]]) -> tuple[list[str], NDArray[Any]]:
    """Return the distinct answers as first written, and which model (rows) gives which of them."""
    first: dict[str, str] = {}
    own: list[set[str]] = []
    for answers in given:
        keyed = {key: text for text in reversed(answers) if (key := answer_key(text))}
        own.append(set(keyed))
        for key in map(answer_key, answers):
            if key:
                first.setdefault(key, keyed[key])
    table = np.array([[key in keys for key in first] for keys in own], dtype=np.int16)
    return list(first.values()), table.reshape(len(given), len(first))
