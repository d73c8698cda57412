"""The figures of accepted long answers, from plain values: no database, no Django.

Sources: Stelmakh et al. 2022, sections 3.3 and 5, Table 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from metrics import asqa
from metrics.score import Evaluation, Figure

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class Written:
    """An accepted question, with its long answers in the form that the scorer takes.

    ``overrides``: for each long answer, the places of the disambiguations whose short answer its
    writer marked as said in other words. ``prompt``: the question as people read it.
    """

    question: str
    split: str
    scored: asqa.Question
    overrides: Sequence[frozenset[int]] = ()
    prompt: str = ""


def between_writers(rows: Sequence[Written]) -> Evaluation | None:
    """ROUGE-L F1 of each pair of long answers, 0 to 1, mean per question (S40)."""
    shared = {row.question: row.scored for row in rows if len(row.scored.annotations) > 1}
    if not shared:
        return None
    evaluation = asqa.score_annotator_agreement(shared)
    columns = {
        name: [value / 100 for value in values] for name, values in evaluation.columns.items()
    }
    return Evaluation(
        evaluation.task, evaluation.ids, columns, evaluation.figures, evaluation.options
    )


def long_answers(rows: Sequence[Written]) -> Evaluation | None:
    """Words, pieces of knowledge (S42) and short answers found, for each long answer.

    ``found`` is the share of disambiguations with a short answer in the text, as STR-EM counts
    them; ``overrides`` the share that its writer marked as said in other words.
    """
    ids: list[str] = []
    columns: dict[str, list[float]] = {
        name: [] for name in ("words", "knowledge", "found", "overrides")
    }
    for row in rows:
        for place, annotation in enumerate(row.scored.annotations):
            ids.append(f"{row.question}_{place}")
            said = row.overrides[place] if place < len(row.overrides) else frozenset()
            pairs = row.scored.pairs
            share = asqa.str_em(pairs, annotation.long_answer) / 100 if pairs else 0.0
            columns["words"].append(float(len(annotation.long_answer.split())))
            columns["knowledge"].append(float(len(annotation.knowledge)))
            columns["found"].append(share)
            columns["overrides"].append(len(said) / len(pairs) if pairs else 0.0)
    return Evaluation("long-answers", ids, columns, _means(columns)) if ids else None


def attributability(rows: Sequence[Written]) -> Evaluation | None:
    """Share of the words of each long answer that are in its support document (S42), 0 to 1."""
    if not any(row.scored.annotations for row in rows):
        return None
    evaluation = asqa.score_attributability({row.question: row.scored for row in rows})
    columns = {
        name: [value / (1 if "length" in name else 100) for value in values]
        for name, values in evaluation.columns.items()
    }
    return Evaluation(evaluation.task, evaluation.ids, columns, evaluation.figures)


def counts(rows: Sequence[Written]) -> dict[str, tuple[int, int]]:
    """Return (questions, long answers) of each split (Table 1)."""
    by_split = dict.fromkeys(SPLITS, (0, 0))
    for row in rows:
        questions, answers = by_split[row.split]
        by_split[row.split] = (questions + 1, answers + len(row.scored.annotations))
    return by_split


def _means(columns: dict[str, list[float]]) -> list[Figure]:
    return [Figure(name, (name,)) for name in columns]
