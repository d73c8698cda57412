"""QAMPARI's tables of systems as panels, from plain values (Q31, Q32). No row is read here."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from annotation.figures.panel import Cell, Column, Panel, Value
from annotation.sheets.rules import format_count
from evaluation.reports.papers.values import SPLITS, figure_with_interval, keep_filled
from metrics import qampari, retrieval
from metrics.retrieval import TitledPassage
from metrics.score import Evaluation
from qampari.figures import GoldQuestion, by_kind

SCORES: Mapping[str, str] = {
    "recall": "Recall",
    "precision": "Precision",
    "f1": "F1",
    "recall_above": "Recall of at least 0.8",
    "f1_above": "F1 of at least 0.5",
}
RECALLS: Mapping[str, str] = {
    f"{kind}.{depth}": f"{label}@{depth}"
    for kind, label in (("arecall", "ARecall"), ("erecall", "ERecall"))
    for depth in retrieval.DEPTHS
}
_PREDICTED = "1 answer of a system to such a question"
_BETWEEN = re.compile(r"[#\n]")


@dataclass(frozen=True, slots=True)
class SystemPredictions:
    """What a system gave for the questions of a split, by id: answers, and passages."""

    system: str
    split: str
    answers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    passages: Mapping[str, Sequence[TitledPassage]] = field(default_factory=dict)


def parts_of(text: str) -> list[str]:
    """Return the answers in a text: on lines of their own, or with number signs between them."""
    return list(dict.fromkeys(filter(None, map(str.strip, _BETWEEN.split(text)))))


def list_answers(text: str, listed: Sequence[str]) -> Sequence[str]:
    """Return the answers of an output: those it came with as a list, else those in its text."""
    return listed or parts_of(text)


def join_titles(texts: Sequence[str], titles: Sequence[str]) -> list[TitledPassage]:
    """Return the passages of an output; those without a title have an empty one."""
    pairs = zip_longest(texts, titles[: len(texts)], fillvalue="")
    return [TitledPassage(title, text) for text, title in pairs]


def build_retrieval_panel(
    questions: Sequence[GoldQuestion], systems: Sequence[SystemPredictions]
) -> Panel:
    """Return table 3: how many answers, and how much evidence, the first K passages hold."""
    columns, cells = keep_filled(
        (
            Column("system", "System"),
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            *(Column(key.replace(".", "_"), label, "score") for key, label in RECALLS.items()),
        ),
        list(_retrieved_rows(questions, systems)),
    )
    return Panel(
        columns=columns,
        rows=cells,
        n=_most(cells, 2),
        definition=(
            "The share of a question’s answers that the first K passages hold in any form, and of "
            "its evidence passages that are among them, averaged over the questions for which a "
            "system found passages. A passage counts as evidence if it is from a page with the "
            "same title and more than 0.7 of the shorter text is common; where a passage or a "
            "piece of evidence of a question has no title, its texts alone are compared. A K "
            "beyond the stored passages is left out."
        ),
        needs="1 answer of a system that found passages",
    )


def _retrieved_rows(
    questions: Sequence[GoldQuestion], systems: Sequence[SystemPredictions]
) -> Iterator[Sequence[Cell]]:
    for system, golds in _of_split(questions, systems):
        found = sum(bool(system.passages.get(row.id)) for row in golds)
        if not found:
            continue
        result = evaluate_passages(golds, system.passages)
        there = {figure.name for figure in result.figures} if result else set()
        yield [
            *(system.system, system.split, found),
            *(
                figure_with_interval(result, "score", name) if name in there else Value(None, 0)
                for name in RECALLS
            ),
        ]


def evaluate_passages(
    golds: Sequence[GoldQuestion], passages: Mapping[str, Sequence[TitledPassage]]
) -> Evaluation | None:
    """Return the recall of the first passages, over the questions for which there are any (Q28).

    At each depth to which passages of some question go; None where they go to none. Titles are
    compared as the official code does, on questions whose passages and evidence all have one; the
    signatures of evidence recall say whether these are all questions, or some.
    """
    golds = [row for row in golds if passages.get(row.id)]
    kept = max((len(passages[row.id]) for row in golds), default=0)
    depths = [depth for depth in retrieval.DEPTHS if depth <= kept]
    if not depths:
        return None
    titled = {row.id for row in golds if _has_titles(row, passages[row.id])}
    found = {row.id: _keep_titles(passages[row.id], row.id in titled) for row in golds}
    references = {row.id: _reference(row, row.id in titled) for row in golds}
    result = retrieval.score_predictions(references, found, depths=depths)
    if not titled:
        return result
    said = (("titles", "compared" if len(titled) == len(golds) else "some"),)
    return result.with_figures(
        [
            figure._replace(options=said) if figure.name.startswith("erecall") else figure
            for figure in result.figures
        ]
    )


def _has_titles(row: GoldQuestion, passages: Sequence[TitledPassage]) -> bool:
    """Return whether every passage and every piece of evidence has a title."""
    evidence = [passage for group in row.evidence for passage in group]
    return bool(evidence) and all(passage.title for passage in (*passages, *evidence))


def _keep_titles(passages: Sequence[TitledPassage], titled: bool) -> tuple[TitledPassage, ...]:
    return tuple(passages) if titled else tuple(TitledPassage("", row.text) for row in passages)


def _reference(row: GoldQuestion, titled: bool) -> retrieval.Reference:
    return retrieval.Reference(
        answers=tuple((answer.name, *answer.aliases) for answer in row.answers),
        evidence=tuple(_keep_titles(group, titled) for group in row.evidence),
    )


def build_scores_panel(
    questions: Sequence[GoldQuestion], systems: Sequence[SystemPredictions]
) -> Panel:
    """Return tables 4 and 9: the scores of each system on each split."""
    rows: list[Sequence[Cell]] = [
        [system.system, system.split, len(golds), *_scored(golds, system)]
        for system, golds in _of_split(questions, systems)
        if golds and system.answers
    ]
    return Panel(
        columns=(
            Column("system", "System"),
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            *_SCORED,
        ),
        rows=rows,
        n=_most(rows, 2),
        definition=(
            "The distinct answers of a system against the gold answers, any form of which counts; "
            "averages over the questions of a split that are in the release. A question without "
            "an answer of the system counts as 0. The last two are shares of questions."
        ),
        needs=_PREDICTED,
        summary=_best(rows),
    )


def build_kinds_panel(
    questions: Sequence[GoldQuestion], systems: Sequence[SystemPredictions]
) -> Panel:
    """Return table 7: the scores of each system by kind of question."""
    rows: list[Sequence[Cell]] = [
        [system.system, system.split, label, len(some), *_scored(some, system)[:3]]
        for system, golds in _of_split(questions, systems)
        if system.answers
        for label, some in by_kind(golds).items()
    ]
    return Panel(
        columns=(
            Column("system", "System"),
            Column("split", "Split"),
            Column("kind", "Kind"),
            Column("questions", "Questions", "count"),
            *_SCORED[:3],
        ),
        rows=rows,
        n=_most(rows, 3),
        definition="The scores of table 4 by kind of question.",
        needs=_PREDICTED,
        facet="system",
    )


def build_extended_panel(
    questions: Sequence[GoldQuestion], systems: Sequence[SystemPredictions]
) -> Panel:
    """Return table 8: the scores on the extended set without the added answers and with them."""
    of_set = [row for row in questions if row.added is not None]
    rows: list[Sequence[Cell]] = []
    for system, golds in _of_split(of_set, systems):
        if golds and system.answers:
            more = [replace(row, answers=row.answers + (row.added or ())) for row in golds]
            for label, some in (("without", golds), ("with", more)):
                rows.append((system.system, system.split, label, len(some), *_scored(some, system)))
    return Panel(
        columns=(
            Column("system", "System"),
            Column("split", "Split"),
            Column("added", "Added answers"),
            Column("questions", "Questions", "count"),
            *_SCORED,
        ),
        rows=rows,
        n=len(of_set),
        definition=(
            "The scores of table 4 on the questions of the extended set, once without the answers "
            "that people added and once with them."
            + (
                f" On {format_count(helped, 'question')} of it people were shown suggestions of a "
                "model, so some of these answers may be a system’s own."
                if (helped := sum(row.suggested for row in of_set))
                else ""
            )
        ),
        needs="1 question of the extended set that a system has answered",
    )


_SCORED = [Column(key, label, "score") for key, label in SCORES.items()]


def _scored(golds: Sequence[GoldQuestion], system: SystemPredictions) -> list[Value]:
    result = evaluate_answers(golds, system.answers)
    return [figure_with_interval(result, "score", name) for name in SCORES]


def evaluate_answers(
    golds: Sequence[GoldQuestion], answers: Mapping[str, Sequence[str]]
) -> Evaluation:
    """Return the scores of some answers; the name of a gold answer is one of its forms."""
    references = {
        row.id: [answer._replace(aliases=(answer.name, *answer.aliases)) for answer in row.answers]
        for row in golds
    }
    return qampari.score_predictions(references, answers)


def _of_split(
    questions: Sequence[GoldQuestion], systems: Sequence[SystemPredictions]
) -> Iterator[tuple[SystemPredictions, list[GoldQuestion]]]:
    """Give each system with the questions of its split that have answers, in a fixed order."""
    by_split = {
        split: [row for row in questions if row.split == split and row.answers] for split in SPLITS
    }
    for split in SPLITS:
        for system in sorted(systems, key=lambda row: row.system):
            if system.split == split:
                yield system, by_split[split]


def _most(rows: Sequence[Sequence[Cell]], place: int) -> int:
    """Return the largest number of questions in a column."""
    return max((cell for row in rows if isinstance(cell := row[place], int)), default=0)


def _best(rows: Sequence[Sequence[Cell]]) -> str:
    place = 3 + list(SCORES).index("f1")
    ranked = sorted(
        (-cell.value, str(row[0]), str(row[1]))
        for row in rows
        if isinstance(cell := row[place], Value) and cell.value is not None
    )
    if not ranked:
        return ""
    return f"{ranked[0][1]} is best by F1: {-100 * ranked[0][0]:.1f} on {ranked[0][2]}."
