"""What members and invitations adds to the rooms below."""

from annotation.core.models.people import Membership
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
    Tab,
)

EXTENSION = Extension(
    key="annotation.people",
    tabs=(Tab("people", "Members", "project-people", "people", 120),),
    log=(
        LogEntries(
            {
                "admin_made": "{who} made {user} an administrator of the installation.",
                "invitation_accepted": "{who} accepted [an invitation] as {role}.",
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
