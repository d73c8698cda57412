"""What QAMPARI adds to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    ProjectPanel,
)
from qampari import reserve
from qampari.entries import REPORT_PANELS
from qampari.views import extended_set_panel

EXTENSION = Extension(
    key="qampari",
    report_panels=REPORT_PANELS,
    followers=(reserve.FOLLOWER,),
    panels=(ProjectPanel("qampari/_extended_set.html", extended_set_panel),),
    log=(
        LogEntries(
            {"extended_set_opened": "{who} put {opened} questions into [the extended set]."}
        ),
    ),
)
