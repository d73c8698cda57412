"""How each person's writing goes, for the team to give feedback (S14). No one is ranked."""

import datetime as dt
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.models import User
from annotation.access.work import can_still_answer
from annotation.contexts.inputs import inputs_of
from annotation.contexts.writer_context import shown_contexts
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question, display_form
from annotation.core.models.work import Assignment
from annotation.feedback.queries import attach_feedback, feedback_messages
from annotation.figures import counts as stored_counts
from annotation.figures.counts import MONITORING
from annotation.generation.models import QAPair
from annotation.long_answers import checks
from annotation.long_answers.models import Knowledge
from annotation.long_answers.response import LongAnswerResponse, Piece
from annotation.monitoring.statements import COUNTED_SUBMISSIONS, COUNTED_WARNINGS
from annotation.people.standing import WORKS, Standing, find_standings
from annotation.stages import registry as stages
from annotation.threads.models import Message
from metrics.asqa import first_present

DAYS = 28
WEEKS = 8
# Figures about texts use this number of the latest ones.
MOST_MEASURED = 400
SHOWN = 10
State = Assignment.State
NO_STANDING = Standing(WORKS, "Works")
"""The standing of a person who came after the worker counted."""


@dataclass
class WriterActivity:
    """One writer with figures on their latest work.

    `week` and `count` are submissions of the last 7 and of the last DAYS days, as are `seconds`
    (the median active time) and the warnings that were `shown` and `kept`. `standing`: where they
    stand in the work now.
    """

    user: User
    standing: Standing = NO_STANDING
    week: int = 0
    count: int = 0
    seconds: float | None = None
    last_at: dt.datetime | None = None
    shown: int = 0
    kept: int = 0
    feedback: Message | None = None

    @property
    def percent_kept(self) -> int | None:
        """The share of warnings that were kept, in percent; None if none was shown."""
        return round(100 * self.kept / self.shown) if self.shown else None


def list_people(project: Project, *, now: dt.datetime) -> list[WriterActivity]:
    """Return everyone who writes here, and who wrote here lately, by name. At most eight queries.

    Lately: those whose role has ended, if they submitted something in the last DAYS days.
    """
    counts, warnings = _stored(project, "counts"), _stored(project, "warnings")
    counts = _counts(project, now) if counts is None else counts
    warnings = _warnings(project, now) if warnings is None else warnings
    writes = Q(role="annotator") | Q(user__in=[row[0] for row in counts])
    members = Membership.objects.filter(writes, project=project).select_related("user")
    users = {row.user_id: row.user for row in members}
    if gone := [user for user, _, lately, *_ in counts if lately and user not in users]:
        users |= User.objects.in_bulk(gone)
    in_order = sorted(users.values(), key=lambda user: (user.name, user.pk))
    found = {user.pk: WriterActivity(user) for user in in_order}
    for pk, standing in _find_standings(project, list(found), now).items():
        found[pk].standing = standing
    for user, week, count, seconds, last_at in counts:
        if user in found:
            person = found[user]
            person.week, person.count, person.seconds = week, count, seconds
            person.last_at = parse_datetime(last_at)
    for user, shown, kept in warnings:
        if user in found:
            found[user].shown, found[user].kept = shown, kept
    until, known = _stored(project, "feedback") or (0, [])
    chosen = Q(pk__in=known) | Q(pk__gt=until, thread__project=project)
    rows = feedback_messages().filter(chosen).select_related("thread__assignment")
    for feedback in rows.order_by("pk"):  # the newest comes last, and stays
        if feedback.thread.assignment.user_id in found:
            found[feedback.thread.assignment.user_id].feedback = feedback
    return list(found.values())


def _find_standings(
    project: Project, users: Sequence[int], now: dt.datetime
) -> dict[int, Standing]:
    stored = _stored(project, "standings")
    if stored is None:
        return find_standings(project, stages.list_writing_stages(project), users)
    return {
        user: Standing(kind, words, since and parse_datetime(since))
        for user, kind, words, since in stored
        if user in set(users)
    }


def _standings(project: Project, now: dt.datetime) -> list[tuple[int, str, str, str | None]]:
    """Return kind, words and since when of everyone who writes or wrote here."""
    writers = Membership.objects.filter(project=project, role="annotator")
    users = {*writers.values_list("user", flat=True), *(row[0] for row in _counts(project, now))}
    found = find_standings(project, stages.list_writing_stages(project), users)
    return [
        (user, each.kind, each.words, each.since.isoformat() if each.since else None)
        for user, each in sorted(found.items())
    ]


def _stored(project: Project, part: str) -> list[Any] | None:
    rows: list[Any] | None = stored_counts.find_stored_part(project, MONITORING, part)
    return rows


def _feedback_until_now(project: Project) -> tuple[int, list[int]]:
    until = Message.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    rows = feedback_messages().filter(thread__project=project)
    newest = rows.order_by("thread__assignment__user", "-pk").distinct("thread__assignment__user")
    return until, list(newest.values_list("pk", flat=True))


def _submitted(project: Project) -> QuerySet[Assignment]:
    writing = stages.list_writing_stages(project)
    return Assignment.objects.filter(project=project, state=State.SUBMITTED, stage__in=writing)


def _counts(project: Project, now: dt.datetime) -> list[tuple[int, int, int, float | None, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            COUNTED_SUBMISSIONS,
            {
                "project": project.pk,
                "stages": stages.list_writing_stages(project),
                "week": now - dt.timedelta(days=7),
                "since": now - dt.timedelta(days=DAYS),
            },
        )
        return list(cursor.fetchall())


def _warnings(project: Project, now: dt.datetime) -> list[tuple[int, int, int]]:
    """Count each warning once per assignment, however often it was shown or kept."""
    with connection.cursor() as cursor:
        cursor.execute(
            COUNTED_WARNINGS,
            {
                "project": project.pk,
                "stages": stages.list_writing_stages(project),
                "since": now - dt.timedelta(days=DAYS),
            },
        )
        return list(cursor.fetchall())


stored_counts.register_part(MONITORING, "counts", _counts)
stored_counts.register_part(MONITORING, "warnings", _warnings)
stored_counts.register_part(MONITORING, "standings", _standings)
stored_counts.register_part(
    MONITORING, "feedback", lambda project, now: _feedback_until_now(project)
)

# --- one person ----------------------------------------------------------------------------------


def find_standing(project: Project, user: User) -> Standing:
    """Return where a person stands in the writing of a project. At most two queries."""
    return find_standings(project, stages.list_writing_stages(project), [user.pk])[user.pk]


def list_latest_submissions(
    project: Project, user: User, *, reader: User, before: int = 0
) -> tuple[list[Assignment], bool]:
    """Return a page of the person's submissions, newest first, and whether there are older ones.

    With their content and the feedback on them. Questions that the reader could still answer are
    left out (A51). `before` is the last id of the previous page. At most ten queries.
    """
    own = Assignment.objects.filter(
        can_still_answer(), task__question=OuterRef("task__question"), user=reader
    )
    rows = _submitted(project).filter(~Exists(own), user=user)
    if before:
        last = rows.filter(pk=before).values_list("submitted_at", flat=True).first()
        if last is None:
            return [], False
        rows = rows.filter(Q(submitted_at__lt=last) | Q(submitted_at=last, pk__lt=before))
    page = list(
        rows.select_related("task__question", "annotation", "long_answer", "submission", "policy")
        .prefetch_related(
            "annotation__pairs__answers__quote__page",
            "annotation__pairs__answers__more_quotes__page",
            "annotation__kept_warnings",
            "long_answer__overrides",
            "long_answer__knowledge__quote__page",
            "long_answer__knowledge__more_quotes__page",
            "submission__quotes__page",
        )
        .order_by("-submitted_at", "-pk")[: SHOWN + 1]
    )
    attach_feedback(page)
    return page[:SHOWN], len(page) > SHOWN


@dataclass
class Week:
    """The work of one week, from Monday. Figures without data are None.

    `length`: words of a long answer, or answers found to a prompt, on average. `present`: the
    share of short answers in the text as STR-EM counts them; `new`: the share of words that are
    in neither inputs nor evidence. Both in percent.
    """

    start: dt.date
    count: int = 0
    seconds: float | None = None
    length: float | None = None
    present: int | None = None
    new: int | None = None


@dataclass
class _Sums:
    seconds: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    present: list[float] = field(default_factory=list)
    new: list[float] = field(default_factory=list)


class _Written(NamedTuple):
    """A long answer and its question by their ids, the text, which inputs its writer got."""

    answer: int
    text: str
    question: int
    inputs: str
    week: _Sums


def list_weeks(project: Project, user: User, *, now: dt.datetime) -> list[Week]:
    """Return up to WEEKS weeks, from the first with work to this one; empty without work. Gold
    items are left out.

    At most four queries, which read one row for each submission of the person.
    """
    today = timezone.localtime(now).date()
    monday = today - dt.timedelta(days=today.weekday())
    starts = [monday - dt.timedelta(weeks=back) for back in range(WEEKS - 1, -1, -1)]
    first = dt.datetime.combine(starts[0], dt.time(), timezone.get_current_timezone())
    pairs = QAPair.objects.filter(annotation=OuterRef("annotation")).order_by()
    rows = (
        _submitted(project)
        .filter(user=user, submitted_at__gte=first, gold=False)
        .annotate(pairs=Subquery(pairs.values("annotation").annotate(n=Count("pk")).values("n")))
        .order_by("-pk")
        .values_list(
            *("submitted_at", "active_seconds", "annotation", "pairs"),
            *("long_answer", "long_answer__text", "long_answer__question", "inputs"),
        )
    )
    sums: dict[dt.date, _Sums] = defaultdict(_Sums)
    measured: list[_Written] = []
    for submitted_at, seconds, annotation, pairs_found, answer, text, question, inputs in rows:
        day = timezone.localtime(submitted_at).date()
        week = sums[day - dt.timedelta(days=day.weekday())]
        week.seconds.append(seconds)
        if annotation is not None:
            week.lengths.append(pairs_found or 0)
        if answer is not None:
            week.lengths.append(len(text.split()))
            measured.append(_Written(answer, text, question, inputs, week))
    _measure(measured[:MOST_MEASURED])
    begun = min(sums, default=None)
    return [_week(start, sums.get(start, _Sums())) for start in starts if begun and start >= begun]


def _measure(written: Sequence[_Written]) -> None:
    """Add to each sum what the texts say themselves.

    In plain values: to make instances of some hundred rows takes as long as to measure them.
    """
    if not written:
        return
    ids = [each.question for each in written]
    questions = Question.objects.filter(pk__in=ids).values_list("pk", "text", "context")
    asked_by_id = {pk: (display_form(text), context) for pk, text, context in questions}
    contexts = shown_contexts(ids)
    pieces: dict[int, list[Piece]] = defaultdict(list)
    knowledge = Knowledge.objects.filter(long_answer__in=[each.answer for each in written])
    for answer, content in knowledge.values_list("long_answer", "content"):
        pieces[answer].append(Piece(content or ""))
    for each in written:
        if each.question not in asked_by_id:
            continue  # deleted in the meantime
        inputs = inputs_of(*asked_by_id[each.question], contexts[each.question])
        if each.inputs != StagePolicy.Inputs.FULL:
            inputs = inputs.question_only()
        present = first_present([row.pair for row in inputs.disambiguations], each.text)
        if present:
            each.week.present.append(sum(which is not None for which in present) / len(present))
        response = LongAnswerResponse(text=each.text, knowledge=tuple(pieces[each.answer]))
        share = checks.supported_share(response, checks.Context(inputs=inputs))
        if share is not None:
            each.week.new.append(1 - share)


def _week(start: dt.date, sums: _Sums) -> Week:
    return Week(
        start=start,
        count=len(sums.seconds),
        seconds=statistics.median(sums.seconds) if sums.seconds else None,
        length=_mean(sums.lengths),
        present=_percent(sums.present),
        new=_percent(sums.new),
    )


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def _percent(values: Iterable[float]) -> int | None:
    found = list(values)
    return round(100 * statistics.fmean(found)) if found else None
