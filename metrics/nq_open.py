"""NQ-open: exact match of one answer string with the gold answers of a question.

Source: the task of Lee et al. (2019) and its scorer; the "first" figure is AmbigQA's (Min et al.
2020, appendix B, table 8), which asks whether a prediction equals the first gold answer only.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Literal

from metrics.score import SCORE, Evaluation, Figure, missing_option
from metrics.text import normalise_text

Several = Literal["first", "any"]


def normalise_answer(text: str) -> str:
    """Return the form in which NQ-open compares: decomposed (NFD), then ``text.normalise``.

    Decomposing keeps accents, as marks of their own: "Jose" and "José" still differ, while the two
    ways of writing "é" do not.
    """
    return normalise_text(text if text.isascii() else unicodedata.normalize("NFD", text))


def score_predictions(
    references: Mapping[str, Sequence[str]],
    predictions: Mapping[str, Sequence[str]],
    *,
    several: Several = "first",
) -> Evaluation:
    """Score predictions against gold answers, both keyed on the text of the question.

    ``accuracy`` is the share of questions whose prediction equals any gold answer, after
    ``normalise_answer``; ``accuracy_first`` counts the first gold answer only. A question without
    a prediction, or with an empty list, is wrong. Where a prediction has several answers, best
    first, ``several`` says whether the first alone counts or any of them.

    Counts: ``correct`` (against any gold answer), ``n``, ``missing`` (questions without a
    prediction). Columns of 0 and 1 per question: ``correct``, ``correct_first``.

    Raises ``ValueError`` where a question has no gold answer.
    """
    right, right_first = [], []
    for question, gold in references.items():
        if not gold:
            raise ValueError(f"{question!r} has no gold answer")
        answers = predictions.get(question, ())
        given = {
            normalise_answer(answer) for answer in (answers if several == "any" else answers[:1])
        }
        right.append(float(any(normalise_answer(answer) in given for answer in gold)))
        right_first.append(float(normalise_answer(gold[0]) in given))
    return Evaluation(
        task="nq-open",
        ids=list(references),
        columns={"correct": right, "correct_first": right_first},
        figures=[
            Figure("accuracy", ("correct",), options=(("gold", "any"),), scale=SCORE),
            Figure("accuracy_first", ("correct_first",), options=(("gold", "first"),), scale=SCORE),
        ],
        options={"predictions": several} | missing_option(references, predictions),
        counts={
            "correct": int(sum(right)),
            "n": len(references),
            "missing": sum(question not in predictions for question in references),
        },
    )
