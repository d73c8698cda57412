"""What pay adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    Tab,
)
from annotation.pay import services

EXTENSION = Extension(
    key="annotation.pay",
    tabs=(Tab("pay", "Pay", "project-pay", "people", 140),),
    terms=(services.submission_pay,),
    followers=(services.FOLLOWER,),
    log=(
        LogEntries(
            {
                "pay_entered": "{who} entered {amount} {currency} for {user} under [Pay]{because}.",
            },
            pages={"payentry": "project-pay"},
        ),
    ),
)
