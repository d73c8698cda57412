"""What qualifications adds to the rooms below."""

from django.db.models import Exists, OuterRef

from annotation.core.models.qualifications import Qualification
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
    Tab,
)
from annotation.qualifications.models import (
    QualificationAttempt,
    QualificationItem,
    Qualified,
    WalkThrough,
)
from annotation.qualifications.policies import DEMAND

_TITLE = ("qualification__title",)
_PAGE = ("qualification-view", "qualification")

EXTENSION = Extension(
    key="annotation.qualifications",
    tabs=(
        Tab(
            "qualifications",
            "Qualifications",
            "qualification-list",
            "people",
            130,
            staff_only=False,
            filled=Exists(Qualification.objects.filter(project=OuterRef("pk"))),
        ),
    ),
    demands=(DEMAND,),
    log=(
        LogEntries(
            {
                "qualification_asked": "{who} asked for a review of an attempt at [{what}].",
                "qualification_changed": "{who} changed [{what}]: {changes}.",
                "qualification_confirmed": (
                    "{who} tied [{what}] to version {after} of the guidelines."
                ),
                "qualification_created": "{who} created the qualification [{what}].",
                "qualification_graded": "{who} decided on an attempt at [{what}]{because}.",
                "qualification_item_added": "{who} added an item to [{what}].",
                "qualification_item_changed": "{who} changed an item of [{what}].",
                "qualification_item_moved": "{who} moved an item of [{what}] {direction}.",
                "qualification_item_removed": "{who} removed an item of a [qualification].",
                "qualification_revoked": (
                    "{who} revoked the qualification of {user}: [{what}]{because}."
                ),
                "qualification_started": "{who} started an attempt at [{what}].",
                "qualification_state": "{who} changed the state of [{what}]: {before} → {after}.",
                "qualification_submitted": (
                    "{who} submitted an attempt at [{what}]: {score} of {total}."
                ),
                "qualified": "{user} passed [{what}].",
                "qualified_by_hand": "{who} qualified {user} for [{what}]{because}.",
                "self_study_done": "{who} finished reading for [{what}].",
                "walk_through_held": "{who} noted the walk-through with {user} for [{what}].",
                "walk_through_taken_back": (
                    "{who} took back {user}’s walk-through for [{what}]{because}."
                ),
            },
            targets={
                "qualification": LogTarget(Qualification, ("title",), "qualification-view", "pk"),
                "qualificationitem": LogTarget(QualificationItem, _TITLE, *_PAGE),
                "qualificationattempt": LogTarget(QualificationAttempt, _TITLE, *_PAGE),
                "qualified": LogTarget(Qualified, _TITLE, *_PAGE, "user__name"),
                "walkthrough": LogTarget(WalkThrough, _TITLE, *_PAGE, "user__name"),
            },
        ),
    ),
)
