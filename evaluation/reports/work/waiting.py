"""Claims, concerns and questions to the team, and what waits for somebody now."""

import datetime as dt
from collections import Counter

from annotation.exports.rows import fetch_rows
from annotation.figures.panel import Column, Link, Panel, share_with_interval
from annotation.figures.registry import Request
from annotation.home import staff_queries as staff_home
from annotation.models import Concern, Thread
from evaluation.reports.work.progress import statement_values
from evaluation.reports.work.statements import CONCERNS, THREADS

_KINDS = {**{str(kind.value): str(kind.label) for kind in Thread.Kind}, "concern": "Concern"}
_STATES = {
    **{str(state.value): str(state.label) for state in Thread.State},
    **{f"concern {state.value}": str(state.label) for state in Concern.State},
}


def build_matters_panel(request: Request) -> Panel:
    """Return claims, questions to the team and concerns by how they ended."""
    found = fetch_rows(THREADS, statement_values(request)) + fetch_rows(
        CONCERNS, statement_values(request)
    )
    totals: Counter[str] = Counter()
    for kind, _, number, _ in found:
        totals[kind] += number
    kinds, states = list(_KINDS), list(_STATES)
    rows = sorted(
        (kinds.index(kind), states.index(_state(kind, state)), kind, number, seconds)
        for kind, state, number, seconds in found
    )
    return Panel(
        columns=(
            Column("kind", "Kind"),
            Column("state", "State"),
            Column("number", "Number", "count"),
            Column("share", "Share", "share"),
            Column("seconds", "Median time until closed", "seconds"),
        ),
        rows=[
            (
                _KINDS[kind],
                _STATES[states[place]],
                number,
                share_with_interval(number, totals[kind]),
                seconds,
            )
            for _, place, kind, number, seconds in rows
        ],
        n=sum(totals.values()),
        counted="item",
        definition=(
            "Questions to the team, and claims and concerns where the project has them, by the day "
            "on which they were raised. Shares are of the same kind."
        ),
        needs="something that was raised with the team",
    )


def _summary(waiting: int, late: int) -> str:
    if not waiting:
        return "Nothing is waiting for anyone."
    items = "1 item" if waiting == 1 else f"{waiting:,} items"
    return f"{items}, {f'{late:,}' if late else 'none'} waiting longer than a day."


def _state(kind: str, state: str) -> str:
    return f"concern {state}" if kind == "concern" else state


def build_waiting_panel(request: Request) -> Panel:
    """Return what waits for the team or for people to be invited, late things first."""
    project = request.project
    rows = staff_home.list_waiting_work([project], failed=[], blind={project.pk}, now=request.now)
    late = sum(row.late for row in rows)
    return Panel(
        columns=(
            Column("what", "What"),
            Column("since", "Since"),
            Column("wait", "For", "seconds"),
            Column("late", "Longer than a day"),
        ),
        rows=[
            (
                Link(row.title, row.url),
                row.since.astimezone(dt.UTC).date().isoformat() if row.since else "",
                (request.now - row.since).total_seconds() if row.since else None,
                "yes" if row.late else "no",
            )
            for row in rows
        ],
        n=len(rows),
        counted="item",
        definition=(
            "Questions that no one may take, what was raised with the team, qualifications to "
            "review, returned work, people who are paused or have no work; from the oldest of "
            "each. As of when the figures were computed."
        ),
        summary=_summary(len(rows), late),
    )
