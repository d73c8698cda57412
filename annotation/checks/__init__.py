"""The one registry of rules on an annotator's answer: errors stop, warnings ask.

Each rule is a pure function of a response and its context. ``run_checks`` runs them all; the work
page shows its report while a person types and the server runs it again on submission.
"""

from annotation.generation.check_values import Context
from annotation.generation.checks import CHECKS, REGISTRY, RULES, run_checks

__all__ = [
    "CHECKS",
    "REGISTRY",
    "RULES",
    "Context",
    "run_checks",
]
