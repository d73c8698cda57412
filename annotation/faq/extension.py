"""What the FAQ adds to the rooms below."""

from django.db.models import Exists, OuterRef

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
    Tab,
)
from annotation.faq.models import FaqEntry

EXTENSION = Extension(
    key="annotation.faq",
    tabs=(
        Tab(
            "faq",
            "FAQ",
            "project-faq",
            "setup",
            160,
            staff_only=False,
            filled=Exists(FaqEntry.objects.filter(project=OuterRef("pk"))),
        ),
    ),
    log=(
        LogEntries(
            {
                "faq_added": "{who} added [{what}] to the FAQ.",
                "faq_changed": "{who} changed [{what}] in the FAQ.",
                "faq_moved": "{who} moved [{what}] {direction} in the FAQ.",
                "faq_removed": "{who} removed an entry from [the FAQ].",
            },
            targets={
                "faqentry": LogTarget(
                    FaqEntry, ("question",), "project-faq", gone="an entry that was removed"
                )
            },
        ),
    ),
)
