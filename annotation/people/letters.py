"""E-mails with the links of invitations: sent by a job, so that no request waits for 200."""

import datetime as dt
import logging
import smtplib
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.template.loader import render_to_string

from accounts.fields import one_line
from accounts.models import User
from annotation.consent.queries import newest_text
from annotation.core.models.jobs import Job
from annotation.core.models.people import INVITATION_OPEN, Invitation, LetterState
from annotation.core.models.projects import Project
from annotation.jobs.services import RunningJob, create_job
from annotation.people.invitation_services import invitation_link
from annotation.people.offers import describe_offer

logger = logging.getLogger(__name__)
JOB_KIND = "invitations"


def start_letters(
    *, project: Project, invitations: Sequence[Invitation], site: str, by: User, now: dt.datetime
) -> Job | None:
    """Start the job that sends the e-mails of these; None where there are none to send.

    `site` is "https://host", without a slash at the end.
    """
    if not invitations:
        return None
    options = {"site": site, "invitations": [each.pk for each in invitations]}
    return create_job(
        project=project, kind=JOB_KIND, options=options, by=by, now=now, unit="e-mails"
    )


def run_job(work: RunningJob) -> None:
    """Send the e-mails of the job that still wait, and note for each whether it was handed over.

    A mail server that is down does not undo an invitation: its link can be copied.
    """
    options = work.job.options
    waiting = list(
        Invitation.objects.filter(
            INVITATION_OPEN, pk__in=options["invitations"], letter=LetterState.WAITING
        )
        .select_related("project", "invited_by")
        .order_by("pk")
    )
    work.save(total=len(options["invitations"]))
    connection, counts = get_connection(), {"sent": 0, "failed": 0}
    try:
        for number, invitation in enumerate(waiting, 1):
            sent = _send_letter(invitation, options["site"], connection)
            counts["sent" if sent else "failed"] += 1
            _note_letter(invitation, sent=sent, now=work.clock())
            work.save(done=number, result=dict(counts))
    finally:
        connection.close()


def _note_letter(invitation: Invitation, *, sent: bool, now: dt.datetime) -> None:
    state = LetterState.SENT if sent else LetterState.FAILED
    Invitation.objects.filter(pk=invitation.pk, letter=LetterState.WAITING).update(
        letter=state, sent_at=now if sent else None
    )


def _send_letter(invitation: Invitation, site: str, connection: Any) -> bool:
    text = newest_text(invitation.project)
    context = {
        "invitation": invitation,
        "project": invitation.project,
        "by": invitation.invited_by,
        "link": site + invitation_link(invitation),
        "offer": describe_offer(invitation.project, invitation.roles),
        "contact": text.contact if text else settings.PRIVACY_EMAIL,
    }
    letter = EmailMessage(
        f"Invitation to {one_line(invitation.project.title)}",
        render_to_string("annotation/people/people_letter.txt", context),
        settings.DEFAULT_FROM_EMAIL,
        [invitation.email],
        connection=connection,
    )
    try:
        letter.send()
    except (OSError, ValueError, smtplib.SMTPException):
        logger.exception("The invitation e-mail %s could not be sent.", invitation.pk)
        return False
    return True
