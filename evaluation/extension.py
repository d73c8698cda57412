"""What evaluation adds to the rooms of annotation, room by room."""

from annotation.extensions.extension import combine_extensions
from evaluation.benchmark import extension as benchmark
from evaluation.consensus import extension as consensus
from evaluation.judgments import extension as judgments
from evaluation.labelling import extension as labelling
from evaluation.reports import extension as reports
from evaluation.results import extension as results
from evaluation.scoring import extension as scoring
from evaluation.studies import extension as studies
from evaluation.systems import extension as systems

ROOMS = (systems, studies, consensus, judgments, results, labelling, reports, scoring, benchmark)
EXTENSION = combine_extensions("evaluation", [room.EXTENSION for room in ROOMS])
