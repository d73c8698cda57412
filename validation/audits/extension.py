"""What audits adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    Tab,
)
from annotation.protocols.registry import Feature

EXTENSION = Extension(
    key="validation.audits",
    tabs=(
        Tab(
            *("audit", "Audit", "project-audit", "quality", 105),
            needs=Feature.AUDITS,
            instead_of_golds="Plan an audit",
        ),
    ),
    log=(
        LogEntries(
            {
                "audit_sample_drawn": (
                    "{who} drew [an audit sample] of {size} from {population} questions."
                ),
            },
            numbered={"auditsample": "audit-sample"},
        ),
    ),
)
