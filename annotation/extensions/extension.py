"""One object for what an app adds to the rooms of annotation."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from annotation.extensions.parts import (
    Citation,
    Demand,
    EndedParts,
    Follower,
    Forget,
    HomePanel,
    JobDone,
    JobKind,
    LogEntries,
    Outcomes,
    ProjectPanel,
    ResultNews,
    RowPanel,
    SetUpCopy,
    SubmissionHook,
    Tab,
    TaskRule,
    Terms,
    TurnColumn,
    Usage,
)

if TYPE_CHECKING:
    from annotation.figures.registry import Report, ReportPanels


@dataclass(frozen=True, kw_only=True)
class Extension:
    """What an app, or a room of it, adds. Every part is in the order in which it is used."""

    key: str
    jobs: tuple[JobKind, ...] = ()
    job_done: tuple[JobDone, ...] = ()
    tabs: tuple[Tab, ...] = ()
    panels: tuple[ProjectPanel, ...] = ()
    row_panels: tuple[RowPanel, ...] = ()
    home_panels: tuple[HomePanel, ...] = ()
    reports: "tuple[Report, ...]" = ()
    report_panels: "tuple[ReportPanels, ...]" = ()
    log: tuple[LogEntries, ...] = ()
    task_rules: tuple[TaskRule, ...] = ()
    demands: tuple[Demand, ...] = ()
    terms: tuple[Terms, ...] = ()
    submitted: tuple[SubmissionHook, ...] = ()
    followers: tuple[Follower, ...] = ()
    outcomes: tuple[Outcomes, ...] = ()
    news: tuple[ResultNews, ...] = ()
    forget: tuple[Forget, ...] = ()
    citations: tuple[Citation, ...] = ()
    usages: tuple[Usage, ...] = ()
    ends: tuple[EndedParts, ...] = ()
    set_up_copies: tuple[SetUpCopy, ...] = ()
    turn_columns: tuple[TurnColumn, ...] = ()


PARTS = tuple(field.name for field in fields(Extension) if field.name != "key")


def combine_extensions(key: str, extensions: Iterable[Extension]) -> Extension:
    """Return one extension with the parts of several: in their order, or that of their places."""
    several = list(extensions)
    parts = {part: tuple(x for one in several for x in getattr(one, part)) for part in PARTS}
    together = Extension(key=key, **parts)
    return replace(
        together,
        tabs=tuple(sorted(together.tabs, key=lambda tab: tab.place)),
        followers=tuple(sorted(together.followers, key=lambda follower: follower.place)),
    )


def check_names(extension: Extension) -> None:
    """Raise ValueError where two parts of an extension have the same name."""
    names = [f"job {kind.key}" for kind in extension.jobs]
    names += [f"tab {tab.key}" for tab in extension.tabs]
    names += [f"place of tab {tab.place}" for tab in extension.tabs]
    names += [f"place of follower {follower.place}" for follower in extension.followers]
    names += [f"report {report.key}" for report in extension.reports]
    for entries in extension.log:
        names += [f"sentence {action} of the log" for action in entries.sentences]
        names += [f"target {kind} of the log" for kind in entries.targets or ()]
        names += [f"page of {name} in the log" for name in entries.pages or ()]
        names += [f"page of one {kind} in the log" for kind in entries.numbered or ()]
    if twice := [name for name, number in Counter(names).items() if number > 1]:
        raise ValueError(f"{extension.key} names twice: {', '.join(twice)}.")
