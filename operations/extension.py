"""What running an installation adds to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import LogEntries

EXTENSION = Extension(
    key="operations",
    log=(
        LogEntries(
            {
                "admin_removed": "{who} took the administration away from {user}{because}.",
                "factors_reset": "{who} reset the second factor of {user}{because}.",
                "password_link_sent": "{who} sent {user} a link to choose a password.",
                "person_activated": "{who} activated {user} again.",
                "person_deactivated": "{who} deactivated {user}{because}.",
                "project_deleted": "{who} deleted the empty project “{title}”.",
                "sessions_ended": "{who} signed {user} out everywhere.",
            },
        ),
    ),
)
