"""What webhooks adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)
from annotation.webhooks import services

EXTENSION = Extension(
    key="annotation.webhooks",
    job_done=(services.job_done,),
    followers=(services.FOLLOWER,),
    log=(
        LogEntries(
            {
                "webhook_added": "{who} added [the webhook] {url}.",
                "webhook_stopped": "{who} removed [the webhook] {url}.",
            },
            pages={"webhook": "webhook-list"},
        ),
    ),
)
