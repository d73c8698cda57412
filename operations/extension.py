"""What running an installation adds to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import JobKind, JobWords, LogEntries
from operations.administration.snapshots.queries import INDEX
from operations.administration.snapshots.services import run_job, start_again

EXTENSION = Extension(
    key="operations",
    jobs=(
        JobKind(
            key=INDEX,
            run=run_job,
            logged=False,
            retry=start_again,
            words=JobWords(
                title="Search index",
                failed="The index was not built",
                stop="Stop, and continue another time",
            ),
        ),
    ),
    log=(
        LogEntries(
            {
                "admin_removed": "{who} took the administration away from {user}{because}.",
                "factors_reset": "{who} reset the second factor of {user}{because}.",
                "password_link_sent": "{who} sent {user} a link to choose a password.",
                "person_activated": "{who} activated {user} again.",
                "person_deactivated": "{who} deactivated {user}{because}.",
                "project_deleted": "{who} deleted the empty project “{title}”.",
                "weights_removed": "{who} removed the weights “{name}”.",
                "sessions_ended": "{who} signed {user} out everywhere.",
            },
        ),
    ),
)
