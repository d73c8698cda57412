"""AmbigQA's tables 7 and 8: the answers that come with NQ-open's questions, and scores by them.

Table 8 (A79, A85) has exact match with any and with the first of these answers; table 7 (A97)
what systems that saw nothing but NQ-open find of AmbigQA's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.figures.panel import Cell, Column, Panel, of_score, share_with_interval
from annotation.figures.registry import Request
from annotation.models import Question
from evaluation.reports.papers import reading
from evaluation.reports.papers.values import SPLITS, average_with_interval, figure_with_interval
from evaluation.reports.systems import Scored, read_scored_systems
from evaluation.systems.models import Output, System
from metrics import nq_open
from metrics.score import Evaluation

_NEEDS = "1 question that was imported with answers"
TRAINED = "trained"
References = Mapping[str, Mapping[str, Sequence[str]]]
"""The known answers of questions by split and id."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The short answers of a system to the questions of a split, by id, the best first."""

    system: str
    split: str
    by_question: Mapping[str, Sequence[str]]


def build_references_panel(request: Request) -> Panel:
    """Return how many different answers the questions come with."""
    return tabulate_references(request.once(_references))


def build_nq_open_panel(request: Request) -> Panel:
    """Return the exact match of systems with any of these answers, and with the first."""
    return tabulate_systems(request.once(_references), request.once(_answers))


def build_zero_shot_panel(request: Request) -> Panel:
    """Return table 7."""
    known, answers = request.once(_references), request.once(_answers)
    return tabulate_zero_shot(known, answers, request.once(read_scored_systems))


def _references(request: Request) -> dict[str, dict[str, list[str]]]:
    questions = Question.objects.filter(project=request.project).exclude(known_answers=[])
    if split := reading.chosen_split(request):
        questions = questions.filter(split=split)
    known: dict[str, dict[str, list[str]]] = {}
    rows = questions.order_by("pk").values_list("split", "external_id", "known_answers")
    for part, name, answers in rows.iterator():
        known.setdefault(part, {})[name] = answers
    return {split: known[split] for split in SPLITS if split in known}


def _answers(request: Request) -> list[Answers]:
    outputs = Output.objects.filter(system__project=request.project, details__has_key="answers")
    if split := reading.chosen_split(request):
        outputs = outputs.filter(question__split=split)
    # Not all details: a baseline can have found hundreds of passages.
    names = ("system__name", "system__version", "question__split", "question__external_id")
    rows = outputs.order_by("system_id", "question_id").values_list(*names, "details__answers")
    by_system: dict[tuple[str, str], dict[str, Sequence[str]]] = {}
    for name, version, part, key, answers in rows.iterator():
        system = str(System(name=name, version=version))
        by_system.setdefault((system, part), {})[key] = tuple(answers)
    return [Answers(system, part, texts) for (system, part), texts in sorted(by_system.items())]


def tabulate_references(known: References) -> Panel:
    """Return the table of references: a row for each split."""
    rows: list[list[Cell]] = []
    for split, by_question in known.items():
        distinct = [
            len({nq_open.normalise_answer(text) for text in texts})
            for texts in by_question.values()
        ]
        several = share_with_interval(sum(number > 1 for number in distinct), len(distinct))
        rows.append(
            [
                split,
                len(distinct),
                average_with_interval([float(n) for n in distinct], "mean"),
                several,
            ]
        )
    return Panel(
        columns=(
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            Column("references", "Different answers", "mean"),
            Column("several", "Several answers", "share"),
        ),
        rows=rows,
        n=sum(map(len, known.values())),
        definition=(
            "The answers with which questions were imported, such as NQ-open’s; two that differ "
            "only in case, punctuation or articles are one. AmbigQA has 1.2 on dev, 1.8 on test."
        ),
        needs=_NEEDS,
    )


def tabulate_systems(known: References, answers: Sequence[Answers]) -> Panel:
    """Return the table of scores: a row for each system and split that has both."""
    rows: list[list[Cell]] = []
    counted = 0
    for row in answers:
        result = _match(known, row)
        if result is None:
            continue
        counted = max(counted, len(result.ids))
        scores = [figure_with_interval(result, "share", figure.name) for figure in result.figures]
        rows.append([row.system, row.split, len(result.ids), *scores])
    return Panel(
        columns=(
            Column("system", "System"),
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            Column("any", "Any answer", "share"),
            Column("first", "First answer", "share"),
        ),
        rows=rows,
        n=counted,
        definition=(
            "Exact match of a system’s first short answer with any of the answers with which a "
            "question was imported, and with the first of them."
        ),
        needs="1 short answer of a system to such a question",
    )


def _match(known: References, row: Answers) -> Evaluation | None:
    """Return the exact match of a system’s answers; None where it answered none that is known."""
    golds = known.get(row.split, {})
    shared = {name: texts for name, texts in row.by_question.items() if name in golds}
    if not shared:
        return None
    return nq_open.score_predictions({name: golds[name] for name in shared}, shared)


def is_zero_shot(options: Mapping[str, Any]) -> bool:
    """Return whether a system says of itself that it was trained on NQ-open, and on nothing else
    that would tell it that questions have several answers.
    """
    return str(options.get(TRAINED, "")).strip().lower() == "nq-open"


def tabulate_zero_shot(
    known: References, answers: Sequence[Answers], scored: Sequence[Scored]
) -> Panel:
    """Return table 7: a row for each system that was trained on NQ-open alone, split by split."""
    by_place = {(row.system, row.split): row for row in answers}
    rows: list[list[Cell]] = []
    counted = 0
    for row in scored:
        if not is_zero_shot(row.system.options) or "f1_answer" not in row.figures:
            continue
        given = by_place.get((str(row.system), row.split))
        matched = _match(known, given) if given else None
        counted = max(counted, row.figures["f1_answer"].n)
        rows.append(
            [
                row.name,
                row.split,
                # The first of its figures counts any known answer.
                figure_with_interval(matched, "share", matched.figures[0].name)
                if matched
                else None,
                *(
                    of_score(row.figures[name], scale=100) if name in row.figures else None
                    for name in ("f1_answer", "f1_answer.multi")
                ),
            ]
        )
    return Panel(
        columns=(
            Column("system", "System"),
            Column("split", "Split"),
            Column("any", "Exact match", "share"),
            Column("f1_answer", "F1-answer (all)", "score"),
            Column("f1_answer.multi", "F1-answer (multi)", "score"),
        ),
        rows=rows,
        n=counted,
        definition=(
            "Systems whose settings say that they were trained on NQ-open alone (“trained”: "
            "“NQ-open”), and that give several answers by a threshold: exact match of their first "
            "answer with any of those that a question was imported with, and F1-answer of all "
            "their answers with the accepted ones. The paper’s have up to 42.0, 36.4 and 26.5 on "
            "dev."
        ),
        needs="1 system that says so, with short answers",
    )
