"""What types of ambiguity adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
)

EXTENSION = Extension(
    key="evaluation.labelling",
    log=(
        LogEntries(
            {
                "ambiguity_labelled": "{who} labelled the types of ambiguity of [{what}].",
                "ambiguity_sample_drawn": (
                    "{who} drew {size} questions of {split} for [types of ambiguity]."
                ),
            },
            pages={"ambiguity_sample_drawn": "ambiguity-sample"},
        ),
    ),
)
