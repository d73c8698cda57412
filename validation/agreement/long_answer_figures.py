"""The figures of accepted long answers, from plain values: no database, no Django.

Sources: Stelmakh et al. 2022, sections 3.3 and 5, Table 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from annotation.figures.memory import recall, recall_rows
from metrics import asqa, sentences
from metrics.score import Evaluation, Figure

SPLITS = ("train", "dev", "test")
# The columns of asqa.score_attributability, in their order.
_SUPPORT = (
    "with_disambiguations",
    "without_disambiguations",
    "support_length",
    "support_length_without_disambiguations",
)
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class WrittenAnswers:
    """An accepted question, with its long answers in the form that the scorer takes.

    ``overrides``: for each long answer, the places of the disambiguations whose short answer its
    writer marked as said in other words. ``prompt``: the question as people read it.
    """

    question: str
    split: str
    scored: asqa.Question
    overrides: Sequence[frozenset[int]] = ()
    prompt: str = ""


def score_writers(rows: Sequence[WrittenAnswers]) -> Evaluation | None:
    """ROUGE-L F1 of each pair of long answers, 0 to 1, mean per question (S40)."""
    shared = {row.question: row.scored for row in rows if len(row.scored.annotations) > 1}
    if not shared:
        return None
    close = compare_writers(
        {name: [text.long_answer for text in scored.annotations] for name, scored in shared.items()}
    )
    columns = {
        name: [values[place] for values in close.values()]
        for place, name in enumerate(("rouge_lsum", "rouge_l"))
    }
    return Evaluation("asqa-agreement", list(close), columns, _means(columns))


def compare_writers(texts: Mapping[Key, Sequence[str]]) -> dict[Key, list[float]]:
    """Return how close the texts of each key are to each other, by ROUGE-Lsum and ROUGE-L.

    0 to 1, the mean over the pairs of texts; each key has two texts or more.
    """

    def compute(keys: list[Key]) -> list[list[float]]:
        questions = {
            str(place): asqa.Question([], [asqa.AsqaAnnotation(text) for text in texts[key]])
            for place, key in enumerate(keys)
        }
        columns = asqa.score_annotator_agreement(questions).columns
        return [
            [lsum / 100, one / 100]
            for lsum, one in zip(columns["rouge_lsum"], columns["rouge_l"], strict=True)
        ]

    cut = sentences.choose_splitter().name
    facts = {key: repr((cut, list(some))).encode() for key, some in texts.items()}
    return recall_rows("rouge", facts, compute)


def measure_long_answers(rows: Sequence[WrittenAnswers]) -> Evaluation | None:
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
            share = _find_short_answers(pairs, annotation.long_answer)
            columns["words"].append(float(len(annotation.long_answer.split())))
            columns["knowledge"].append(float(len(annotation.knowledge)))
            columns["found"].append(share)
            columns["overrides"].append(len(said) / len(pairs) if pairs else 0.0)
    return Evaluation("long-answers", ids, columns, _means(columns)) if ids else None


def score_attributability(rows: Sequence[WrittenAnswers]) -> Evaluation | None:
    """Share of the words of each long answer that are in its support document (S42), 0 to 1."""
    if not any(row.scored.annotations for row in rows):
        return None
    scored = {row.question: row.scored for row in rows}

    def compute(names: list[str]) -> list[list[list[float]]]:
        columns = asqa.score_attributability({name: scored[name] for name in names}).columns
        values = zip(*columns.values(), strict=True)
        return [[list(next(values)) for _ in scored[name].annotations] for name in names]

    facts = {name: repr(question).encode() for name, question in scored.items()}
    found = recall_rows("support", facts, compute)
    measures = [values for question in found.values() for values in question]
    columns = {
        name: [values[place] / (1 if "length" in name else 100) for values in measures]
        for place, name in enumerate(_SUPPORT)
    }
    ids = [f"{name}_{place}" for name, values in found.items() for place in range(len(values))]
    return Evaluation("asqa-attributability", ids, columns, _means(columns))


def count_by_split(rows: Sequence[WrittenAnswers]) -> dict[str, tuple[int, int]]:
    """Return (questions, long answers) of each split (Table 1)."""
    by_split = dict.fromkeys(SPLITS, (0, 0))
    for row in rows:
        questions, answers = by_split[row.split]
        by_split[row.split] = (questions + 1, answers + len(row.scored.annotations))
    return by_split


def _find_short_answers(pairs: Sequence[asqa.AsqaPair], text: str) -> float:
    if not pairs:
        return 0.0
    facts = repr((pairs, text)).encode()
    return recall("short answers", facts, lambda: asqa.str_em(pairs, text) / 100)


def _means(columns: dict[str, list[float]]) -> list[Figure]:
    return [Figure(name, (name,)) for name in columns]
