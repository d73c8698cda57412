"""The paper's figures, counted from annotations: plain values in, plain values out.

Source: Kwiatkowski et al. (2019), sections 3.3 and 4.4, figures 2, 4 and 6, and section 5.2.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from metrics import nq_annotators
from metrics.score import Evaluation, Figure, ratio_or_zero
from natural_questions.annotation import PageAnnotation, Path

ENOUGH = 5
"""The fewest annotations of a question from which its share of answers is told."""
BINS = ("0 to 20", "20 to 40", "40 to 60", "60 to 80", "80 to 100")
"""Shares of answers in per cent: above the first number, up to the second."""
KINDS = {
    "p": "Paragraph",
    "t": "Table",
    "r": "Table row",
    "l": "List",
    "i": "List item",
    "o": "Other",
}
VERDICTS = ("correct", "debatable", "wrong", "")
Answer = Literal["long", "short"]


@dataclass(frozen=True)
class AnnotatedQuestion:
    """A question with its annotations.

    kinds: the kind of each candidate of its page, letters of KINDS. verdict: the experts'
    consensus on its answer: correct, debatable, wrong, or "" without one.
    """

    pk: int
    question: str
    split: str
    annotations: tuple[PageAnnotation, ...]
    kinds: str = ""
    verdict: str = ""

    @cached_property
    def long(self) -> "LabelCounts":
        """What its annotations say of the long answer."""
        return count_answers(map(long_label, self.annotations))

    @cached_property
    def short(self) -> "LabelCounts":
        """What its annotations say of the short answer."""
        return count_answers(map(short_label, self.annotations))


@dataclass(frozen=True)
class LabelCounts:
    """What k people gave: each answer, None for none; and how often each occurs, most first."""

    labels: tuple[Hashable, ...]
    counts: tuple[int, ...]

    @property
    def people(self) -> int:
        """How many were asked."""
        return len(self.labels)

    @property
    def answers(self) -> int:
        """How many gave an answer."""
        return sum(self.counts)

    @property
    def top(self) -> int:
        """How many gave the most popular answer."""
        return self.counts[0] if self.counts else 0

    @property
    def bin(self) -> int:
        """The place of its share of answers among BINS; -1 where no one answered."""
        return -(-len(BINS) * self.answers // self.people) - 1


def count_answers(labels: Iterable[Hashable]) -> LabelCounts:
    """Count answers."""
    every = tuple(labels)
    counts = Counter(label for label in every if label is not None)
    return LabelCounts(every, tuple(sorted(counts.values(), reverse=True)))


def long_label(annotation: PageAnnotation) -> Hashable:
    """Return the long answer as a value that is equal for equal answers; None for none."""
    return annotation.long.place if annotation.long else None


def short_label(annotation: PageAnnotation) -> Hashable:
    """Return the short answer: yes, no, or its set of spans; None for none."""
    if annotation.yes_no != "NONE":
        return annotation.yes_no
    return frozenset(span.place for span in annotation.short) or None


def count_paths(items: Iterable[AnnotatedQuestion]) -> Counter[Path]:
    """Count the annotations that took each path (figure 2)."""
    return Counter(each.path for item in items for each in item.annotations)


def evaluate_decisions(items: Sequence[AnnotatedQuestion]) -> Evaluation | None:
    """Return the share of annotations that took each path; resampled by question."""
    if not items:
        return None
    taken = [Counter(each.path for each in item.annotations) for item in items]
    columns = {path.value: [float(counts[path]) for counts in taken] for path in Path}
    columns["annotations"] = [float(counts.total()) for counts in taken]
    return Evaluation(
        task="nq-decisions",
        ids=[str(item.pk) for item in items],
        columns=columns,
        figures=[Figure(path.value, (path.value, "annotations"), ratio_or_zero) for path in Path],
    )


def evaluate_same_answers(items: Sequence[AnnotatedQuestion]) -> Evaluation | None:
    """Return the share of questions to which everyone gave the same answer, or none."""
    compared = select_comparable_items(items, least=2)
    if not compared:
        return None
    answers: tuple[Answer, ...] = ("long", "short")
    return Evaluation(
        task="nq-alike",
        ids=[str(item.pk) for item in compared],
        columns={
            name: [float(len(set(_given(item, name).labels)) == 1) for item in compared]
            for name in answers
        },
        figures=[Figure(name, (name,)) for name in answers],
    )


def count_long_answer_kinds(items: Iterable[AnnotatedQuestion]) -> Counter[str]:
    """Count the long answers of each kind of box (section 3.3); keys are those of KINDS."""
    return Counter(letter for item in items for letter in list_boxes(item.annotations, item.kinds))


def list_boxes(annotations: Iterable[PageAnnotation], kinds: str) -> str:
    """Return the kind of the box of each long answer, letters of KINDS.

    kinds: that of each candidate of the page.
    """
    return "".join(
        kinds[each.candidate] if 0 <= each.candidate < len(kinds) else "o"
        for each in annotations
        if each.long
    )


def kind_of(tag: str) -> str:
    """Return the kind of box that begins with a tag, such as `<Th_colspan="2">`."""
    name = tag.strip("<>").replace("_", " ").split(" ")[0].lower()
    boxes = {"p": "p", "table": "t", "tr": "r", "ul": "l", "ol": "l", "dl": "l"}
    return boxes.get(name) or ("i" if name in ("li", "dd", "dt") else "o")


def select_comparable_items(
    items: Iterable[AnnotatedQuestion], least: int = ENOUGH
) -> list[AnnotatedQuestion]:
    """Return the questions with enough annotations to compare them."""
    return [item for item in items if len(item.annotations) >= least]


def by_bin(items: Sequence[AnnotatedQuestion], answer: Answer) -> Iterator[tuple[int, str, int]]:
    """Count questions by the share of people who answered, and by verdict (figure 4).

    Questions that no one answered are not in it; every other pair of a share and a verdict is.
    """
    places = [(_given(item, answer).bin, item.verdict) for item in select_comparable_items(items)]
    counts = Counter(places)
    given_verdicts = {verdict for place, verdict in places if place >= 0}
    for place in range(len(BINS)):
        for verdict in VERDICTS:
            if verdict in given_verdicts:
                yield place, verdict, counts[place, verdict]


@dataclass(frozen=True)
class Coverage:
    """How many annotations with an answer the most popular answers of each question account for.

    top: that of the one, two and three most popular. distinct: the most different answers that a
    question has.
    """

    questions: int
    answers: int
    top: tuple[int, int, int]
    distinct: int


def measure_coverage(items: Sequence[AnnotatedQuestion], answer: Answer) -> Coverage:
    """Return how far the most popular answers go (section 4.4)."""
    all_given = [_given(item, answer) for item in select_comparable_items(items)]
    found = [each for each in all_given if each.answers]
    first, second, third = (sum(sum(each.counts[:top]) for each in found) for top in (1, 2, 3))
    return Coverage(
        questions=len(found),
        answers=sum(each.answers for each in found),
        top=(first, second, third),
        distinct=max((len(each.counts) for each in found), default=0),
    )


def evaluate_nulls(items: Sequence[AnnotatedQuestion]) -> Evaluation | None:
    """Return how often annotations have no short answer, over the questions that NQ-open would
    keep: those to which somebody gave one (Min et al. 2020, appendix B; A79).

    ``null`` is the share of annotations, ``most`` that of questions of whose annotations more than
    half have none. Yes and no are no short answers there. None without such a question.
    """
    counted = {
        str(item.pk): (len(item.annotations), sum(not each.short for each in item.annotations))
        for item in items
        if any(each.short for each in item.annotations)
    }
    if not counted:
        return None
    return Evaluation(
        task="nq-nulls",
        ids=list(counted),
        columns={
            "annotations": [float(every) for every, _ in counted.values()],
            "nulls": [float(nulls) for _, nulls in counted.values()],
            "most": [float(2 * nulls > every) for every, nulls in counted.values()],
        },
        figures=[
            Figure("null", ("nulls", "annotations"), ratio_or_zero, weights=("annotations",)),
            Figure("most", ("most",)),
        ],
    )


def evaluate_super_annotator(
    items: Sequence[AnnotatedQuestion], answer: Answer
) -> tuple[Evaluation, int] | None:
    """Score the super-annotator and a single one against five others (section 5.2).

    Returns the scores and how many of the others make it answer: 8 of 20, and as large a share
    of fewer. None where no question has more than five annotations.
    """
    labels = {
        str(item.pk): _given(item, answer).labels
        for item in select_comparable_items(items, ENOUGH + 1)
    }
    if not labels:
        return None
    others = min(map(len, labels.values())) - ENOUGH
    alpha = max(1, round(others * nq_annotators.ALPHA / 20))
    return nq_annotators.upper_bound(labels, references=ENOUGH, alpha=alpha), alpha


def _given(item: AnnotatedQuestion, answer: Answer) -> LabelCounts:
    return item.long if answer == "long" else item.short
