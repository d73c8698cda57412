"""QAMPARI: a set of predicted answers against a list of gold answers with their aliases.

Source: Amouyal et al. (2023), section 4.2, and the scorer released with the data.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from metrics import score, text
from metrics.score import SCORE, Evaluation, Figure, missing_option

F1_ENOUGH = 0.5
RECALL_ENOUGH = 0.8


class QampariAnswer(NamedTuple):
    """A gold answer: its name, and each way of writing it that counts (the name only if listed)."""

    name: str
    aliases: tuple[str, ...]


def score_predictions(
    references: Mapping[str, Sequence[QampariAnswer]], predictions: Mapping[str, Iterable[str]]
) -> Evaluation:
    """Score sets of predicted answers, both mappings keyed on the question's id.

    Per question, over the distinct predicted strings: precision = answers matched / predictions,
    recall = answers matched / answers, F1 their harmonic mean. Each prediction matches at most one
    answer and each answer counts once (see ``find_matching_answer``). No predictions score 0.

    Figures, all means over the questions, from 0 to 1: ``f1``, ``recall``, ``precision``,
    ``f1_above`` (share of questions with F1 of at least 0.5), ``recall_above`` (share with recall
    of at least 0.8). A question without a prediction counts as one with none.

    Raises ``ValueError`` where a question has no gold answer.
    """
    normal = cache(text.normalise_text)
    rows = []
    for name, answers in references.items():
        if not answers:
            raise ValueError(f"{name} has no gold answer")
        given = set(predictions.get(name, ()))
        by_form = _by_form(answers, normal)
        matched = len({by_form[form] for form in map(normal, given) if form in by_form})
        precision = matched / len(given) if given else 0.0
        recall = matched / len(answers)
        f1 = score.f1(precision, recall)
        rows.append((f1, recall, precision, float(f1 >= F1_ENOUGH), float(recall >= RECALL_ENOUGH)))
    names = ("f1", "recall", "precision", "f1_above", "recall_above")
    return Evaluation(
        task="qampari",
        ids=list(references),
        columns=dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        if rows
        else {name: [] for name in names},
        figures=[
            *(Figure(name, (name,), scale=SCORE) for name in ("f1", "precision", "recall")),
            *(
                Figure(name, (name,), options=(("at_least", str(least)),), scale=SCORE)
                for name, least in (("f1_above", F1_ENOUGH), ("recall_above", RECALL_ENOUGH))
            ),
        ],
        options=missing_option(references, predictions),
        counts={"n": len(references)},
    )


def find_matching_answer(answers: Sequence[QampariAnswer], prediction: str) -> str | None:
    """Return the name of the answer that a predicted string matches, or None.

    Strings are equal after ``text.normalise``. Where answers compete the data's scorer decides,
    and this does as it does: an alias spelt the same in two answers belongs to the later one;
    of aliases spelt differently but normalised alike, the one that stands first in the list is
    taken; of answers with the same name only the last one's aliases count.
    """
    return _by_form(answers, text.normalise_text).get(text.normalise_text(prediction))


def _by_form(answers: Sequence[QampariAnswer], normal: Callable[[str], str]) -> dict[str, str]:
    """Return the answer's name for each normalised alias."""
    aliases = {answer.name: answer.aliases for answer in answers}
    owners = {alias: name for name, every in aliases.items() for alias in every}
    found: dict[str, str] = {}
    for alias, name in owners.items():
        found.setdefault(normal(alias), name)
    return found
