"""AmbigNQ's figures 2a and 2b: pages and searches for a question (A72, A73)."""

from collections import Counter
from collections.abc import Sequence

from annotation.figures.panel import Cell, Chart, Column, Panel, share_with_interval
from annotation.figures.registry import Request
from annotation.reading.effort import Effort
from evaluation.reports.papers import reading

MOST = 10  # and more: the last bar
FROM_SEARCH, ALL = "From search", "All"


def build_pages_panel(request: Request) -> Panel:
    """Return figure 2a, in both ways of counting."""
    return tabulate_pages(request.once(reading.read_effort))


def build_queries_panel(request: Request) -> Panel:
    """Return figure 2b."""
    return tabulate_queries(request.once(reading.read_effort))


def tabulate_pages(rows: Sequence[Effort]) -> Panel:
    """Return how many pages were opened for a question: as AmbigNQ counted them, and all."""
    counts = {
        FROM_SEARCH: [row.from_search for row in rows],
        ALL: [row.pages for row in rows if row.pages is not None],
    }
    return Panel(
        columns=(
            Column("pages", "Pages"),
            Column("counted", "Counted"),
            Column("questions", "Questions", "count"),
            Column("share", "Share", "share"),
        ),
        rows=[
            [size, label, *cells]
            for label, values in counts.items()
            for size, *cells in _histogram(values)
        ],
        n=len(rows),
        definition=(
            "Different pages that all people who answered a question opened together. AmbigNQ "
            "could count only those opened from search results, so its figure is too low. "
            "Questions imported with what was read count there only."
        ),
        needs="1 question that somebody answered",
        summary=_summary({name: values for name, values in counts.items() if values}, "pages"),
        chart=Chart("histogram", x="pages", y="share", series="counted"),
    )


def tabulate_queries(rows: Sequence[Effort]) -> Panel:
    """Return how many different queries were written for a question."""
    values = [row.queries for row in rows]
    return Panel(
        columns=(
            Column("queries", "Searches"),
            Column("questions", "Questions", "count"),
            Column("share", "Share", "share"),
        ),
        rows=_histogram(values),
        n=len(rows),
        definition=(
            "Different searches that all people who answered a question wrote, without case. "
            "Looking at more results of the same search does not count."
        ),
        needs="1 question that somebody answered",
        summary=_summary({"Searches": values} if values else {}, "searches"),
        chart=Chart("histogram", x="queries", y="share"),
    )


def _histogram(values: Sequence[int]) -> list[list[Cell]]:
    """Return a row for each number up to the largest, the last for MOST and more."""
    counts = Counter(min(value, MOST) for value in values)
    labels = [*map(str, range(MOST)), f"{MOST} or more"]
    return [
        [labels[size], counts[size], share_with_interval(counts[size], len(values))]
        for size in range(max(counts, default=-1) + 1)
    ]


def _summary(counts: dict[str, list[int]], what: str) -> str:
    means = [(name, sum(values) / len(values)) for name, values in counts.items()]
    if len(means) > 1:
        parts = [f"{mean:.1f} ({name.lower()})" for name, mean in means]
        return f"A question took {' or '.join(parts)} {what} on average."
    return "".join(f"A question took {mean:.1f} {what} on average." for _, mean in means)
