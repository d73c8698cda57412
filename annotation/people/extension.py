"""What members and invitations adds to the rooms below."""

from annotation.core.models.people import Membership
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    LogEntries,
    LogTarget,
    Tab,
)
from annotation.jobs.services import RunningJob


def _send_letters(work: RunningJob) -> None:
    # Loaded by the worker alone: most commands need none of it.
    from annotation.people.letters import run_job

    run_job(work)


EXTENSION = Extension(
    key="annotation.people",
    jobs=(
        JobKind(
            key="invitations",
            run=_send_letters,
            words=JobWords(
                title="E-mails of invitations",
                failed="The e-mails of invitations were not all sent",
                stop="Stop sending",
                counts=(("sent", "sent"), ("failed", "could not be sent")),
            ),
        ),
    ),
    tabs=(Tab("people", "Members", "project-people", "people", 120),),
    log=(
        LogEntries(
            {
                "admin_made": "{who} made {user} an administrator of the installation.",
                "invitation_accepted": "{who} accepted [an invitation] as {role}.",
                "invitation_declined": "[An invitation] as {role} was declined.",
                "invitation_renewal_asked": "Someone asked for a new link to [an invitation].",
                "invitation_renewed": "{who} renewed [an invitation].",
                "invitation_revoked": "{who} revoked [an invitation].",
                "invited": "{who} invited {email} as {role} under [Members].",
                "membership_paused": "{user} gets no new work under [Members]{because}.",
                "pause_lifted": "{who} resumed the work of {user} as {role} under [Members].",
                "role_added": "{who} made {user} {role} under [Members].",
                "role_removed": "{who} removed the role {role} of {user} under [Members].",
            },
            targets={
                "membership": LogTarget(
                    Membership, ("role",), "project-people", person="user__name"
                )
            },
            pages={"invitation": "project-people"},
        ),
    ),
)
