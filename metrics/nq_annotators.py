"""How well people answer Natural Questions: accuracy, the super-annotator, agreement.

Everything here works on labels: any hashable value that stands for an answer, and None for "there
is no answer". ``long_label`` and ``short_label`` make them from annotations.

Sources: Kwiatkowski et al. (2019), sections 5.1 and 5.2 (definitions, footnote 11, table 3); Min et
al. (2020), section 2 footnote 1 (pairwise agreement by string match, 49.2 %).
"""

import random
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Literal, NamedTuple, TypeAlias

from metrics.nq import BETA, NqAnnotation, micro_f1
from metrics.score import SCORE, Evaluation, Figure, f1, ratio_or_zero
from metrics.text import answer_key

Label: TypeAlias = Hashable | None
Nulls: TypeAlias = Literal["count", "drop"]

ALPHA = 8
"""The super-annotator answers when at least this many of its 20 annotators gave an answer."""

ANNOTATORS = 5


class Accuracy(NamedTuple):
    """A system against several annotators; ``accuracy`` is A, the others count answers only."""

    accuracy: float
    precision: float
    recall: float
    f1: float


def long_label(annotation: NqAnnotation) -> Label:
    """Return the long answer as a label."""
    return annotation.long


def short_label(annotation: NqAnnotation) -> Label:
    """Return the short answer as a label: yes or no, or the set of spans."""
    if annotation.yes_no != "none":
        return annotation.yes_no
    return frozenset(annotation.short) or None


def count_answers(annotations: Sequence[Label]) -> int:
    """Return g(a), the number of annotations that are an answer."""
    return sum(label is not None for label in annotations)


def is_correct(annotations: Sequence[Label], label: Label, *, beta: int = BETA) -> bool:
    """Return h(a, l): whether a label is right by ``annotations``.

    Where at least ``beta`` annotators answered: right when it is an answer of any of them.
    Where fewer did: right when it is None.
    """
    if count_answers(annotations) >= beta:
        return label is not None and label in annotations
    return label is None


def score_labels(
    annotations: Sequence[Sequence[Label]], labels: Sequence[Label], *, beta: int = BETA
) -> Accuracy:
    """Score one label per example against its annotations (section 5.1).

    With t = h(a, l) where l is an answer, and 0 where it is None: A = mean of h, precision = sum of
    t / labels that are answers, recall = sum of t / examples with g(a) of at least ``beta``. A
    quotient over nothing is 0.

    Raises ``ValueError`` where the two differ in length or there are none.
    """
    pairs = list(zip(annotations, labels, strict=True))
    if not pairs:
        raise ValueError("accuracy needs at least one example")
    right = [is_correct(given, label, beta=beta) for given, label in pairs]
    found = sum(one and label is not None for one, (_, label) in zip(right, pairs, strict=True))
    precision = ratio_or_zero(found, sum(label is not None for label in labels))
    recall = ratio_or_zero(found, sum(count_answers(given) >= beta for given in annotations))
    return Accuracy(sum(right) / len(pairs), precision, recall, f1(precision, recall))


def correctness_chances(
    answer: float, nothing: float, *, annotators: int = ANNOTATORS, beta: int = BETA
) -> tuple[float, float]:
    """Return the chances that an answer, and that None, will be right by fresh annotations.

    ``answer`` is the chance that one annotator gives that answer, ``nothing`` that one gives none;
    annotators are independent. None is right when fewer than ``beta`` of them answer; the answer
    when at least ``beta`` do and one of them gives it (footnote 11).

    Raises ``ValueError`` where the two are no chances or sum to more than 1.
    """
    other = 1 - answer - nothing
    if min(answer, nothing) < 0 or other < -1e-9:
        raise ValueError(f"{answer} and {nothing} are not two chances of one choice")
    other = max(other, 0.0)
    none_right = sum(
        comb(annotators, k) * (1 - nothing) ** k * nothing ** (annotators - k)
        for k in range(min(beta, annotators + 1))
    )
    never_given = sum(
        comb(annotators, k) * other**k * nothing ** (annotators - k)
        for k in range(beta, annotators + 1)
    )
    return 1 - none_right - never_given, none_right


def best_label(
    posterior: Mapping[Label, float], *, annotators: int = ANNOTATORS, beta: int = BETA
) -> Label:
    """Return the Bayes-optimal label: what is most likely to be right by ``annotators`` people.

    ``posterior`` has the chance with which one annotator gives each label, None among them. The
    likeliest answer is taken if it is at least as likely to be right as None.
    """
    answers = {label: chance for label, chance in posterior.items() if label is not None}
    if not answers:
        return None
    label = max(answers, key=lambda each: answers[each])
    nothing = posterior.get(None, 0.0)
    as_answer, as_none = correctness_chances(
        answers[label], nothing, annotators=annotators, beta=beta
    )
    return label if as_answer >= as_none else None


def answer_threshold(*, annotators: int = ANNOTATORS, beta: int = BETA) -> float:
    """Return the least chance of the answer at which answering is optimal, of two outcomes.

    With one possible answer beside None this is 0.31381 for five annotators and ``beta`` 2: one
    minus the root of x^5 + 5 x^4 (1 - x) = 0.5. Found by bisection, to the last digits of a float.
    """
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        as_answer, as_none = correctness_chances(
            middle, 1 - middle, annotators=annotators, beta=beta
        )
        low, high = (low, middle) if as_answer >= as_none else (middle, high)
    return high


def super_annotator(annotations: Sequence[Label], *, alpha: int = ALPHA) -> Label:
    """Return what many annotators say together: the commonest answer, or None.

    None where fewer than ``alpha`` of them answered. Of answers equally common, the one that was
    given first.
    """
    if count_answers(annotations) < max(alpha, 1):
        return None
    return Counter(label for label in annotations if label is not None).most_common(1)[0][0]


def upper_bound(
    annotations: Mapping[str, Sequence[Label]],
    *,
    references: int = ANNOTATORS,
    alpha: int = ALPHA,
    beta: int = BETA,
    seed: int = 1,
) -> Evaluation:
    """Score the super-annotator and a single annotator against other annotators (table 3).

    Of each example's annotations (25 in the paper) ``references`` are drawn at random as the gold;
    the others together are the super-annotator, and each of them alone is a single annotator, whose
    figures average over all of them. ``alpha`` is in annotators, whatever their number.

    Figures: ``super`` and ``single`` {precision, recall, f1, accuracy}.

    Raises ``ValueError`` where an example has no annotation beside the references.
    """
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    rows = []
    for name, labels in annotations.items():
        if len(labels) <= references:
            raise ValueError(f"{name} has {len(labels)} annotations; {references + 1} are needed")
        shuffled = draw.sample(list(labels), len(labels))
        gold, others = shuffled[:references], shuffled[references:]
        together = super_annotator(others, alpha=alpha)
        rows.append(
            (
                float(count_answers(gold) >= beta),
                *_mean(gold, [together], beta),
                *_mean(gold, others, beta),
            )
        )
    measures = ("prediction", "correct", "accurate")
    names = ["gold", *(f"{who}_{measure}" for who in ("super", "single") for measure in measures)]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return Evaluation(
        task="nq-annotators",
        ids=list(annotations),
        columns=columns,
        figures=[figure for who in ("super", "single") for figure in _figures(who)],
        options={
            "alpha": str(alpha),
            "beta": str(beta),
            "references": str(references),
            "sample": str(seed),
        },
        counts={"n": len(annotations)},
    )


def score_annotator_agreement(
    annotations: Mapping[str, Sequence[Collection[str]]],
    *,
    nulls: Nulls = "count",
) -> Evaluation:
    """Return how often two annotators of a question give the same short answer, by string match.

    Each annotation is a collection of strings, empty where the annotator found no answer. Two agree
    when their sets of strings are equal after ``text.answer_key``. Per question: the share of pairs
    that agree; ``score_annotator_agreement`` is the mean over the questions that have a pair. The
    source does not say what it did with empty annotations: "count" takes them as an answer of
    their own, so that two of them agree; "drop" leaves them out before pairs are made.
    """
    shares, counted = [], []
    for given in annotations.values():
        sets = [frozenset(map(answer_key, strings)) for strings in given]
        if nulls == "drop":
            sets = [each for each in sets if each]
        pairs = [one == other for one, other in combinations(sets, 2)]
        shares.append(ratio_or_zero(float(sum(pairs)), len(pairs)))
        counted.append(float(bool(pairs)))
    return Evaluation(
        task="nq-annotators",
        ids=list(annotations),
        columns={"agreement": shares, "has_pair": counted},
        figures=[Figure("agreement", ("agreement",), among="has_pair", scale=SCORE)],
        options={"nulls": nulls},
        counts={"n": int(sum(counted))},
    )


def _mean(gold: Sequence[Label], labels: Sequence[Label], beta: int) -> tuple[float, float, float]:
    """Return the shares of labels that are answers, that are right answers, and that are right."""
    right = [is_correct(gold, label, beta=beta) for label in labels]
    answers = [label is not None for label in labels]
    found = sum(one and answer for one, answer in zip(right, answers, strict=True))
    return sum(answers) / len(labels), found / len(labels), sum(right) / len(labels)


def _figures(who: str) -> list[Figure]:
    given, found = f"{who}_prediction", f"{who}_correct"
    return [
        Figure(f"{who}.precision", (found, given), ratio_or_zero, scale=SCORE),
        Figure(f"{who}.recall", (found, "gold"), ratio_or_zero, scale=SCORE),
        Figure(f"{who}.f1", (found, given, "gold"), micro_f1, scale=SCORE, weights=(given, "gold")),
        Figure(f"{who}.accuracy", (f"{who}_accurate",), scale=SCORE),
    ]
