"""A validator's submission: a verdict on each generator's annotation."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models import Annotation, Assignment, Question


class Validation(models.Model):
    """The submission of one assignment of validation. The database allows only one."""

    assignment = models.OneToOneField(
        Assignment, on_delete=models.CASCADE, related_name="validation"
    )
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="validations")
    validator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="validations"
    )
    keeps = models.JSONField(default=list, help_text="Warnings kept: rule, field, reason.")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Validation of {self.question_id}"


class Verdict(models.Model):
    """Correct or incorrect, on one generator's annotation (A37).

    `derived` is the verdict that follows from the final set; a validator may choose the other.
    Author and validator are copied here, so that the database itself refuses a verdict on one's
    own work.
    """

    validation = models.ForeignKey(Validation, on_delete=models.CASCADE, related_name="verdicts")
    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="verdicts")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    validator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    correct = models.BooleanField()
    derived = models.BooleanField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["validation", "annotation"], name="verdict_once_per_annotation"
            ),
            models.CheckConstraint(
                condition=~Q(author=F("validator")), name="verdict_not_on_own_work"
            ),
        ]

    def __str__(self) -> str:
        return "correct" if self.correct else "incorrect"
