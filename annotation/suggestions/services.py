"""Store what models suggest, and what people do with it."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction

from accounts import prepared_statements
from accounts.models import User
from annotation.access import work as policies
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Denied
from annotation.reading.policies import check_can_log
from annotation.suggestions.models import Suggestion
from annotation.suggestions.statements import STORE_USES
from annotation.suggestions.values import (
    REASONS,
    Fate,
    OfferedSuggestion,
    SuggestedContent,
    clean_suggestion,
)
from wikipedia.models import Quote

# Characters of the passage on either side of an answer, which tell its places on the page apart.
_AROUND = 100


@transaction.atomic
def store_suggestions(
    *,
    question: Question,
    system: str,
    version: str,
    suggestions: Iterable[SuggestedContent],
    now: dt.datetime,
) -> int:
    """Store the suggestions of one version of a system for a question; return how many are new.

    Where that version has some already, nothing is changed, except that verdicts on further answers
    are added. Suggestions without usable text are left out. Raises Denied for a name that cannot be
    stored.
    """
    for text, what in ((system, "name"), (version, "version")):
        if len(text) > 80 or not text.isprintable():
            raise Denied(f"The {what} of a system has 80 printable characters at most.")
    if not system.strip():
        raise Denied("A system needs a name.")
    # Two workers on the same question wait for each other.
    Question.objects.select_for_update(no_key=True).only("pk").get(pk=question.pk)
    mine = Suggestion.objects.filter(question_id=question.pk, system=system, version=version)
    stored = list(mine.values_list("kind", "content"))
    usable = list(dict.fromkeys(filter(None, map(clean_suggestion, suggestions))))
    if stored:
        judged = [tuple(content["answers"]) for kind, content in stored if kind == "verdict"]
        usable = [row for row in usable if row.kind == "verdict" and row.answers not in judged]
    rows = [
        Suggestion(
            question_id=question.pk,
            system=system,
            version=version,
            position=position,
            kind=suggested.kind,
            content=_content_of(suggested),
            created_at=now,
        )
        for position, suggested in enumerate(usable, start=len(stored))
    ]
    return len(Suggestion.objects.bulk_create(rows))


def _content_of(suggested: SuggestedContent) -> dict[str, Any]:
    """Return what is stored as JSON: a box, and what is of a verdict, only where there is one."""
    content = asdict(suggested)
    apart = {"kind"} if suggested.box else {"kind", "box"}
    if suggested.kind != "verdict":
        apart |= {"verdict", "score"}
    return {name: value for name, value in content.items() if name not in apart}


def record_decision(
    *,
    assignment: Assignment,
    suggestion: OfferedSuggestion,
    fate: Fate,
    reason: str,
    by: User,
    now: dt.datetime,
) -> None:
    """Record what a person does with a suggestion that they see; an empty fate undoes it.

    Raises Denied when the assignment is not theirs or the reason is unknown, Conflict when their
    work has ended.
    """
    policies.check_owns(by, assignment)
    check_can_log(assignment)
    if reason and (fate != "dismissed" or reason not in REASONS):
        raise Denied(f"“{reason[:40]}” is not a reason to dismiss a suggestion.")
    _write(assignment, [(suggestion.row, fate, reason)], now)


def record_seen_suggestions(
    *,
    assignment: Assignment,
    seen: Sequence[OfferedSuggestion],
    fates: Mapping[int, Fate],
    by: User,
    now: dt.datetime,
    before: str = "",
) -> bool:
    """Record what was shown and what is used; return whether anything had to be written.

    `fates` are those of the suggestions in use; one that is used no more is undecided again.
    `before` is kept of those that are shown for the first time.
    """
    policies.check_owns(by, assignment)
    changes: list[tuple[int, Fate, str]] = []
    for offer in seen:
        left = "" if offer.fate in ("accepted", "edited") else offer.fate
        fate: Fate = fates.get(offer.pk, left)
        if not offer.shown or fate != offer.fate:
            changes.append((offer.row, fate, offer.reason if fate == "dismissed" else ""))
    if changes:
        _write(assignment, changes, now, before)
    return bool(changes)


def _write(
    assignment: Assignment,
    rows: Sequence[tuple[int, str, str]],
    now: dt.datetime,
    before: str = "",
) -> None:
    prepared_statements.fetch_rows(
        STORE_USES,
        {
            "assignment": assignment.pk,
            "suggestions": [pk for pk, _, _ in rows],
            "fates": [fate for _, fate, _ in rows],
            "reasons": [reason for _, _, reason in rows],
            "before": before,
            "now": now,
        },
    )


def quote_of(
    *, assignment: Assignment, suggestion: OfferedSuggestion, exact: str, by: User, now: dt.datetime
) -> Quote | None:
    """Store words of a suggestion's passage as a quote, None where they cannot be found.

    Only a page that the person has opened can be quoted, as everywhere.
    """
    # They load the reader of articles, and every command imports the stages that call this.
    from annotation.reading import services as reading_services
    from wikipedia.html.page import PageMissing
    from wikipedia.providers.base import ProviderUnavailable

    passage = suggestion.content
    if not (passage.path and exact and exact in passage.text):
        return None
    start = passage.text.index(exact)
    end = start + len(exact)
    try:
        return reading_services.save_quote(
            assignment=assignment,
            path=passage.path,
            exact=exact,
            prefix=passage.text[max(0, start - _AROUND) : start],
            suffix=passage.text[end : end + _AROUND],
            made_by=Quote.MadeBy.SUGGESTION,
            target="new",
            by=by,
            now=now,
        )
    except (reading_services.ReadingRefused, PageMissing, ProviderUnavailable):
        return None
