"""What releases adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    ProjectPanel,
)
from validation.release.views import release_panel

EXTENSION = Extension(
    key="validation.release",
    panels=(ProjectPanel("validation/release/_release.html", release_panel),),
    log=(
        LogEntries(
            {
                "released": "{who} downloaded [a release], {format}{of_split}.",
                "release_pushed": "{who} sent [a release], {format}{of_split}, to {place}.",
            },
        ),
    ),
)
