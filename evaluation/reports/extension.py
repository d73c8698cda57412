"""The reports that this room adds."""

from annotation.extensions.extension import Extension
from evaluation.reports.entries import REPORTS

EXTENSION = Extension(key="evaluation.reports", reports=REPORTS)
