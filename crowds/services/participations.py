"""A participant's way through a study: consent, form, instructions, questions, checks, code."""

import datetime as dt
import statistics
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from accounts.models import User
from accounts.services import create_participant
from annotation.core import audit
from annotation.core.refusals import Conflict, Denied
from annotation.golds import services as golds_services
from annotation.models import Assignment, Membership, Project
from annotation.stages import registry as stages
from annotation.work.assignments import take_next
from annotation.work.leases import end_turns
from crowds import codes
from crowds.models import Participation, Recruitment
from crowds.platforms import Arrival
from crowds.policies import participations as policy

Status = Participation.Status
LONGEST_COMMENT = 5_000
AT_ONCE = 200


def find_participation(recruitment: Recruitment, arrival: Arrival) -> Participation | None:
    """Return the participation of the id that has arrived, if there is one.

    Whether whoever comes with it may go on is another question: policy.is_them.
    """
    if not arrival.external_id:
        return None
    theirs = Q(external_id=arrival.external_id) | Q(
        id_hash=recruitment.hash_of(arrival.external_id)
    )
    row = recruitment.participations.filter(theirs).first()
    if row is not None:
        row.recruitment = recruitment
    return row


@transaction.atomic
def start_participation(
    *, recruitment: Recruitment, arrival: Arrival, now: dt.datetime
) -> Participation:
    """Give whoever has consented a place, an account and the role; their own if they have one.

    Raises Conflict or LinkEnded when the recruitment takes no one, Denied for another session and
    for whoever has taken part and was erased.
    """
    # Two who arrive at the same moment wait here, so that there are not more of them than places.
    project = Project.objects.select_for_update(no_key=True).get(pk=recruitment.project_id)
    recruitment = Recruitment.objects.get(pk=recruitment.pk)
    recruitment.project = project
    policy.check_arrived_from_study(recruitment, arrival)
    if (earlier := find_participation(recruitment, arrival)) is not None:
        policy.check_is_them(earlier, arrival)
        return earlier
    policy.check_is_open(recruitment, now)
    policy.check_has_room(recruitment)
    briefing = project.briefings.order_by("-version")[0]
    user = _account(recruitment, arrival)
    participation = Participation.objects.create(
        recruitment=recruitment,
        user=user,
        briefing=briefing,
        external_id=arrival.external_id,
        session=arrival.session,
        consented_at=now,
        deadline=now + dt.timedelta(minutes=recruitment.minutes),
        answered_at=None if briefing.asked else now,
        next_check=recruitment.check_due(0),
        skip_limit=recruitment.skip_limit,
    )
    Membership.objects.get_or_create(
        user=user, project=project, role=_role(recruitment), defaults={"created_at": now}
    )
    _record("participation_started", participation, now=now, version=briefing.version)
    return participation


def _account(recruitment: Recruitment, arrival: Arrival) -> User:
    """Return the account that this person has in the project, or a new one.

    People keep one within a project, so that no question comes to them twice; no account leads
    from one project to another.
    """
    earlier = Participation.objects.filter(
        recruitment__project=recruitment.project,
        recruitment__platform=recruitment.platform,
        external_id=arrival.external_id,
    ).exclude(external_id="")
    row = earlier.select_related("user").order_by("-pk").first()
    if row is None:
        return create_participant()
    if row.user.participations.filter(status=Status.WORKING).exists():
        raise Conflict("You have begun another study of this team. Finish or return it first.")
    return row.user


def _role(recruitment: Recruitment) -> str:
    return stages.get_stage(recruitment.stage).role


def _record(action: str, participation: Participation, *, now: dt.datetime, **data: object) -> None:
    audit.record_action(
        action,
        participation,
        by=participation.user,
        now=now,
        project=participation.recruitment.project_id,
        recruitment=participation.recruitment_id,
        **data,
    )


# --- steps ----------------------------------------------------------------------------------------


@transaction.atomic
def save_answers(
    *, participation: Participation, answers: Mapping[str, str], now: dt.datetime
) -> None:
    """Store what a participant said of themselves; some answers end their part."""
    policy.check_working(participation)
    stored = Participation.objects.filter(
        pk=participation.pk, status=Status.WORKING, answered_at=None
    ).update(answers=dict(answers), answered_at=now)
    if not stored:
        return
    participation.refresh_from_db()
    screened = [
        asked.label
        for asked in participation.briefing.asked
        if answers.get(asked.label) in asked.marked
    ]
    if screened:
        end_participation(participation=participation, status=Status.SCREENED_OUT, now=now)


@transaction.atomic
def note_instructions_read(*, participation: Participation, now: dt.datetime) -> None:
    """Note that the participant has read the instructions."""
    policy.check_working(participation)
    Participation.objects.filter(
        pk=participation.pk, answered_at__isnull=False, instructed_at=None
    ).update(instructed_at=now)


@transaction.atomic
def answer_check(*, participation: Participation, given: str, now: dt.datetime) -> None:
    """Store the answer to the attention check that is due; a second one changes nothing.

    It is judged as a gold item of the stage, whose rule may pause the participant.
    """
    policy.check_working(participation)
    row = Participation.objects.select_for_update().get(pk=participation.pk)
    if row.next_check is None or row.next_check > list_submitted_work(participation).count():
        return
    recruitment = participation.recruitment
    number = len(row.checks)
    asked = recruitment.attention[number]
    if given not in asked.options:
        raise Conflict("Choose one of the answers.")
    golds_services.judge_check(
        project=recruitment.project,
        stage=recruitment.stage,
        question=asked.label,
        options=asked.options,
        right=asked.marked[0],
        given=given,
        by=participation.user,
        now=now,
    )
    row.checks.append(
        {
            "question": asked.label,
            "given": given,
            "right": given in asked.marked,
            "at": now.isoformat(),
        }
    )
    row.next_check = recruitment.check_due(number + 1)
    row.save(update_fields=["checks", "next_check"])
    participation.checks, participation.next_check = row.checks, row.next_check


def take_question(*, participation: Participation, now: dt.datetime) -> Assignment | None:
    """Return the participant's next question; None where their part has ended, for lack of one."""
    if end_if_over(participation=participation, now=now).status != Status.WORKING:
        return None
    recruitment = participation.recruitment
    try:
        assignment = take_next(
            project=recruitment.project, stage=recruitment.stage, by=participation.user, now=now
        )
    except Denied:
        # Another window may have ended their part since.
        working = end_if_over(participation=participation, now=now).status == Status.WORKING
        if working and not _paused(participation):
            raise
        assignment = None  # their part ends here, and the team looks at it
    if assignment is None:
        status = _status_without_questions(participation)
        end_participation(participation=participation, status=status, now=now)
    return assignment


def _status_without_questions(participation: Participation) -> Status:
    """Return how a part ends for which there are no questions left."""
    work = tally_work(participation)
    if work.too_many_skipped:
        return Status.SKIPPED
    # No fault of theirs: who has answered any is paid as if they had answered all.
    return Status.COMPLETED if work.done else Status.SCREENED_OUT


def _paused(participation: Participation) -> bool:
    recruitment = participation.recruitment
    return Membership.objects.filter(
        user=participation.user_id,
        project=recruitment.project_id,
        role=_role(recruitment),
        paused_at__isnull=False,
    ).exists()


@transaction.atomic
def save_comment(*, participation: Participation, text: str, now: dt.datetime) -> None:
    """Store what a participant says about the study, once."""
    text = text.replace("\x00", "").strip()[:LONGEST_COMMENT]
    if text and Participation.objects.filter(pk=participation.pk, erased_at=None).update(
        comment=text
    ):
        _record("participation_commented", participation, now=now)


# --- its end --------------------------------------------------------------------------------------


def list_submitted_work(participation: Participation) -> QuerySet[Assignment]:
    """Return the work of a participation."""
    return _turns(participation).filter(state=Assignment.State.SUBMITTED)


def _turns(participation: Participation) -> QuerySet[Assignment]:
    """Return the questions that a participant had in this participation and has left."""
    recruitment = participation.recruitment
    rows = Assignment.objects.filter(
        user=participation.user_id,
        project=recruitment.project_id,
        stage=recruitment.stage,
        ended_at__gte=participation.consented_at,
    )
    return rows.filter(ended_at__lte=participation.ended_at) if participation.ended_at else rows


class ParticipationTally(NamedTuple):
    """How many questions of a participation were submitted, and how many skipped or released."""

    done: int
    skipped: int
    limit: Decimal | None

    @property
    def given(self) -> int:
        """How many questions these are."""
        return self.done + self.skipped

    @property
    def too_many_skipped(self) -> bool:
        """Whether these are more skipped ones than the participant was allowed."""
        return policy.skips_too_many(self.limit, skipped=self.skipped, done=self.done)

    def with_one_more(self) -> "ParticipationTally":
        """Return the same with another skipped question."""
        return self._replace(skipped=self.skipped + 1)


def tally_work(participation: Participation) -> ParticipationTally:
    """Count what a participant submitted and what they skipped. One query."""
    state, rows = Assignment.State, _turns(participation)
    counts = rows.aggregate(
        done=Count("pk", filter=Q(state=state.SUBMITTED)),
        skipped=Count("pk", filter=Q(state__in=(state.SKIPPED, state.RETURNED))),
    )
    return ParticipationTally(**counts, limit=participation.skip_limit)


def end_if_over(*, participation: Participation, now: dt.datetime) -> Participation:
    """End a participation that is done, whose time is over, or with too many skipped questions."""
    if participation.status != Status.WORKING:
        return participation
    work, due = tally_work(participation), participation.next_check
    if work.done >= participation.recruitment.questions and (due is None or due > work.done):
        end_participation(participation=participation, status=Status.COMPLETED, now=now)
    elif work.too_many_skipped:
        end_participation(participation=participation, status=Status.SKIPPED, now=now)
    elif participation.deadline <= now:
        end_participation(participation=participation, status=Status.TIMED_OUT, now=now)
    return participation


@transaction.atomic
def end_participation(*, participation: Participation, status: str, now: dt.datetime) -> bool:
    """End a participation: work and role go back, the code is given. Again changes nothing."""
    if participation.status != Status.WORKING:
        return False
    recruitment = participation.recruitment
    rows = list(list_submitted_work(participation).values_list("active_seconds", "gold"))
    seconds = [spent for spent, gold in rows if not gold]
    median = round(statistics.median(seconds)) if seconds else None
    fast = median is not None and median < recruitment.fast_seconds
    ended = Participation.objects.filter(pk=participation.pk, status=Status.WORKING).update(
        status=status,
        ended_at=now,
        done=len(rows),
        skipped=tally_work(participation).skipped,
        median_seconds=median,
        code=_code(participation, status),
        # People who ran out of time, skipped too many or were paused are never approved with the
        # rest.
        flagged=bool(
            participation.failed
            or fast
            or status in (Status.TIMED_OUT, Status.SKIPPED)
            or _paused(participation)
        ),
    )
    participation.refresh_from_db()
    if not ended:
        return False
    user, role = participation.user, _role(recruitment)
    end_turns(user=user, project=recruitment.project, role=role, by=user, now=now)
    Membership.objects.filter(user=user, project=recruitment.project_id, role=role).delete()
    _record("participation_ended", participation, now=now, status=status, done=len(rows))
    return True


def _code(participation: Participation, status: str) -> str:
    """Return the code that a participant takes back, "" where there is none for such an end."""
    recruitment = participation.recruitment
    completed = recruitment.code
    if participation.failed:
        completed = recruitment.code_failed or completed
    given = {Status.COMPLETED: completed, Status.SCREENED_OUT: recruitment.code_screened_out}
    if status not in given:
        return ""
    return given[Status(status)] or (
        "" if recruitment.source.fixed_codes else codes.make_completion_code()
    )


def end_overdue(*, now: dt.datetime) -> int:
    """End participations that no one has come back to; return how many. The clock asks for it."""
    overdue = Participation.objects.filter(status=Status.WORKING, deadline__lte=now)
    rows = overdue.select_related("recruitment__project", "user").order_by("deadline")[:AT_ONCE]
    return sum(end_if_over(participation=row, now=now).status != Status.WORKING for row in rows)
