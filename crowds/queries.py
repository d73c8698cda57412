"""Reads for the pages of crowds, each with a fixed number of statements."""

import datetime as dt
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Count, F, Q, QuerySet, Subquery, Value, When

from accounts.models import User
from annotation.models import Assignment, Project
from crowds.models import Participation, Recruitment
from crowds.platforms import PERSONAL
from crowds.services.participations import list_submitted_work

Status, Review = Participation.Status, Participation.Review
PAGE = 100
# Ended, and not by giving the place back: these wait for a decision.
_ENDED = [Status.COMPLETED, Status.TIMED_OUT, Status.SKIPPED, Status.SCREENED_OUT]
# What the list of participants can show: key, label and the condition.
SHOWN: dict[str, tuple[str, Q]] = {
    "review": ("To review", Q(review="", status__in=_ENDED)),
    "approved": ("Approved", Q(review=Review.APPROVED)),
    "rejected": ("Rejected", Q(review=Review.REJECTED)),
    "working": ("Working", Q(status=Status.WORKING)),
    "all": ("All", Q()),
}


# The participation at work, else the newest.
_NEWEST = F("ended_at").desc(nulls_first=True)


def of_user(user: User) -> Participation | None:
    """Return the person's participation: the one at work, else the newest. One query."""
    rows = Participation.objects.select_related("recruitment__project", "briefing", "user")
    return rows.filter(user=user).order_by(_NEWEST).first()


def find_ended_parts(
    project: Project, users: Collection[int]
) -> dict[int, tuple[str, dt.datetime]]:
    """Return how and when the newest part of each of these people ended. One query."""
    rows = Participation.objects.filter(
        recruitment__project=project, user__in=users, ended_at__isnull=False
    )
    ends = {}
    for user, status, ended_at in rows.order_by("ended_at", "pk").values_list(
        "user", "status", "ended_at"
    ):
        words = "Finished" if status == Status.COMPLETED else Status(status).label
        assert ended_at is not None  # asked for
        ends[user] = (str(words), ended_at)
    return ends


def has_taken(user: User, assignment_id: int) -> bool:
    """Return whether the person took this work since that participation began. One query."""
    rows = Participation.objects.filter(user=user).order_by(_NEWEST)
    began = Subquery(rows.values("consented_at")[:1])
    return Assignment.objects.filter(pk=assignment_id, user=user, started_at__gte=began).exists()


def recruitments_of(project: Project) -> QuerySet[Recruitment]:
    """Return a project's recruitments, newest first, with what their list shows. One query."""
    return project.recruitments.annotate(
        working=Count("participations", filter=Q(participations__status=Status.WORKING)),
        completed=Count("participations", filter=Q(participations__status=Status.COMPLETED)),
        to_review=Count(
            "participations",
            filter=Q(participations__review="", participations__status__in=_ENDED),
        ),
    ).order_by("-pk")


def count_participants(recruitment: Recruitment) -> dict[str, int]:
    """Return how many participants each list would show, and how many ended how. One query."""
    columns = {f"shown_{key}": Count("pk", filter=where) for key, (_, where) in SHOWN.items()}
    columns |= {
        f"is_{status.value}": Count("pk", filter=Q(status=status.value)) for status in Status
    }
    columns["flagged"] = Count("pk", filter=SHOWN["review"][1] & Q(flagged=True))
    return recruitment.participations.aggregate(**columns)


def list_participants(recruitment: Recruitment, shown: str, *, start: int) -> list[Participation]:
    """Return a page of participants and one more, flagged ones first. One query."""
    rows = recruitment.participations.filter(SHOWN[shown][1]).select_related("user")
    page = list(rows.order_by("-flagged", "ended_at", "pk")[start : start + PAGE + 1])
    for row in page:
        row.recruitment = recruitment
    return page


def next_to_review(row: Participation) -> Participation | None:
    """Return who waits for a decision after this one, else the first who does. One query."""
    waiting = row.recruitment.participations.filter(SHOWN["review"][1]).exclude(pk=row.pk)
    later = Q(flagged__lt=row.flagged) | Q(flagged=row.flagged, ended_at__gt=row.ended_at)
    after = Case(When(later, then=0), default=1) if row.ended_at else Value(0)
    return waiting.order_by(after, "-flagged", "ended_at", "pk").first()


def work_of(participation: Participation) -> QuerySet[Assignment]:
    """Return what a participant has submitted, in order."""
    rows = list_submitted_work(participation).select_related("task__question")
    return rows.order_by("submitted_at", "pk")


@dataclass(frozen=True)
class ParticipantProgress:
    """How far a participant is, for the bar above their work."""

    participation: Participation
    done: int

    @property
    def title(self) -> str:
        """What the study is called."""
        return self.participation.recruitment.title

    @property
    def questions(self) -> int:
        """How many questions they are asked for."""
        return self.participation.recruitment.questions

    @property
    def number(self) -> int:
        """Which question they are at, from 1."""
        return min(self.done + 1, self.questions)

    @property
    def minutes_left(self) -> int:
        """About how long the rest takes."""
        left = self.questions - self.done
        about = self.participation.recruitment.about_minutes
        return max(1, round(about * left / self.questions))


def place_of(participation: Participation) -> ParticipantProgress:
    """Return how far a participant is. One query."""
    return ParticipantProgress(participation, list_submitted_work(participation).count())


def list_downloads(recruitment: Recruitment) -> list[tuple[str, str]]:
    """Return the files that can be downloaded, as key and words."""
    platform = "" if recruitment.platform == PERSONAL else f" at {recruitment.source.name}"
    return [
        ("approve", f"Ids to approve{platform}, one on each line"),
        ("bonus", f"Bonuses{platform}: id, amount"),
        ("decisions", "All decisions with reasons, by the platform’s id"),
        ("participants", "What participants said and how they did, by pseudonym"),
    ]


def iterate_ended_participants(recruitment: Recruitment) -> Iterator[Participation]:
    """Yield all participants who have ended, in bounded memory."""
    rows = recruitment.participations.exclude(status=Status.WORKING).order_by("pk")
    for row in rows.select_related("user", "briefing", "reviewed_by").iterator(500):
        row.recruitment = recruitment
        yield row


def form_labels(recruitment: Recruitment) -> list[str]:
    """Return the wordings of all versions of the form, in their order."""
    labels: dict[str, Any] = {}
    for briefing in recruitment.project.briefings.order_by("version"):
        labels |= dict.fromkeys(asked.label for asked in briefing.asked)
    return list(labels)
