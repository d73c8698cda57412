"""Changes of submissions: what is being typed, and what was submitted before."""

from django.db import models
from django.db.models import F, Q

from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment


class SubmissionChange(models.Model):
    """A change of one's own submission that is not submitted yet.

    Until it is, the submission stays as it is; after `ends_at` only the draft is left, which its
    author may take up again. question: the one whose later tasks no one is given until then, for a
    gold item the one beside it; None where nobody works with the submission.
    """

    assignment = models.ForeignKey(
        Assignment,
        on_delete=models.CASCADE,
        related_name="changes",
        db_index=False,  # change_once_per_assignment begins with it
    )
    question = models.ForeignKey(
        Question, null=True, on_delete=models.CASCADE, related_name="changes"
    )
    draft = models.JSONField(default=dict)
    draft_version = models.PositiveIntegerField()
    draft_saved_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField()
    ends_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment"], name="change_once_per_assignment"),
            models.CheckConstraint(
                condition=Q(ends_at__gte=F("started_at")), name="change_ends_after_it_begins"
            ),
        ]

    def __str__(self) -> str:
        return f"Change of {self.assignment_id}"


class ReplacedSubmission(models.Model):
    """What was submitted before its author changed it; never data again.

    The rows of a submission have one assignment each, so that one of them is valid at any moment.
    response: as the sheet of its stage reads it; logged: as the log has it.
    """

    assignment = models.ForeignKey(
        Assignment,
        on_delete=models.CASCADE,
        related_name="replaced",
        db_index=False,  # replaced_once_per_number begins with it
    )
    number = models.PositiveIntegerField(help_text="1: the first that was submitted.")
    response = models.JSONField()
    logged = models.JSONField()
    submitted_at = models.DateTimeField()
    replaced_at = models.DateTimeField()

    class Meta:
        ordering = ["assignment", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "number"], name="replaced_once_per_number"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="replaced_number_from_one"),
            models.CheckConstraint(
                condition=Q(replaced_at__gte=F("submitted_at")),
                name="replaced_after_it_was_submitted",
            ),
        ]

    def __str__(self) -> str:
        return f"Submission {self.number} of {self.assignment_id}"
