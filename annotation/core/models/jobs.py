"""Jobs: background work that people can see. The row decides; the broker only wakes workers."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.core.models.projects import Project


class Job(models.Model):
    """A Celery job with progress, heartbeat, result and the reason if it failed."""

    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    IMPORTS = ("import", "bring", "make")  # the kinds that create questions

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    state = models.CharField(max_length=9, choices=State, default=State.QUEUED)
    options = models.JSONField(default=dict, help_text="Options chosen when it was started.")
    file = models.FileField(upload_to="jobs/", blank=True, max_length=500)
    file_name = models.CharField(max_length=255, blank=True, help_text="Name of the uploaded file.")
    done = models.BigIntegerField(
        default=0, help_text="Units finished; a restarted job continues from here."
    )
    total = models.BigIntegerField(null=True, help_text="Units in all, when known.")
    unit = models.CharField(max_length=20, default="lines")
    result = models.JSONField(default=dict)
    log = models.JSONField(default=list, help_text="What its workers noted: [time, sentence].")
    problem = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    advanced = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="The last attempt that got further than those before; 0: none is known to have.",
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="jobs"
    )
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    cancel_asked_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(
        null=True, help_text="When the questions that an import created were deleted again."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]),
                name="job_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running"], ended_at__isnull=True)
                | (~Q(state__in=["queued", "running"]) & Q(ended_at__isnull=False)),
                name="job_ended_iff_over",
            ),
            models.CheckConstraint(
                condition=Q(undone_at__isnull=True) | Q(ended_at__isnull=False),
                name="job_undone_once_over",
            ),
            models.CheckConstraint(
                condition=Q(advanced__lte=F("attempts")), name="job_advanced_in_an_attempt"
            ),
            models.UniqueConstraint(
                fields=["project", "kind", "options"],
                condition=Q(
                    kind__in=["agreement", "report", "study_results"],
                    state__in=["queued", "running"],
                ),
                name="job_of_figures_once_while_unfinished",
            ),
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(kind="backup", state__in=["queued", "running"]),
                name="job_backup_once_while_unfinished",
            ),
        ]
        indexes = [
            # The sweep for jobs whose worker or message was lost.
            models.Index(
                fields=["heartbeat_at"],
                condition=Q(state__in=["queued", "running"]),
                name="job_unfinished",
            ),
            models.Index(fields=["project", "-id"], name="job_newest_of_project"),
            # What ended lately, over all projects.
            models.Index(fields=["-ended_at"], name="job_newest_ended"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}, {self.state}"
