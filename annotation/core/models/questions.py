"""Prompt questions as they were imported."""

from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Concat, Upper

from annotation.text.question_marks import is_marked, with_mark


class Split(models.TextChoices):
    """The part of a data set, as in the papers."""

    TRAIN = "train", "train"
    DEV = "dev", "dev"
    TEST = "test", "test"


class Priority(models.IntegerChoices):
    """When a question is handed out among those of its split; the smaller comes first."""

    FIRST = -1, "First"
    NORMAL = 0, "Normal"
    LAST = 1, "Last"


def display_form(text: str) -> str:
    """Return the prompt as people read it: first letter in upper case, `?` appended (A1).

    The question mark is that of the script the prompt is written in.
    """
    shown = text.strip()
    shown = shown[:1].upper() + shown[1:]
    return shown if is_marked(shown) else with_mark(shown)


class Question(models.Model):
    """A prompt question. `text` and `external_id` stay exactly as imported."""

    class State(models.TextChoices):
        IMPORTED = "imported", "Imported"
        GENERATING = "generating", "Being answered"
        VALIDATING = "validating", "Waiting for validation"
        AUTO_ACCEPTED = "auto_accepted", "Accepted, all answers match"
        ACCEPTED = "accepted", "Accepted"
        EDITED = "edited", "Accepted with a change"
        EXCLUDED = "excluded", "Excluded"
        SKIPPED = "skipped", "Skipped"
        FLAGGED = "flagged", "Concern raised"

    project = models.ForeignKey(
        "annotation.Project", on_delete=models.CASCADE, related_name="questions"
    )
    external_id = models.CharField(max_length=200)
    text = models.TextField()
    split = models.CharField(max_length=5, choices=Split)
    state = models.CharField(max_length=14, choices=State, default=State.IMPORTED)
    priority = models.SmallIntegerField(
        choices=Priority, default=Priority.NORMAL, db_default=Priority.NORMAL
    )
    known_answers = models.JSONField(default=list, blank=True)
    context = models.JSONField(
        default=dict, blank=True, help_text="Other fields of the imported record."
    )
    # Capitals were most of the time of a filter by words, which may have to read every question.
    search_text = models.GeneratedField(
        expression=Upper(
            Concat(F("text"), Value("\n"), F("external_id"), output_field=models.TextField())
        ),
        output_field=models.TextField(),
        db_persist=True,
        help_text="Text and id in capitals, which filters by words look through.",
    )
    created_at = models.DateTimeField()
    job = models.ForeignKey(
        "annotation.Job",
        null=True,
        on_delete=models.SET_NULL,
        related_name="questions",
        help_text="The import job that created it, if any.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "external_id"], name="question_external_id_unique"
            ),
            models.CheckConstraint(
                condition=Q(split__in=["train", "dev", "test"]), name="question_split_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "imported",
                        "generating",
                        "validating",
                        "auto_accepted",
                        "accepted",
                        "edited",
                        "excluded",
                        "skipped",
                        "flagged",
                    ]
                ),
                name="question_state_known",
            ),
            models.CheckConstraint(
                condition=Q(priority__in=[-1, 0, 1]), name="question_priority_known"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="question_text_not_empty"),
            models.CheckConstraint(condition=~Q(external_id=""), name="question_id_not_empty"),
        ]
        indexes = [
            # The project page counts questions per split and state; lists filter by them.
            models.Index(fields=["project", "split", "state"], name="question_by_state"),
            # The list in the order of import, a page at a time. Not (project, id): the planner
            # would use the primary key instead, and read the questions of other projects.
            models.Index(fields=["project", "created_at", "id"], name="question_in_order"),
            # The same of one state, and the list by state.
            models.Index(
                fields=["project", "state", "created_at", "id"], name="question_in_order_by_state"
            ),
        ]

    def __str__(self) -> str:
        return self.prompt

    @property
    def prompt(self) -> str:
        """The display form of the text (A1)."""
        return display_form(self.text)
