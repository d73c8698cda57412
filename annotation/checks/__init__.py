"""The one registry of rules on an annotator's answer: errors stop, warnings ask.

Each rule is a pure function of a response and its context. ``run_checks`` runs them all; the work
page shows its report while somebody types and the server asks it again on submission.
"""

from pathlib import Path

from annotation.checks.markdown import rules_markdown
from annotation.checks.report import (
    CHECKS,
    REGISTRY,
    ChecklistItem,
    Report,
    SettingsError,
    read_settings,
    run_checks,
    settings_schema,
)
from annotation.checks.values import Check, Context, Finding, Fix, Setting

__all__ = [
    "CHECKS",
    "REGISTRY",
    "RULES_PAGE",
    "Check",
    "ChecklistItem",
    "Context",
    "Finding",
    "Fix",
    "Report",
    "Setting",
    "SettingsError",
    "read_settings",
    "rules_markdown",
    "run_checks",
    "settings_schema",
    "write_rules",
]

RULES_PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"


def write_rules() -> None:
    """Write docs/rules.md anew."""
    RULES_PAGE.parent.mkdir(exist_ok=True)
    RULES_PAGE.write_text(rules_markdown(), encoding="utf-8")
