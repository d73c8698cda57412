"""What annotation adds to its own rooms, room by room."""

from annotation.consent import extension as consent
from annotation.contexts import extension as contexts
from annotation.erasing import extension as erasing
from annotation.exports import extension as exports
from annotation.extensions.extension import combine_extensions
from annotation.faq import extension as faq
from annotation.feedback import extension as feedback
from annotation.figures import extension as figures
from annotation.generation import extension as generation
from annotation.golds import extension as golds
from annotation.imports import extension as imports
from annotation.jobs import extension as jobs
from annotation.long_answers import extension as long_answers
from annotation.long_answers.concerns import extension as concerns
from annotation.monitoring import extension as monitoring
from annotation.pay import extension as pay
from annotation.people import extension as people
from annotation.projects import extension as projects
from annotation.qualifications import extension as qualifications
from annotation.questions import extension as questions
from annotation.threads import extension as threads
from annotation.webhooks import extension as webhooks
from annotation.work import extension as work

ROOMS = (
    *(work, jobs, figures, exports, imports, feedback, threads, webhooks),
    *(generation, long_answers, concerns, contexts),
    *(people, consent, erasing, qualifications, golds, pay, faq),
    *(questions, monitoring, projects),
)
EXTENSION = combine_extensions("annotation", [room.EXTENSION for room in ROOMS])
