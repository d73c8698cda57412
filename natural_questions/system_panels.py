"""The paper's tables of answers that experts judged, and of systems beside people, as panels."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.urls import reverse

from annotation.figures.panel import Cell, Column, Link, Panel, of_score, share_with_interval
from annotation.figures.registry import Request
from annotation.models import Question, Split
from evaluation.models import Consensus, Output, System
from evaluation.reports.systems import Scored, read_scored_systems
from evaluation.scores.values import RESAMPLES, Details
from metrics.score import Score
from natural_questions import figures
from natural_questions.answer_types import CORRECT, MEASURES, TYPES, name_figure
from natural_questions.figures import AnnotatedQuestion, Answer
from natural_questions.panels import read_items

_ANSWERS: tuple[Answer, ...] = ("long", "short")
_MEASURES = ("precision", "recall", "f1")
_LABELS = {measure: measure for measure in MEASURES} | {"f1": "F1"}
_PEOPLE = {"single": "Single annotator", "super": "Super-annotator"}
_KINDS = {"long": "Long answer", "short": "Short answer", "text": "Answer in words"}


class JudgedAnswers(NamedTuple):
    """What experts agreed on about the answers of one kind of one system: answers by verdict."""

    system: System
    kind: str
    verdicts: Mapping[str, int]


def build_judged_panel(request: Request) -> Panel:
    """Return the precision of answers by experts (N10)."""
    return tabulate_judged(read_judged_answers(request), request.project.slug)


def build_types_panel(request: Request) -> Panel:
    """Return the scores of systems by what questions are answered by (N24)."""
    return tabulate_types(request.once(read_scored_systems))


def build_systems_panel(request: Request) -> Panel:
    """Return the scores of systems beside those of people (N24)."""
    return tabulate_systems(request.once(read_scored_systems), request.once(read_items))


def read_judged_answers(request: Request) -> list[JudgedAnswers]:
    """Return the answers on which experts agreed, by system and kind. Three queries.

    Of an answer that was judged twice the newest consensus counts; null answers are left out, as no
    one can be right about them by one text.
    """
    rows = Consensus.objects.filter(item__study__project=request.project, item__second=None)
    rows = rows.exclude(item__question__state=Question.State.EXCLUDED)
    if request.filters.split:
        rows = rows.filter(item__question__split=request.filters.split)
    names = ("item__first_id", "item__question_id", "verdict")
    newest = {
        (system, question): verdict
        for system, question, verdict in rows.order_by("created_at", "pk").values_list(*names)
    }
    outputs = Output.objects.filter(
        system__in={system for system, _ in newest}, question__in={pk for _, pk in newest}
    )
    counts: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for system, question, details in outputs.values_list("system_id", "question_id", "details"):
        kind = _kind_of(details)
        if kind and (system, question) in newest:
            counts[system, kind][newest[system, question]] += 1
    known = System.objects.in_bulk([system for system, _ in counts])
    found = [JudgedAnswers(known[pk], kind, by) for (pk, kind), by in counts.items()]
    return sorted(found, key=lambda row: (list(_KINDS).index(row.kind), str(row.system)))


def _kind_of(details: Mapping[str, object]) -> str:
    """Return what of an answer judges read: the short one, else the long one; "" for none."""
    spans = Details.from_stored(details).spans
    if spans is None:
        return "text"
    if spans.short or spans.yes_no != "none":
        return "short"
    return "long" if spans.long else ""


def tabulate_judged(rows: Sequence[JudgedAnswers], project: str) -> Panel:
    """Return table 2: correct, debatable and wrong answers, and the precision."""
    lines: list[list[Cell]] = []
    for row in rows:
        n = sum(row.verdicts.values())
        right, debatable = row.verdicts.get("correct", 0), row.verdicts.get("debatable", 0)
        parts = (right, debatable, n - right - debatable, right + debatable)
        address = reverse("system-view", args=[project, row.system.pk])
        lines.append(
            [
                _KINDS[row.kind],
                Link(str(row.system), address),
                n,
                *(share_with_interval(part, n) for part in parts),
            ]
        )
    return Panel(
        columns=(
            Column("answer", "Answer"),
            Column("system", "System"),
            Column("answers", "Answers", "count"),
            Column("correct", "Correct", "share"),
            Column("debatable", "Debatable", "share"),
            Column("wrong", "Wrong", "share"),
            Column("precision", "Precision", "share"),
        ),
        rows=lines,
        n=sum(sum(row.verdicts.values()) for row in rows),
        counted="answer",
        definition=(
            "Answers on which experts agreed, after each had judged alone. The precision is the "
            "share that is correct, debatable ones too. Judges read the short answer where "
            "there is one, else the long one; where there is neither, nothing is counted."
        ),
        needs="an answer on which experts agreed",
    )


def tabulate_systems(rows: Sequence[Scored], items: Sequence[AnnotatedQuestion]) -> Panel:
    """Return table 3: precision, recall and F1, long and short, of systems and of people."""
    lines: list[list[Cell]] = []
    for split in Split.values:
        of_split = [row for row in rows if row.split == split and "long.f1" in row.figures]
        of_split.sort(key=lambda row: (row.figures["long.f1"].value, str(row.system)))
        for row in of_split:
            n = row.figures["long.f1"].n
            lines.append([row.name, split, n, *_scores_of(row.figures)])
        lines += _people([item for item in items if item.split == split], split)
    columns = [
        Column(f"{answer}_{measure}", f"{answer.capitalize()} {label}", "percent")
        for answer in _ANSWERS
        for measure, label in zip(_MEASURES, ("precision", "recall", "F1"), strict=True)
    ]
    return Panel(
        columns=(
            Column("who", "Who"),
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            *columns,
        ),
        rows=lines,
        n=len({name for row in rows for name in row.measured.columns.get("long_gold", {})}),
        definition=(
            "Systems are scored by all accepted annotations of a split, with the threshold on "
            "their scores that has the best F1 there. People are scored by "
            f"{figures.ENOUGH} annotations drawn at random, on questions that have more: one of "
            "the others alone, and all of the others together. So the two are scored by different "
            "annotations."
        ),
        needs="a system that answers with places on pages, and accepted annotations",
    )


def tabulate_types(rows: Sequence[Scored]) -> Panel:
    """Return the scores of each system over the questions of each type of answer."""
    lines: list[list[Cell]] = []
    names = {
        (answer, measure): f"{answer}_{measure}" for measure in MEASURES for answer in _ANSWERS
    }
    for split in Split.values:
        for name, (label, _) in TYPES.items():
            for row in rows:
                figures_of = (name_figure(answer, name, measure) for answer, measure in names)
                cells = [
                    of_score(row.figures[figure]) if figure in row.figures else None
                    for figure in figures_of
                ]
                if row.split == split and any(cells):
                    n = max(cell.n for cell in cells if cell)
                    lines.append([label.capitalize(), row.name, split, n, *cells])
    return Panel(
        columns=(
            Column("type", "Questions"),
            Column("system", "System"),
            Column("split", "Split"),
            Column("questions", "How many", "count"),
            *(
                Column(
                    key,
                    f"{answer.capitalize()} {_LABELS[measure]}",
                    "percent",
                    "Accuracy" if measure == CORRECT else "",
                )
                for (answer, measure), key in names.items()
            ),
        ),
        rows=lines,
        n=len({name for row in rows for name in row.measured.columns.get("long_gold", {})}),
        definition=(
            "The scores of table 3 over some of the questions, with the same threshold. A question "
            "has an answer where at least two people gave one. Short answer or yes or no, and the "
            "kind of box, are what most of these people chose. On questions without an answer only "
            "the accuracy says something: how many were left without one. “With the right long "
            "answer” depends on the system."
        ),
        needs="a system that answers with places on pages, and accepted annotations",
        facet="type",
    )


def _people(items: Sequence[AnnotatedQuestion], split: str) -> list[list[Cell]]:
    """Return a row for a single annotator and one for all together, if there are enough."""
    found = {answer: figures.evaluate_super_annotator(items, answer) for answer in _ANSWERS}
    scores = {
        answer: scored[0].scores(resamples=RESAMPLES) for answer, scored in found.items() if scored
    }
    if len(scores) < len(_ANSWERS):
        return []
    n = scores["long"]["single.f1"].n
    return [
        [
            label,
            split,
            n,
            *(
                of_score(scores[answer][f"{who}.{measure}"], scale=0.01)
                for answer in _ANSWERS
                for measure in _MEASURES
            ),
        ]
        for who, label in _PEOPLE.items()
    ]


def _scores_of(scores: Mapping[str, Score]) -> list[Cell]:
    return [of_score(scores[f"{answer}.{measure}"]) for answer in _ANSWERS for measure in _MEASURES]
