"""Which split a question from a list is in, and which are drawn. Pure.

Source: QAMPARI, section 2.4: all simple questions of tables are in dev and test. There the
compositions are split at random, so that train has parts of lists that are asked for in test; the
strict rule keeps a list on one side.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from qampari.making.splitting import (
    DEV,
    STRICT,
    TEST,
    TRAIN,
    DrawPlan,
    Shortfall,
    draw_key,
)
from qampari.making.table_queries import TABLE_COMPOSITION, TABLE_KINDS, TABLE_SIMPLE, TableQuestion

SAME_ANSWERS = "same_answers_on_other_side"
_SAME: Final = 0.8


@dataclass(frozen=True, slots=True)
class AnswerSets:
    """Titles of what answers each question that was drawn from the graph, of train and the rest."""

    train: Sequence[frozenset[str]] = ()
    tested: Sequence[frozenset[str]] = ()

    def have_on_other_side(self, half: str, titles: frozenset[str]) -> bool:
        """Return whether four of five answers are those of one question of the other half."""
        others = self.tested if half == TRAIN else self.train
        return any(len(each & titles) >= _SAME * len(each | titles) for each in others)


NO_SETS: Final = AnswerSets()


def place_table_questions(
    questions: Sequence[TableQuestion], rule: str, seed: int
) -> dict[str, list[TableQuestion]]:
    """Return the questions of train, and those of dev and test (TEST).

    Simple ones are tested. Strictly, so is all of a list that has one, and other lists are halved
    by the seed; as the paper has it, compositions are halved one by one.
    """
    whole = {each.listed.path for each in questions if each.kind == TABLE_SIMPLE}
    halves: dict[str, list[TableQuestion]] = {TRAIN: [], TEST: []}
    for each in questions:
        path = each.listed.path
        if each.kind == TABLE_SIMPLE or (rule == STRICT and path in whole):
            half = TEST
        else:
            half = _draw_half(seed, path if rule == STRICT else each.key)
        halves[half].append(each)
    return halves


def draw_table_questions(
    questions: Sequence[TableQuestion],
    plan: DrawPlan,
    rule: str,
    seed: int,
    others: AnswerSets = NO_SETS,
) -> tuple[list[TableQuestion], list[Shortfall], Counter[str]]:
    """Return the questions that are drawn, each in its split; what is short; what is left out.

    plan: its sizes of the kinds of tables; train has at most `most_of_relation` of a list. others:
    strictly, what has nearly the answers of a question of the other half is left out.
    """
    drawn: list[TableQuestion] = []
    short: list[Shortfall] = []
    left_out: Counter[str] = Counter()
    halves = place_table_questions(questions, rule, seed)
    for half, splits in ((TRAIN, (TRAIN,)), (TEST, (TEST, DEV))):
        pools: dict[str, list[TableQuestion]] = defaultdict(list)
        for each in sorted(halves[half], key=lambda one: draw_key(seed, one.key)):
            titles = frozenset(answer.title for answer in each.answers)
            if rule == STRICT and others.have_on_other_side(half, titles):
                left_out[SAME_ANSWERS] += 1
            else:
                pools[each.kind].append(each)
        if half == TRAIN:
            pools[TABLE_COMPOSITION] = _cut_by_list(pools[TABLE_COMPOSITION], plan.most_of_relation)
        for split in splits:
            for kind in TABLE_KINDS:
                wanted = plan.sizes.get(split, {}).get(kind, 0)
                taken, pools[kind] = pools[kind][:wanted], pools[kind][wanted:]
                drawn += [each.place_in(split) for each in taken]
                if len(taken) < wanted:
                    short.append(Shortfall(split, kind, wanted, len(taken)))
    return drawn, short, left_out


def count_shared_pages(drawn: Iterable[TableQuestion]) -> dict[str, int]:
    """Return how many lists, and pages that answer, are in train and in dev or test."""
    lists: dict[bool, set[str]] = {True: set(), False: set()}
    pages: dict[bool, set[str]] = {True: set(), False: set()}
    for each in drawn:
        lists[each.split == TRAIN].add(each.listed.path)
        pages[each.split == TRAIN].update(answer.path for answer in each.answers)
    return {
        "lists": len(lists[True] & lists[False]),
        "listed_answers": len(pages[True] & pages[False]),
    }


def _draw_half(seed: int, key: str) -> str:
    return (TRAIN, TEST)[draw_key(seed, "list", key)[0] % 2]


def _cut_by_list(questions: Collection[TableQuestion], most: int) -> list[TableQuestion]:
    seen: Counter[str] = Counter()
    kept = []
    for each in questions:
        seen[each.listed.path] += 1
        if seen[each.listed.path] <= most:
            kept.append(each)
    return kept
