"""AmbigQA's table 3: systems by the scores of their answers and of their questions (A95)."""

from collections.abc import Sequence

from annotation.figures.panel import Cell, Column, Panel, Value, of_score
from annotation.figures.registry import Request
from annotation.models import Split
from evaluation.reports.papers.values import keep_filled
from evaluation.reports.systems import Scored, read_scored_systems

SCORES = {
    "f1_answer": "F1-answer (all)",
    "f1_answer.multi": "F1-answer (multi)",
    "f1_bleu4": "F1-BLEU",
    "f1_edit": "F1-EDIT",
    "precision_answer.multi": "Precision (multi)",
    "recall_answer.multi": "Recall (multi)",
}


def build_scores_panel(request: Request) -> Panel:
    """Return table 3."""
    return tabulate_scores(request.once(read_scored_systems))


def tabulate_scores(rows: Sequence[Scored]) -> Panel:
    """Return a row for each system that gave short answers, split by split, the best first."""
    scored = [row for row in rows if "f1_answer" in row.figures]
    scored.sort(
        key=lambda row: (
            Split.values.index(row.split),
            -row.figures["f1_answer"].value,
            str(row.system),
        )
    )
    columns, cells = keep_filled(
        (
            Column("system", "System"),
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            *(Column(name, label, "percent") for name, label in SCORES.items()),
        ),
        map(list_cells, scored),
    )
    return Panel(
        columns=columns,
        rows=cells,
        n=max((row.figures["f1_answer"].n for row in scored), default=0),
        definition=(
            "As AmbigQA’s script scores them. “All” is every question that a system answered and "
            "that has accepted answers; “multi” those that no accepted annotation holds to have a "
            "single answer. F1-BLEU (BLEU-4) and F1-EDIT are over “multi”, and need a question "
            "for each answer. The paper’s best system has precision 49.6 and recall 25.3."
        ),
        needs="1 short answer of a system to a question with accepted answers",
        summary=_summary(scored),
    )


def list_cells(row: Scored) -> list[Cell]:
    """Return the system, its split, how many questions were scored, and the scores."""
    values = (
        of_score(row.figures[name]) if name in row.figures else Value(None, 0) for name in SCORES
    )
    return [row.name, row.split, row.figures["f1_answer"].n, *values]


def _summary(rows: Sequence[Scored]) -> str:
    """Return which system finds most of several answers, on each split that has two systems."""
    sentences = []
    for split in Split.values:
        ranked = sorted(
            (-row.figures["f1_answer.multi"].value, str(row.system))
            for row in rows
            if row.split == split and "f1_answer.multi" in row.figures
        )
        if len(ranked) > 1:
            value, name = ranked[0]
            sentences.append(f"On {split}, {name} is best where there are several: {-value:.1f}.")
    return " ".join(sentences)
