"""Co-training: further answers to questions of which one answer is known (A94). Pure.

Algorithm 1 of AmbigQA (Min et al. 2020, section 5). In each round several models are trained on
questions with all of their answers (D_full); they continue the known answer of each other question
(D_partial); and what most of them agree on is learnt from in the next round. Lines 16 and 19 of the
algorithm as printed name D_L where D̂_full is meant.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from metrics.text import answer_key
from modeling.training.values import Labelled, LabelledPair

# What becomes of a question: it is learnt from with further answers, or with the known one, or not.
SEVERAL, ONE, LEFT_OUT = "several", "one", "left_out"
BRANCHES: Final = (SEVERAL, ONE, LEFT_OUT)
Keyed = dict[str, str]  # from what makes an answer the same to how it was written first


@dataclass(frozen=True, slots=True)
class PartialLabels:
    """What a round has found.

    added: the questions to learn from, each with one set: the known answer, then the further ones;
    branches: how many questions went each way; agreed: how many answers were added.
    """

    added: tuple[Labelled, ...] = ()
    branches: Mapping[str, int] = field(default_factory=lambda: dict.fromkeys(BRANCHES, 0))
    agreed: int = 0


def find_agreed_answers(
    known: Iterable[str], given: Sequence[Iterable[str]]
) -> tuple[str, tuple[str, ...]]:
    """Return which branch a question takes, and the further answers that models agree on.

    known: the forms of its known answer; given: the answers of each model. A further answer is none
    of the forms (`answer_key`), and more than half of the models give it: 4 of 6, but not 3. A
    model has one vote for an answer. Further answers come in the order in which they first came.
    """
    keys = set(map(answer_key, known))
    further = [_key_answers(answers, keys) for answers in given]
    votes = Counter(key for own in further for key in own)
    first: Keyed = {}
    for own in further:
        for key, text in own.items():
            first.setdefault(key, text)
    agreed = tuple(text for key, text in first.items() if 2 * votes[key] > len(given))
    if agreed:
        return SEVERAL, agreed
    return (LEFT_OUT if votes else ONE), ()


def label_partial_questions(
    questions: Sequence[tuple[Labelled, Sequence[str]]],
    given: Sequence[Mapping[str, Sequence[str]]],
) -> PartialLabels:
    """Return what is learnt from questions of which one answer is known.

    questions: each with the forms of its known answer, at least one; given: for each model its
    answers by the id of the question, every one of which it must have (KeyError otherwise).
    """
    branches, added, agreed = dict.fromkeys(BRANCHES, 0), [], 0
    for labelled, known in questions:
        asked = labelled.asked.id
        branch, answers = find_agreed_answers(known, [model[asked] for model in given])
        branches[branch] += 1
        agreed += len(answers)
        if branch != LEFT_OUT:
            forms = [tuple(dict.fromkeys(known)), *((answer,) for answer in answers)]
            pairs = tuple(LabelledPair((), own) for own in forms)
            added.append(replace(labelled, annotations=(pairs,), left_out=""))
    return PartialLabels(tuple(added), branches, agreed)


def build_round(full: Sequence[Labelled], labels: PartialLabels) -> list[Labelled]:
    """Return what the models of the next round learn from: D_full, and what this round has added.

    The paper only says that the data grow. They are built from D_full anew in each round, as its
    algorithm computes every Ŷ anew: what models were wrong about in one round would otherwise be
    right by definition in all later ones. Raises ValueError where a question is in both.
    """
    known = {labelled.asked.id for labelled in full}
    if twice := [each.asked.id for each in labels.added if each.asked.id in known]:
        raise ValueError(f"The question {twice[0]} has all of its answers already.")
    return [*full, *labels.added]


def order_by_seed(labelled: Labelled, seed: int) -> Labelled:
    """Return a question with the answers of each set in another order for each seed.

    Models that learn other orders make other mistakes. Seed 0 keeps the order of the annotators.
    """
    if not seed:
        return labelled
    sets = []
    for number, pairs in enumerate(labelled.annotations):
        drawn = Random(f"{seed} {number} {labelled.asked.id}")  # noqa: S311 (no secret)
        sets.append(tuple(drawn.sample(pairs, len(pairs))))
    return replace(labelled, annotations=tuple(sets))


def _key_answers(answers: Iterable[str], known: set[str]) -> Keyed:
    """Return the answers that say something and are not known, each once."""
    found: Keyed = {}
    for answer in answers:
        key = answer_key(answer)
        if key and key not in known:
            found.setdefault(key, answer)
    return found
