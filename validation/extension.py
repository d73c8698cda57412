"""What validation adds to the rooms of annotation, room by room."""

from annotation.extensions.extension import combine_extensions
from validation.agreement import extension as agreement
from validation.audits import extension as audits
from validation.claims import extension as claims
from validation.copying import extension as copying
from validation.decisions import extension as decisions
from validation.outcomes import extension as outcomes
from validation.questions import extension as questions
from validation.release import extension as release

ROOMS = (agreement, audits, claims, copying, decisions, outcomes, questions, release)
EXTENSION = combine_extensions("validation", [room.EXTENSION for room in ROOMS])
