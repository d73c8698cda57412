"""Systems that answer questions, and what they answered."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Project, Question


class System(models.Model):
    """A named, versioned answerer: a model, a simple baseline, or people."""

    class Kind(models.TextChoices):
        MODEL = "model", "Model"
        BASELINE = "baseline", "Baseline"
        HUMAN = "human", "Human reference"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=80)
    version = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.MODEL)
    options = models.JSONField(default=dict, blank=True, help_text="How it was run.")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name", "version", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "version"], name="system_once_per_name_and_version"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="system_named"),
            models.CheckConstraint(
                condition=Q(kind__in=["model", "baseline", "human"]), name="system_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


class Output(models.Model):
    """What one system answered to one question. `author` is the person who wrote it, if known.

    details: the rest of what a baseline gave, to score it (`scores.values.Details`); nobody who
    judges sees it.
    """

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="outputs")
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="outputs")
    text = models.TextField()
    details = models.JSONField(default=dict, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["system", "question"], name="output_once_per_system_and_question"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="output_has_text"),
        ]

    def __str__(self) -> str:
        return f"{self.system}: {self.question}"


class ReaderAnswers(models.Model):
    """What a reader answered to the disambiguated questions of an output, from its text alone.

    digest: of the text and the questions (`scores.reading.digest_of`); once either changes, the
    answers no longer count.
    """

    output = models.OneToOneField(Output, on_delete=models.CASCADE, related_name="reader_answers")
    reader = models.CharField(max_length=120, help_text="Its name with its version.")
    answers = models.JSONField(help_text="One text for each question, empty for no answer.")
    digest = models.CharField(max_length=32)
    read_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "reader answers"
        constraints = [
            models.CheckConstraint(condition=~Q(reader=""), name="reader_answers_name_reader"),
        ]

    def __str__(self) -> str:
        return f"{self.reader}: {self.output_id}"
