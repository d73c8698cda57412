"""Parts of every sheet's page: quotes, two drafts compared, what is still to do."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from annotation.sheets.fields import Keep
from annotation.sheets.report import ChecklistItem
from annotation.sheets.rules import Finding
from metrics.edits import EditSpan, list_diff_spans


@dataclass(frozen=True)
class FieldComparison:
    """One field of two drafts, compared."""

    label: str
    spans: list[EditSpan]


@dataclass(frozen=True)
class ConflictShown:
    """The other draft: when it was saved, its version, and the fields that differ."""

    saved_at: dt.datetime | None
    version: int
    rows: list[FieldComparison]


@dataclass(frozen=True)
class QuoteShown:
    """A quote as a form shows it; `url` opens its page at its words."""

    pk: int
    exact: str
    where: str
    url: str


# Returns a person's own quotes among some ids; those of others are ignored.
OwnQuotes = Callable[[Iterable[int]], Mapping[int, QuoteShown]]


def no_quotes(ids: Iterable[int]) -> Mapping[int, QuoteShown]:
    """Return no quotes, as in an exam, where nothing can be quoted."""
    return {}


def compare_drafts(
    mine: Iterable[tuple[str, str]], theirs: Iterable[tuple[str, str]]
) -> list[FieldComparison]:
    """Return the fields in which two drafts differ: ins is only mine, del only theirs."""
    left, right = dict(theirs), dict(mine)
    return [
        FieldComparison(label, list_diff_spans(left.get(label, ""), right.get(label, "")))
        for label in [*right, *(label for label in left if label not in right)]
        if left.get(label, "") != right.get(label, "")
    ]


def list_idle_keeps(keeps: Iterable[Keep], findings: Iterable[Finding]) -> list[Keep]:
    """Return the reasons for warnings that are not shown at the moment."""
    shown = {(finding.rule, finding.field) for finding in findings}
    return [keep for keep in keeps if (keep.rule, keep.field) not in shown]


def link_checklist_items(
    checklist: Iterable[ChecklistItem], anchor: Callable[[str], str]
) -> tuple[ChecklistItem, ...]:
    """Return the lines of "Before you submit", with links to ids of the page."""
    return tuple(
        replace(item, links=tuple((name, anchor(field)) for name, field in item.links))
        for item in checklist
    )
