"""Which answers a study shows, and to how many people.

Everything is drawn from the seed of the study: the same seed and the same input give the same
items. Questions and systems are ids.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

MOST_STRATUM = 4
"""Questions with this many disambiguations or more are one stratum of a sample."""
SINGLE = ("alone", "expert")
"""The pairings that show one answer at a time."""

Pair = tuple[int, int]


class DesignError(ValueError):
    """The study cannot be planned like this; the message says why and what to change."""


@dataclass(frozen=True)
class PlannedItem:
    """An item of a study: one answer or two to a question.

    swapped: whether the first rater sees the second system on the left; repeats: the place, in the
    list of all items, of the one that is shown again.
    """

    question: int
    first: int
    second: int | None
    swapped: bool = False
    repeats: int | None = None


def sample_questions(
    sizes: Mapping[int, int], *, size: int, seed: int, stratified: bool
) -> list[int]:
    """Return `size` questions in random order, drawn without replacement.

    sizes: the number of disambiguations of each question. A stratified sample has the same shares
    of questions with 2, 3, and 4 or more of them as all questions have, as nearly as whole
    questions allow (largest remainder). Raises `DesignError` where there are too few questions.
    """
    if size < 1:
        raise DesignError("A study needs at least one question.")
    if size > len(sizes):
        raise DesignError(
            f"{size:,} questions are wanted and only {len(sizes):,} can be used. "
            "Choose fewer, or add the missing answers."
        )
    chance = random.Random(f"{seed} sample")  # noqa: S311
    strata: dict[int, list[int]] = defaultdict(list)
    for question in sorted(sizes):
        strata[min(sizes[question], MOST_STRATUM) if stratified else 0].append(question)
    drawn: list[int] = []
    for key, number in _shares({key: len(ids) for key, ids in strata.items()}, size).items():
        drawn += chance.sample(strata[key], number)
    chance.shuffle(drawn)
    return drawn


def _shares(counts: Mapping[int, int], size: int) -> dict[int, int]:
    """Divide `size` in proportion to the counts: whole parts first, then largest remainders."""
    total = sum(counts.values())
    shares = {key: size * counts[key] // total for key in sorted(counts)}
    by_remainder = sorted(shares, key=lambda key: (-(size * counts[key] % total), key))
    for key in by_remainder[: size - sum(shares.values())]:
        shares[key] += 1
    return shares


def plan_items(
    questions: Sequence[int],
    systems: Sequence[int],
    *,
    pairing: str,
    reference: int | None,
    repeats: int,
    seed: int,
    outputs: Collection[tuple[int, int]] | None = None,
) -> list[PlannedItem]:
    """Return the items of a study in the order in which they are handed out.

    Questions keep their order; the items of a question stay together, in random order. Repeats are
    at the end: `repeats` per cent of the pairs, rounded, but at least one unless 0 is asked for.

    pairing: a value of `Study.Pairing`. outputs: the answers that exist, as (question, system);
    without it every system has answered everything. What has no answer is not planned, and
    questions that miss answers of the same systems are balanced among themselves.

    Raises `DesignError` where nothing can be planned.
    """
    _check(questions, systems, pairing, reference)
    answered = None if outputs is None else frozenset(outputs)
    dealers: dict[tuple[int, ...], Iterator[list[tuple[int, int | None]]]] = {}
    chance = random.Random(f"{seed} pairs")  # noqa: S311
    items: list[PlannedItem] = []
    for question in questions:
        present = tuple(s for s in systems if answered is None or (question, s) in answered)
        if present not in dealers:
            dealers[present] = _dealt(present, pairing, reference, chance)
        pairs = next(dealers[present])
        chance.shuffle(pairs)
        items += [PlannedItem(question, first, second) for first, second in pairs]
    if not items:
        raise DesignError(
            "No question has the answers that this pairing needs. Choose other systems, or add the "
            "missing answers."
        )
    if pairing in SINGLE:
        return items
    items = draw_sides(items, seed)
    again = random.Random(f"{seed} repeats").sample(  # noqa: S311
        range(len(items)), count_repeats(len(items), repeats)
    )
    return items + [replace(items[place], repeats=place) for place in again]


def count_repeats(pairs: int, percent: int) -> int:
    """Return how many of the pairs are shown again: rounded half up, at least 1 unless 0 %."""
    return min(pairs, max(1, (pairs * percent + 50) // 100)) if percent else 0


def _check(
    questions: Sequence[int], systems: Sequence[int], pairing: str, reference: int | None
) -> None:
    if len(set(questions)) < len(questions) or len(set(systems)) < len(systems):
        raise DesignError("A question or a system is named twice: name each of them once.")
    if pairing not in _ROUNDS and pairing not in (*SINGLE, "reference"):
        raise DesignError(f"“{pairing}” is not a pairing.")
    if len(systems) < (1 if pairing in SINGLE else 2):
        raise DesignError("Choose at least two systems, or one answer at a time.")
    if pairing == "reference" and reference not in systems:
        raise DesignError("Choose the system that all others are compared with.")


# How many rounds of a tournament a question gets, of those in which every two systems meet once.
_ROUNDS: dict[str, Callable[[int], int]] = {
    "all": lambda rounds: rounds,
    "matching": lambda rounds: 1,
    "blocks": lambda rounds: (rounds + 1) // 2,
}


def _dealt(
    systems: Sequence[int], pairing: str, reference: int | None, chance: random.Random
) -> Iterator[list[tuple[int, int | None]]]:
    """Yield the pairs of one question after the other, without end."""
    while pairing in SINGLE:
        yield [(system, None) for system in systems]
    if pairing == "reference":
        others = [s for s in systems if s != reference] if reference in systems else []
        while True:
            yield [_in_order((system, reference), systems) for system in others]
    # All rounds are dealt before one is dealt again. So at any time two pairs of systems differ by
    # at most one in how often they have met, and so do two systems in how often they were judged.
    rounds = _tournament(systems, chance)
    size = _ROUNDS[pairing](len(rounds))
    deck: list[int] = []
    while True:
        hand, deck = deck[:size], deck[size:]
        if len(hand) < size:
            fresh = chance.sample(range(len(rounds)), len(rounds))
            # A question does not show a pair twice: what it already has goes to the end.
            fresh.sort(key=lambda place: place in hand)
            missing = size - len(hand)
            hand, deck = hand + fresh[:missing], fresh[missing:]
        yield [_in_order(pair, systems) for place in hand for pair in rounds[place]]


def _tournament(systems: Sequence[int], chance: random.Random) -> list[list[Pair]]:
    """Return rounds in which every two systems meet once, and each plays at most once a round.

    One system stays in its seat, the others move on by one (the circle method). With an odd number
    an empty seat is added: whoever meets it sits out, each system once.
    """
    seats: list[int | None] = list(systems)
    chance.shuffle(seats)
    if len(seats) % 2:
        seats.append(None)
    rounds = []
    for _ in range(len(seats) - 1):
        halves = zip(seats[: len(seats) // 2], reversed(seats), strict=False)
        rounds.append([(a, b) for a, b in halves if a is not None and b is not None])
        seats.insert(1, seats.pop())
    return rounds or [[]]


def _in_order(pair: Sequence[int | None], systems: Sequence[int]) -> tuple[int, int]:
    first, second = sorted((system for system in pair if system is not None), key=systems.index)
    return first, second


def draw_sides(items: Sequence[PlannedItem], seed: int) -> list[PlannedItem]:
    """Draw the sides by a seed: each system is left in half of its items, up to one.

    Of the meetings of two systems half are swapped, so only one of each odd number of meetings is
    left. These are the edges of a graph whose nodes are the systems. Whoever walks along unused
    edges until there is none left leaves every node as often as they enter it, except the first
    and the last. From a node with an odd number of unused edges the walk ends at another such node;
    when no odd ones are left, it ends where it began (Euler). So a node is at an end of at most one
    open walk. The side an edge is walked from is the left one: each node has it in half of its
    edges, up to one.
    """
    chance = random.Random(f"{seed} sides")  # noqa: S311
    meetings: dict[Pair, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        if item.second is not None:
            meetings[item.first, item.second].append(place)
    swapped = set()
    left_over: dict[Pair, int] = {}
    for pair, places in meetings.items():
        chance.shuffle(places)
        swapped |= set(places[: len(places) // 2])
        if len(places) % 2:
            left_over[pair] = places[-1]
    for start, end in _walked(left_over, chance):
        if (start, end) not in left_over:
            swapped.add(left_over[end, start])
    return [replace(item, swapped=place in swapped) for place, item in enumerate(items)]


def _walked(edges: Collection[Pair], chance: random.Random) -> list[Pair]:
    """Direct the edges of a graph so that as many lead into each node as out of it, up to one."""
    ends: dict[int, list[int]] = defaultdict(list)
    for first, second in edges:
        ends[first].append(second)
        ends[second].append(first)
    nodes = sorted(ends)
    chance.shuffle(nodes)
    for node in nodes:
        chance.shuffle(ends[node])
    directed = []
    for odd in (True, False):  # odd nodes first: all others are even then
        for start in nodes:
            node = start
            if odd and len(ends[start]) % 2 == 0:
                continue
            while ends[node]:
                following = ends[node].pop()
                ends[following].remove(node)
                directed.append((node, following))
                node = following
    return directed


def count_rounds(systems: int, pairing: str) -> int:
    """Return how many rounds of a tournament of this many systems a question gets."""
    return _ROUNDS[pairing](systems - 1 + systems % 2)
