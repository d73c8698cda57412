"""The texts that people agree to, and their answers."""

import datetime as dt
import re

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.core.models.projects import Project


class ConsentText(models.Model):
    """One version of what a project says about people's data. Never edited.

    The newest version is shown. People must have agreed to the newest one that `asks`, or to one
    after it.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    body = models.TextField(help_text="What is kept, in Markdown.")
    contact = models.CharField(
        max_length=200, blank=True, help_text="Whom people write to about their data."
    )
    ethics = models.CharField(
        max_length=200, blank=True, help_text="Which board approved the work, and its number."
    )
    minimum_age = models.PositiveSmallIntegerField(
        default=18, help_text="People confirm that they are as old as this; 0 does not ask."
    )
    asks_training = models.BooleanField(
        help_text="Whether people are asked if their answers may train models."
    )
    asks_background = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether people may say if they are native speakers and work full time, and "
        "where they live (S16, Q6).",
    )
    asks = models.BooleanField(
        help_text="Whether people who agreed to an earlier version are asked again."
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "version"], name="consent_text_version_unique"
            ),
            models.CheckConstraint(
                condition=Q(version__gte=1), name="consent_text_version_from_one"
            ),
            models.CheckConstraint(condition=~Q(body=""), name="consent_text_has_a_body"),
            models.CheckConstraint(
                condition=Q(version__gt=1) | Q(asks=True), name="consent_text_first_asks"
            ),
            models.CheckConstraint(
                condition=Q(minimum_age__lte=99), name="consent_text_minimum_age_an_age"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} v{self.version}"

    @property
    def contact_address(self) -> str:
        """The e-mail address in the contact, "" if it is none or has several."""
        found = re.findall(r"[^\s<>(),;:]+@[^\s<>(),;:]+", self.contact)
        return str(found[0]) if len(found) == 1 else ""


class Consent(models.Model):
    """One answer of one person to a text: agreed or refused.

    It is in force until the person withdraws it or answers again. Rows are kept: they prove what
    was agreed to, and when.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="consents"
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="consents")
    text = models.ForeignKey(ConsentText, on_delete=models.RESTRICT, related_name="answers")
    given_at = models.DateTimeField(null=True, help_text="When the person agreed.")
    refused_at = models.DateTimeField(null=True, help_text="When the person said no.")
    may_train = models.BooleanField(
        null=True, help_text="Whether answers may train models; null where it was not asked."
    )
    withdrawn_at = models.DateTimeField(null=True)
    replaced_at = models.DateTimeField(null=True, help_text="When the person answered again.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(given_at__isnull=False, refused_at__isnull=True)
                | Q(given_at__isnull=True, refused_at__isnull=False),
                name="consent_given_or_refused",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(given_at__isnull=False),
                name="consent_withdrawn_was_given",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(replaced_at__isnull=True),
                name="consent_withdrawn_or_replaced",
            ),
            models.CheckConstraint(
                condition=Q(may_train__isnull=True) | Q(given_at__isnull=False),
                name="consent_training_was_agreed",
            ),
            models.UniqueConstraint(
                fields=["user", "project"],
                condition=Q(withdrawn_at__isnull=True, replaced_at__isnull=True),
                name="consent_one_in_force",
            ),
        ]
        indexes = [
            # The history of a person in a project, and the answers of a project.
            models.Index(fields=["project", "user", "id"], name="consent_of_project"),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.text}"

    @property
    def answered_at(self) -> dt.datetime:
        """When the person answered."""
        at = self.given_at or self.refused_at
        assert at is not None  # consent_given_or_refused
        return at

    @property
    def state(self) -> str:
        """How the answer ended up: agreed, refused, withdrawn or replaced."""
        if self.withdrawn_at:
            return "withdrawn"
        if self.replaced_at:
            return "replaced"
        return "agreed" if self.given_at else "refused"


class Background(models.Model):
    """What a member of a project wished to say about themselves; null or empty where they did not.

    It goes with their agreement, and when they are erased.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="backgrounds"
    )
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="backgrounds")
    native_speaker = models.BooleanField(
        null=True, help_text="Of the language of the project's questions."
    )
    full_time = models.BooleanField(null=True, help_text="40 hours a week.")
    country = models.CharField(max_length=2, blank=True, help_text="ISO 3166: two letters.")
    said_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "project"], name="background_once_per_person"),
            models.CheckConstraint(
                condition=Q(country="") | Q(country__regex=r"^[A-Z]{2}$"),
                name="background_country_two_letters",
            ),
            models.CheckConstraint(
                condition=Q(native_speaker__isnull=False)
                | Q(full_time__isnull=False)
                | ~Q(country=""),
                name="background_says_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.project}"
