"""What is accepted for a question, and who decided it."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from annotation.models import Annotation, Answer, QAPair, Question
from validation.verdicts.models import Validation


class Decision(models.Model):
    """A decision on a question. At most one is in force; a later one takes its place.

    A question that generators alone decided (no validation asked for, or all answers match) has
    none: their submissions are accepted as written. `covers` are the annotations in use when it
    was made; when they change, a validator's decision no longer holds.
    """

    class Source(models.TextChoices):
        VALIDATION = "validation", "Validator"
        STAFF = "staff", "Staff"
        IMPORT = "import", "Imported as finished"

    class Outcome(models.TextChoices):
        # Values as in Question.State.
        ACCEPTED = "accepted", "Accepted"
        EDITED = "edited", "Accepted with a change"
        EXCLUDED = "excluded", "Excluded"

    class Change(models.TextChoices):
        NONE = "none", "No change"
        EXCLUSION = "exclusion", "An annotation was left out"
        EDIT = "edit", "The answers were changed"

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="decisions")
    source = models.CharField(max_length=10, choices=Source)
    outcome = models.CharField(max_length=8, choices=Outcome)
    change = models.CharField(max_length=9, choices=Change)
    validation = models.OneToOneField(
        Validation, null=True, on_delete=models.CASCADE, related_name="decision"
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.TextField(blank=True, help_text="Why the question is excluded, or changed.")
    covers = ArrayField(models.BigIntegerField(), default=list)
    replaces = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="replaced_by"
    )
    in_force = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["question"],
                condition=Q(in_force=True),
                name="decision_one_in_force_per_question",
            ),
            models.CheckConstraint(
                condition=Q(source__in=["validation", "staff", "import"]),
                name="decision_source_known",
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["accepted", "edited", "excluded"]),
                name="decision_outcome_known",
            ),
            models.CheckConstraint(
                condition=Q(change__in=["none", "exclusion", "edit"]),
                name="decision_change_known",
            ),
            models.CheckConstraint(
                condition=Q(source="validation", validation__isnull=False)
                | (~Q(source="validation") & Q(validation__isnull=True)),
                name="decision_validation_iff_validated",
            ),
            models.CheckConstraint(
                condition=~Q(outcome="excluded") | ~Q(reason=""),
                name="decision_exclusion_has_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}, {self.get_source_display()}"


class AcceptedAnnotation(models.Model):
    """One set of answers that a decision accepts. A question may have several (A47).

    `annotation` is the generator's annotation that is accepted as written; without it the decision
    put this set together.
    """

    class Kind(models.TextChoices):
        MULTIPLE = "multiple", "Several answers"
        SINGLE = "single", "One clear answer"

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="accepted")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    annotation = models.ForeignKey(
        Annotation, null=True, on_delete=models.SET_NULL, related_name="accepted"
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["decision", "position"], name="accepted_position_unique"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["multiple", "single"]), name="accepted_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.decision_id}"


class AcceptedPair(models.Model):
    """An accepted answer with its questions. A single answer has no question of its own."""

    accepted = models.ForeignKey(AcceptedAnnotation, on_delete=models.CASCADE, related_name="pairs")
    position = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name = "accepted pair"
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["accepted", "position"], name="accepted_pair_position_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"Pair {self.position + 1} of {self.accepted_id}"


class AcceptedQuestion(models.Model):
    """One accepted phrasing of a pair's question, with its source and whether it was edited."""

    pair = models.ForeignKey(AcceptedPair, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    source = models.ForeignKey(QAPair, null=True, on_delete=models.SET_NULL, related_name="+")
    edited = models.BooleanField(default=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "position"], name="accepted_question_position_unique"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="accepted_question_not_empty"),
        ]

    def __str__(self) -> str:
        return self.text


class AcceptedAnswer(models.Model):
    """One accepted form of the pair's answer, with its source and whether it was edited."""

    pair = models.ForeignKey(AcceptedPair, on_delete=models.CASCADE, related_name="answers")
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    source = models.ForeignKey(Answer, null=True, on_delete=models.SET_NULL, related_name="+")
    edited = models.BooleanField(default=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "position"], name="accepted_answer_position_unique"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="accepted_answer_not_empty"),
        ]

    def __str__(self) -> str:
        return self.text


class ExcludedAnswer(models.Model):
    """An answer that a validator took out of the accepted set, and why.

    `pairs` are the generators' pairs that had it; `answers` and `questions` are its texts as the
    validator saw them, so that the record stays complete if a pair is withdrawn later.
    """

    decision = models.ForeignKey(Decision, on_delete=models.CASCADE, related_name="excluded")
    position = models.PositiveSmallIntegerField()
    answers = ArrayField(models.TextField())
    questions = ArrayField(models.TextField(), default=list)
    reason = models.TextField(blank=True)
    pairs = models.ManyToManyField(QAPair, related_name="excluded_answers")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["decision", "position"], name="excluded_answer_position_unique"
            ),
        ]

    def __str__(self) -> str:
        return ", ".join(self.answers)
