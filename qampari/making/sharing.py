"""What the splits of made questions share, which a model could have learnt in training. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from qampari.making.queries import CompositionQuery
from qampari.making.splitting import (
    DEV,
    TEST,
    TRAIN,
    GraphQuery,
    list_properties,
    list_subjects,
)


@dataclass(frozen=True, slots=True)
class SharedCounts:
    """What train shares with dev and test: relations, what is asked about, answers, all answers.

    relations: without those of compositions of dev and test, whose other relation may be anything.
    """

    relations: int
    subjects: int
    answers: int
    questions: int


def count_shared(drawn: Mapping[str, Sequence[GraphQuery]]) -> SharedCounts:
    """Return how many relations, subjects, answers and sets of answers are on both sides."""

    learnt: Sequence[GraphQuery] = drawn[TRAIN]
    tested = [*drawn[DEV], *drawn[TEST]]
    bound = [query for query in tested if not isinstance(query, CompositionQuery)]

    def count(read: Callable[[GraphQuery], Iterable[object]], others: Sequence[GraphQuery]) -> int:
        first, second = (
            {one for query in side for one in read(query)} for side in (learnt, others)
        )
        return len(first & second)

    return SharedCounts(
        relations=count(list_properties, bound),
        subjects=count(list_subjects, tested),
        answers=count(lambda query: query.answers, tested),
        questions=count(lambda query: [tuple(sorted(query.answers))], tested),
    )
