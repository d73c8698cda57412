"""Random samples of finished questions that experts answer again, blind (A61)."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Project, Question, Split


class AuditSample(models.Model):
    """One draw. Seed, size and the number of questions to draw from make it reproducible."""

    class Population(models.TextChoices):
        VALIDATED = "validated", "Questions that a validator or the team decided"
        ACCEPTED = "accepted", "All accepted questions"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="audit_samples")
    split = models.CharField(max_length=5, choices=Split)
    population = models.CharField(max_length=9, choices=Population)
    again = models.BooleanField(
        default=False, help_text="Questions of earlier draws could be drawn once more."
    )
    seed = models.BigIntegerField()
    drawn_from = models.PositiveIntegerField(help_text="How many questions there were.")
    drawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(population__in=["validated", "accepted"]),
                name="audit_population_known",
            ),
            models.CheckConstraint(condition=Q(drawn_from__gte=1), name="audit_drawn_from_some"),
        ]

    def __str__(self) -> str:
        return f"Sample {self.pk} of {self.split}, seed {self.seed}"

    @property
    def unit(self) -> str:
        """The unit of its tasks: a question that is drawn again gets another task."""
        return f"sample-{self.pk}"


class AuditItem(models.Model):
    """One question of a sample, in the order in which it was drawn."""

    sample = models.ForeignKey(AuditSample, on_delete=models.CASCADE, related_name="items")
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="audit_items")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["sample", "question"], name="audit_question_once_per_sample"
            ),
            models.UniqueConstraint(
                fields=["sample", "position"], name="audit_position_unique_in_sample"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position + 1} of {self.sample_id}"
