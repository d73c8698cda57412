"""What evaluation adds to the rooms of annotation, room by room."""

from annotation.extensions.extension import combine
from evaluation.ambiguity import extension as ambiguity
from evaluation.judgments import extension as judgments
from evaluation.reports import extension as reports
from evaluation.results import extension as results
from evaluation.scores import extension as scores
from evaluation.studies import extension as studies
from evaluation.systems import extension as systems

ROOMS = (ambiguity, judgments, reports, results, scores, studies, systems)
EXTENSION = combine("evaluation", [room.EXTENSION for room in ROOMS])
