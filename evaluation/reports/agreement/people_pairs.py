"""Who agrees with whom: every pair of people who answered the same questions."""

from collections import defaultdict

from annotation.figures.panel import Chart, Column, Panel, Person
from annotation.figures.registry import Request
from evaluation.reports.agreement.facts import average_groups, compare_everyone, name_measure


def build_pairs_panel(request: Request) -> Panel:
    """Return how close each two people are, both ways round, with the questions they share."""
    values: dict[tuple[int, int], list[float]] = defaultdict(list)
    rows = request.once(compare_everyone)
    for row in rows:
        for one, other, value in row.pairs:
            values[one, other].append(value)
    figures = average_groups(values)
    figures |= {(other, one): figure for (one, other), figure in figures.items()}
    name = name_measure(request)
    return Panel(
        columns=(
            Column("person", "Person"),
            Column("other", "With"),
            Column("value", name, "score"),
        ),
        rows=[(Person(one), Person(other), figures[one, other]) for one, other in sorted(figures)],
        n=len(rows),
        definition=(
            f"Mean {name} of two people over the questions that both answered. Two people can "
            "differ because they had different questions, so a low figure is a reason to read "
            "what they wrote and no verdict."
        ),
        needs="2 people on 1 question",
        summary=f"{len(values):,} pair{'' if len(values) == 1 else 's'} of people share questions.",
        chart=Chart("heatmap", x="person", y="other", value="value"),
    )
