"""How far each stage has come, what its queue holds, and how much is done each week."""

import datetime as dt

from annotation.exports.rows import fetch_rows
from annotation.figures.panel import Chart, Column, Panel
from annotation.figures.registry import Request
from annotation.progress.queries import StageProgress
from annotation.progress.queries import list_progress as progress_of
from annotation.stages import registry as stages
from evaluation.reports.work.statements import QUEUES, WEEKS_OF_STAGES


def statement_values(request: Request) -> dict[str, object]:
    """Return the project and the filters, as the statements of this report name them."""
    filters = request.filters
    return {
        "project": request.project.pk,
        "split": filters.split or None,
        "since": filters.since,
        "until": filters.until,
    }


def read_stages(request: Request) -> list[StageProgress]:
    """Return the progress of each stage, of the chosen split if there is one."""
    rows = progress_of(request.project, now=request.now)
    return [row for row in rows if request.filters.split in ("", row.split)]


def build_progress_panel(request: Request) -> Panel:
    """Return how far each stage is on each split, and when it ends at the pace of last week."""
    rows = request.once(read_stages)
    today = request.now.astimezone(dt.UTC).date()
    done, total = sum(row.done for row in rows), sum(row.total for row in rows)
    return Panel(
        columns=(
            Column("work", "Work"),
            Column("done", "Done", "count"),
            Column("in_work", "In work", "count"),
            Column("total", "Of", "count"),
            Column("share", "Share", "share"),
            Column("a_day", "A day", "mean"),
            Column("ends", "Ends on"),
            Column("aside", "Set aside", "count"),
        ),
        rows=[
            (
                f"{row.stage}, {row.split}",
                row.done,
                row.in_work,
                row.total,
                row.done / row.total if row.total else None,
                row.a_day,
                _ends(row, today),
                row.aside,
            )
            for row in rows
        ],
        n=total,
        counted="submission",
        definition=(
            "Submissions that the policies ask for. A day: the mean of the last 7 days, at which "
            "the rest ends on the day shown. Set aside: questions that are skipped, excluded or "
            "under review, which no one is sent to."
        ),
        needs="1 question with a stage policy",
        summary=f"{done:,} of {total:,} are done." if total else "",
        chart=Chart("bars", x="work", y="share"),
    )


def _ends(row: StageProgress, today: dt.date) -> str:
    if row.done >= row.total:
        return "done"
    try:
        day = row.ends_on(today)
    except OverflowError:  # in thousands of years
        day = None
    return day.isoformat() if day else "not at this pace"


def build_queue_panel(request: Request) -> Panel:
    """Return what is free, held and left at each stage of each split."""
    rows = [
        (f"{stages.label_of(stage)}, {split}", int(free), *counts)
        for stage, split, *counts, free in fetch_rows(QUEUES, statement_values(request))
    ]
    rows = [row for row in rows if any(row[1:])]
    return Panel(
        columns=(
            Column("work", "Work"),
            Column("free", "Open seats", "count"),
            Column("active", "In work", "count"),
            Column("parked", "Parked", "count"),
            Column("returned", "Returned by the team", "count"),
            Column("expired", "Time ended", "count"),
            Column("released", "Released", "count"),
            Column("skipped", "Skipped", "count"),
        ),
        rows=rows,
        n=sum(row[1] for row in rows),
        counted="open seat",
        definition=(
            "Turns by the state they are in now. Work returned by the team is parked. A turn "
            "whose time ended, or that was released or skipped, gave its seat back."
        ),
        needs="1 open seat, or 1 turn that is in work, parked or given back",
    )


def build_throughput_panel(request: Request) -> Panel:
    """Return submissions by week and stage."""
    rows = fetch_rows(WEEKS_OF_STAGES, statement_values(request))
    total = sum(row[2] for row in rows)
    return Panel(
        columns=(
            Column("week", "Week of"),
            Column("stage", "Stage"),
            Column("submissions", "Submissions", "count"),
            Column("people", "People", "count"),
            Column("seconds", "Median active time", "seconds"),
        ),
        rows=[
            (week.isoformat(), stages.label_of(stage), count, people, seconds)
            for week, stage, count, people, seconds in rows
        ],
        n=total,
        counted="submission",
        definition=(
            "Submissions by the week, from Monday in UTC, in which they were submitted, without "
            "gold items."
        ),
        needs="1 submission",
        chart=Chart("lines", x="week", y="submissions", series="stage"),
    )
