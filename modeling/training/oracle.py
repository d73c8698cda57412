"""Which passages JPR ought to choose next (S53), as far as ASQA and its abstract say it. Pure.

Sources: Min et al. 2021 (JPR), whose code was not released; ASQA (Stelmakh et al. 2022), section 5.
A passage that covers an answer which none chosen before has is right; once all answers that stand
in passages are covered, every other passage with an answer is. Places are from 0 here.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from modeling.training.answer_forms import find_forms, spell_tokens
from modeling.training.examples import TextExample

Covers = Sequence[frozenset[int]]


@dataclass(frozen=True, slots=True)
class PassageChoice:
    """What may come after places that are chosen already, one of them next."""

    before: tuple[int, ...]
    right: tuple[int, ...]


def find_covers(example: TextExample) -> Covers:
    """Return, for each passage that is read, the places of the answers that stand in it."""
    texts = [spell_tokens(f"{passage.title} {passage.text}") for passage in example.passages]
    return [
        frozenset(n for n, forms in enumerate(example.answers) if find_forms(forms, text))
        for text in texts
    ]


def list_right(covers: Covers, before: Sequence[int]) -> tuple[int, ...]:
    """Return the places that are right after those chosen, none where all with answers are."""
    covered = frozenset().union(*(covers[place] for place in before))
    rest = [place for place, own in enumerate(covers) if own and place not in before]
    new = [place for place in rest if not covers[place] <= covered]
    return tuple(new or rest)


def draw_choices(covers: Covers, draws: random.Random, most: int) -> Iterator[PassageChoice]:
    """Give up to `most` choices one after another, each going on with a right place by chance."""
    before: tuple[int, ...] = ()
    while len(before) < most and (right := list_right(covers, before)):
        yield PassageChoice(before, right)
        before = (*before, draws.choice(right))


def share_right(covers: Covers, chosen: Sequence[int], most: int) -> float:
    """Return which share of what was chosen is right, as far as there is something right to choose.

    Raises ValueError where no passage has an answer.
    """
    wanted = min(most, sum(map(bool, covers)))
    if not wanted:
        raise ValueError("none of the passages has an answer")
    hits = [
        place in list_right(covers, chosen[:number]) for number, place in enumerate(chosen[:wanted])
    ]
    return sum(hits) / wanted
