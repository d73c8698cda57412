"""Questions drawn to be labelled with their types of ambiguity."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from annotation.models import Project, Question


class Ambiguity(models.Model):
    """A question of the sample, and the types of ambiguity that it was labelled with (A75).

    position: in the order in which it was drawn, from 1.
    """

    class Type(models.TextChoices):
        EVENT = "event", "Event references"
        PROPERTY = "property", "Properties"
        ENTITY = "entity", "Entity references"
        ANSWER = "answer", "Answer types"
        TIME = "time", "Time-dependency"
        SEVERAL = "several", "Multiple sub-questions"
        OTHER = "other", "None of these"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="ambiguities")
    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="ambiguity")
    position = models.PositiveIntegerField()
    types = ArrayField(models.CharField(max_length=8, choices=Type), default=list, blank=True)
    labelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    labelled_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["project", "position"]
        verbose_name_plural = "ambiguities"
        constraints = [
            models.UniqueConstraint(fields=["project", "position"], name="ambiguity_position_once"),
            models.CheckConstraint(
                condition=Q(
                    types__contained_by=[
                        *("event", "property", "entity", "answer", "time", "several", "other")
                    ]
                ),
                name="ambiguity_types_known",
            ),
            models.CheckConstraint(
                condition=Q(types=[], labelled_by__isnull=True, labelled_at__isnull=True)
                | (~Q(types=[]) & Q(labelled_by__isnull=False, labelled_at__isnull=False)),
                name="ambiguity_labelled_by_somebody",
            ),
            models.CheckConstraint(
                condition=~Q(types__contains=["other"]) | Q(types=["other"]),
                name="ambiguity_none_of_these_alone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.question}"

    def labels(self) -> list[str]:
        """Return the labels of its types, in the order of the table."""
        return [self.Type(value).label for value in self.Type.values if value in self.types]
