"""The audit: experts answer finished questions again, blind (A61)."""

from collections.abc import Sequence

from annotation.generation.stage import Generation
from annotation.models import Project, Question, Role, StagePolicy

AUDIT = "audit"


class Auditing(Generation):
    """Generation by an expert, on the questions of a sample.

    The form, its rules and its search are those of generation; experts see nothing that others
    wrote or accepted. The audit only produces figures.
    """

    key = AUDIT
    label = "Audit"
    role = Role.EXPERT.value
    # Audits were theirs before there were experts: nobody loses what they have written so far.
    finished_by: tuple[str, ...] = (Role.RESEARCHER.value,)
    revisable: int | None = 0
    first = False
    every_question = False
    # A question that is drawn again goes to another person.
    once_per_question = True
    suggested: Sequence[str] = ()  # experts write without
    golds = None
    no_golds = "An audit is a random sample of questions, and known ones would change it."
    measured = (
        "For the audit",
        "Your answer is compared with the accepted answers. It does not change them.",
    )

    def tasks_for(self, question: Question) -> Sequence[str]:
        """No tasks: a draw makes them."""
        return []

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """No policies: the first draw from a split makes its policy."""
        return []
