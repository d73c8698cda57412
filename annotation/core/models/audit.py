"""Who did what when. No foreign keys, so that history never blocks a deletion."""

from django.db import models
from django.db.models import Q

OF_GOLDS = ("gold_flagged", "gold_settings", "golds_drawn", "membership_paused", "pause_lifted")


class AuditEntry(models.Model):
    """One decision or state change, written in the transaction that made it."""

    at = models.DateTimeField()
    actor = models.BigIntegerField(null=True, help_text="User id; null for scheduled work.")
    project = models.BigIntegerField(null=True)
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=80, help_text='For example "assignment:12".')
    data = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            # The log tab of a project, newest first.
            models.Index(fields=["project", "-id"], name="audit_of_project"),
            models.Index(fields=["target", "id"], name="audit_of_target"),
            # The page of gold items; such rows are few among many.
            models.Index(
                fields=["project", "-id"], condition=Q(action__in=OF_GOLDS), name="audit_of_golds"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
