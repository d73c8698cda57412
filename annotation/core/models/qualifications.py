"""Which exams a project has. What is in them and who passed is in `annotation.qualifications`."""

from collections.abc import Mapping

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import F, Q

from annotation.core.models.projects import Project
from annotation.protocols import registry as protocols

_SMALL = [MaxValueValidator(100)]


class Qualification(models.Model):
    """One exam of a project: how many items must pass, what happens otherwise, how many attempts.

    An attempt passes with `pass_at` items, is read by staff from `review_from`, can be submitted
    from `submit_at`. `guideline_version` is the version its prepared answers follow: 0 where the
    project has no guidelines. `rules` are keys of the checks that an answer must satisfy.
    `walk_through`: people can begin the exam only after a walk-through with the team.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        CLOSED = "closed", "Closed"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="qualifications")
    title = models.CharField(max_length=120)
    about = models.TextField(max_length=5000, blank=True)
    kind = models.CharField(max_length=20)
    state = models.CharField(max_length=6, choices=State, default=State.DRAFT)
    guideline_version = models.PositiveIntegerField()
    submit_at = models.PositiveSmallIntegerField(default=4, validators=_SMALL)
    review_from = models.PositiveSmallIntegerField(default=7, validators=_SMALL)
    pass_at = models.PositiveSmallIntegerField(default=8, validators=_SMALL)
    instant_feedback = models.BooleanField(default=True)
    by_hand = models.BooleanField(default=False)
    walk_through = models.BooleanField(default=False, db_default=False)
    show_question_score = models.BooleanField(default=False)
    max_attempts = models.PositiveSmallIntegerField(default=3, validators=_SMALL)
    days_between = models.PositiveSmallIntegerField(default=0, validators=[MaxValueValidator(365)])
    rules = models.JSONField(default=list, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "title"], name="qualification_title_unique"),
            models.CheckConstraint(condition=~Q(kind=""), name="qualification_kind_named"),
            # No metric says whether a long answer is good.
            models.CheckConstraint(
                condition=~Q(kind="long_answer") | Q(by_hand=True, instant_feedback=False),
                name="qualification_long_answers_by_hand",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "open", "closed"]), name="qualification_state_known"
            ),
            models.CheckConstraint(
                condition=Q(submit_at__lte=F("review_from"))
                & Q(review_from__lte=F("pass_at"))
                & Q(pass_at__gte=1),
                name="qualification_marks_in_order",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def options(self) -> Mapping[str, str]:
        """The verdicts among which people choose in it, with their labels; {} in most kinds."""
        return protocols.exam_of(self.kind).options

    @property
    def kind_label(self) -> str:
        """The kind of work as people read it."""
        return protocols.exam_of(self.kind).label
