"""The audit: experts answer questions that are finished once more, blind (A61)."""

from collections.abc import Sequence

from annotation.models import Project, Question, Role, StagePolicy
from annotation.stages.generation import Generation

AUDIT = "audit"


class Auditing(Generation):
    """Generation by an expert, on the questions of a sample.

    The form, its rules and its search are those of generation; nothing of what others wrote or
    accepted is shown. Nothing follows from it but figures.
    """

    key = AUDIT
    label = "Audit"
    role = Role.RESEARCHER.value
    first = False
    every_question = False
    # A question that is drawn again goes to somebody else.
    once_per_question = True

    def tasks_for(self, question: Question) -> Sequence[str]:
        """None: a draw makes the tasks."""
        return []

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """None: the first draw from a split makes its policy."""
        return []
