"""What taking part as a participant adds to the rooms of annotation."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    OTHER_WAYS,
    LogEntries,
    ProjectPanel,
    Tab,
)
from crowds.policies.participations import DEMAND
from crowds.queries import find_ended_parts
from crowds.services.reviews import forget_participant

EXTENSION = Extension(
    key="crowds",
    demands=(DEMAND,),
    forget=(forget_participant,),
    ends=(find_ended_parts,),
    panels=(ProjectPanel("crowds/_way.html", lambda project: {}, page=OTHER_WAYS),),
    tabs=(Tab("participants", "Participants", "recruitment-list", "people", 125),),
    log=(
        LogEntries(
            {
                "briefing_published": "{who} published version {version} of [consent and form].",
                "participant_links_made": "{who} made {links} personal links for [{title}].",
                "participation_approved": "{who} approved {user} under [Participants].",
                "participation_commented": "{who} left a note at the end, under [Participants].",
                "participation_ended": "[A participation] ended: {status}, {done} questions.",
                "participation_erased": "{who} deleted what {user} said under [Participants].",
                "participation_rejected": "{who} rejected {user} under [Participants]{because}.",
                "participation_started": (
                    "{who} agreed to version {version} of the consent page of [a study]."
                ),
                "recruitment_changed": "{who} changed the terms of [{title}].",
                "recruitment_created": "{who} opened the recruitment [{title}].",
                "recruitment_state": "{who} changed [{title}] to: {state}.",
            },
            pages={"briefing": "briefing", "participation": "recruitment-list"},
            numbered={"recruitment": "recruitment-view"},
        ),
    ),
)
