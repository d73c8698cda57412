"""What writing answers adds to the rooms below."""

from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    Citation,
)
from annotation.generation.models import Answer

EXTENSION = Extension(
    key="annotation.generation",
    citations=(
        Citation(Answer, "annotations__pairs__answers", "pair__annotation__question__project_id"),
    ),
)
