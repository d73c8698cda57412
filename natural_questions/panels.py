"""The paper's tables and figures as panels of the report, from a project's own annotations."""

from collections.abc import Sequence

from django.urls import reverse

from annotation.figures.panel import Cell, Chart, Column, Link, Panel, Value, share_with_interval
from annotation.figures.registry import Request
from evaluation.reports.papers.values import SPLITS, figure_with_interval
from metrics.score import Evaluation
from natural_questions import figures
from natural_questions.annotation import Path
from natural_questions.figures import AnnotatedQuestion
from natural_questions.report import items_of

VERDICTS = {"correct": "Correct", "debatable": "Debatable", "wrong": "Wrong", "": "Not judged"}
NEEDS = "1 annotation"
NEEDS_FIVE = f"a question with {figures.ENOUGH} annotations"
_FIVE = f"Questions with {figures.ENOUGH} annotations or more. "


def read_items(request: Request) -> list[AnnotatedQuestion]:
    """Return the questions that have annotations. No page is read; two statements a chunk."""
    return items_of(request.project, request.filters.split or None)


def decisions(request: Request) -> Panel:
    """Return the ways through the three steps (N7)."""
    return decisions_panel(request.once(read_items))


def kinds(request: Request) -> Panel:
    """Return the kinds of long answers (N8)."""
    return kinds_panel(request.once(read_items))


def shares(request: Request) -> Panel:
    """Return the share of people who gave an answer (N11, N12)."""
    return shares_panel(request.once(read_items))


def popular(request: Request) -> Panel:
    """Return how far the most popular answers go (N13)."""
    return popular_panel(request.once(read_items))


def bound(request: Request) -> Panel:
    """Return the scores of the super-annotator (N18)."""
    return bound_panel(request.once(read_items))


def build_nulls_panel(request: Request) -> Panel:
    """Return how often people gave no short answer where somebody did (A79)."""
    return nulls_panel(request.once(read_items))


def items(request: Request) -> Panel:
    """Return the answers of each question (N14)."""
    return items_panel(request.once(read_items), request.project.slug)


def decisions_panel(rows: Sequence[AnnotatedQuestion]) -> Panel:
    """Return figure 2: each branch with what it branches from."""
    at = figures.count_paths(rows)
    total = at.total()
    short, yes_no, alone = at[Path.SHORT], at[Path.YES_NO], at[Path.LONG_ONLY]
    long = short + yes_no + alone
    branches = (
        ("All annotations", "", total),
        ("Good question", "All annotations", total - at[Path.BAD]),
        ("Bad question", "All annotations", at[Path.BAD]),
        ("Long answer", "Good question", long),
        ("No long answer", "Good question", at[Path.NO_LONG]),
        ("Short answer", "Long answer", short),
        ("Yes or no", "Long answer", yes_no),
        ("No short answer", "Long answer", alone),
    )
    return Panel(
        columns=(
            Column("branch", "Branch"),
            Column("after", "After"),
            Column("annotations", "Annotations", "count"),
            Column("share", "Share of all", "share"),
        ),
        rows=[(name, after, n, share_with_interval(n, total)) for name, after, n in branches]
        if total
        else [],
        n=total,
        counted="annotation",
        definition=(
            "Annotations by how far they came; shares are of all annotations. Files do not tell "
            "bad questions, so those imported without a long answer are under “No long answer”."
        ),
        needs=NEEDS,
        summary=(
            f"{100 * long / total:.0f} % have a long answer, and "
            f"{100 * (short + yes_no) / total:.0f} % a short answer or yes or no."
            if total
            else ""
        ),
        chart=Chart("tree", x="branch", y="share", value="annotations", series="after"),
    )


def kinds_panel(rows: Sequence[AnnotatedQuestion]) -> Panel:
    """Return the kinds of boxes that were chosen as long answers."""
    counts = figures.count_long_answer_kinds(rows)
    total = counts.total()
    names = [key for key in figures.KINDS if key != "o" or counts["o"]]
    return Panel(
        columns=(
            Column("kind", "Kind of box"),
            Column("annotations", "Annotations", "count"),
            Column("share", "Share", "share"),
        ),
        rows=[
            (figures.KINDS[key], counts[key], share_with_interval(counts[key], total))
            for key in (names if total else [])
        ],
        n=total,
        counted="long answer",
        definition="Long answers by the kind of the box: the tag with which it begins.",
        needs="1 long answer",
        summary=(
            f"{100 * counts['p'] / total:.0f} % of the long answers are paragraphs."
            if total
            else ""
        ),
        chart=Chart("bars", x="kind", y="share"),
    )


def shares_panel(rows: Sequence[AnnotatedQuestion]) -> Panel:
    """Return figure 4: how many people gave a long answer, divided by the experts' verdict."""
    asked = [item for item in figures.select_comparable_items(rows) if item.long.answers]
    total = len(asked)
    judged = sum(bool(item.verdict) for item in asked)
    high = sum(item.long.bin == len(figures.BINS) - 1 for item in asked)
    return Panel(
        columns=(
            Column("people", "People with a long answer, %"),
            Column("verdict", "Experts"),
            Column("questions", "Questions", "count"),
            Column("share", "Share of questions", "share"),
        ),
        rows=[
            (figures.BINS[place], VERDICTS[verdict], n, share_with_interval(n, total))
            for place, verdict, n in figures.by_bin(asked, "long")
        ],
        n=total,
        definition=(
            f"{_FIVE}How many of the people of a question gave a long answer (above the first "
            "number, up to the second), and what experts agreed on about an answer to it. "
            "Questions to which no one gave a long answer are left out."
        ),
        needs=NEEDS_FIVE,
        summary=(
            f"More than 80 % of people gave a long answer to {100 * high / total:.0f} % of the "
            f"questions; experts judged {judged:,} of {total:,}."
            if total
            else ""
        ),
        chart=Chart("stacks", x="people", y="share", series="verdict"),
    )


def popular_panel(rows: Sequence[AnnotatedQuestion]) -> Panel:
    """Return how many annotations the most popular answers account for."""
    found = {
        "Long answer": figures.measure_coverage(rows, "long"),
        "Short answer": figures.measure_coverage(rows, "short"),
    }
    long = found["Long answer"]
    return Panel(
        columns=(
            Column("answer", "Answer"),
            Column("questions", "Questions", "count"),
            Column("annotations", "With an answer", "count"),
            Column("top_1", "Most popular", "share"),
            Column("top_2", "Two most popular", "share"),
            Column("top_3", "Three most popular", "share"),
            Column("distinct", "Most different answers", "count"),
        ),
        rows=[
            (name, each.questions, each.answers, *_tops(each), each.distinct)
            for name, each in found.items()
            if each.questions
        ],
        n=long.questions,
        definition=(
            f"{_FIVE}Of the annotations with an answer, the share that is among the most popular "
            "answers of its question. Spans that differ by a token are different answers."
        ),
        needs=NEEDS_FIVE,
        summary=(
            "The most popular long answer of each question accounts for "
            f"{100 * long.top[0] / long.answers:.0f} % of those given."
            if long.answers
            else ""
        ),
    )


def _tops(found: figures.Coverage) -> list[Value]:
    return [share_with_interval(top, found.answers) for top in found.top]


def nulls_panel(rows: Sequence[AnnotatedQuestion]) -> Panel:
    """Return the shares of annotations, and of questions, without a short answer, by split."""
    by_split = {
        split: figures.evaluate_nulls([row for row in rows if row.split == split])
        for split in SPLITS
    }
    found = {split: each for split, each in by_split.items() if each is not None}
    return Panel(
        columns=(
            Column("split", "Split"),
            Column("questions", "Questions", "count"),
            Column("annotations", "Annotations", "count"),
            Column("null", "Without a short answer", "share"),
            Column("most", "Most without one", "share"),
        ),
        rows=[
            (
                split,
                len(each.ids),
                int(sum(each.columns["annotations"])),
                figure_with_interval(each, "score", "null"),
                figure_with_interval(each, "share", "most"),
            )
            for split, each in found.items()
        ],
        n=sum(len(each.ids) for each in found.values()),
        definition=(
            "Questions to which somebody gave a short answer, as NQ-open keeps them: the share of "
            "their annotations without one, and of questions where more than half have none. Yes "
            "and no are no short answers here. NQ-open’s test set has 34.6 and 33.9 %, of five "
            "annotations each."
        ),
        needs="1 short answer",
    )


def bound_panel(rows: Sequence[AnnotatedQuestion]) -> Panel:
    """Return precision, recall and F1 of one and of many annotators together."""
    cells: list[list[Cell]] = []
    alphas = []
    questions = 0
    answers: tuple[figures.Answer, ...] = ("long", "short")
    for name in answers:
        found = figures.evaluate_super_annotator(rows, name)
        if found is None:
            continue
        scores, alpha = found
        questions = scores.counts["n"]
        alphas.append(alpha)
        for who, label in (("super", "Super-annotator"), ("single", "Single annotator")):
            cells.append([name.capitalize(), label, questions, *_scores(scores, who)])
    least = f" It answers where at least {alphas[0]} of the others do." if alphas else ""
    return Panel(
        columns=(
            Column("answer", "Answer"),
            Column("who", "Who"),
            Column("questions", "Questions", "count"),
            Column("precision", "Precision", "score"),
            Column("recall", "Recall", "score"),
            Column("f1", "F1", "score"),
        ),
        rows=cells,
        n=questions,
        definition=(
            f"Questions with more than {figures.ENOUGH} annotations. {figures.ENOUGH} of them, "
            "drawn at random, are the gold; the others together are the super-annotator, which "
            f"gives their most popular answer, and each alone is a single annotator.{least}"
        ),
        needs=f"a question with {figures.ENOUGH + 1} annotations",
    )


def _scores(scores: Evaluation, who: str) -> list[Cell]:
    values = {figure.name: scores.value(figure) for figure in scores.figures}
    return [values[f"{who}.{name}"] for name in ("precision", "recall", "f1")]


def items_panel(rows: Sequence[AnnotatedQuestion], project: str) -> Panel:
    """Return for each question how many gave an answer, and the most popular one (figure 6)."""
    asked = sorted(
        figures.select_comparable_items(rows), key=lambda item: (-item.long.answers, item.pk)
    )
    return Panel(
        columns=(
            Column("question", "Question"),
            Column("split", "Split"),
            Column("long", "Long answer"),
            Column("long_top", "The most popular"),
            Column("short", "Short answer"),
            Column("short_top", "The most popular"),
            Column("verdict", "Experts"),
        ),
        rows=[
            (
                Link(item.question, reverse("question-view", args=[project, item.pk])),
                item.split,
                *(
                    f"{n}/{answer.people}"
                    for answer in (item.long, item.short)
                    for n in (answer.answers, answer.top)
                ),
                VERDICTS[item.verdict],
            )
            for item in asked
        ],
        n=len(asked),
        definition=(
            f"{_FIVE}How many of its people gave an answer, and how many the most popular one: "
            "13/25 and 4/25 mean that 13 of 25 answered, 4 of them the same."
        ),
        needs=NEEDS_FIVE,
    )
