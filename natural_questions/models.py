"""The page of a question, as its record gives it."""

from django.db import models
from django.db.models import Q

from annotation.models import Question


class Page(models.Model):
    """One question's record with its page, compressed; `pages` reads and writes it."""

    class Form(models.TextChoices):
        SIMPLIFIED = "simplified", "simplified"
        ORIGINAL = "original", "original"

    question = models.OneToOneField(
        Question, on_delete=models.CASCADE, related_name="natural_questions_page", primary_key=True
    )
    form = models.CharField(max_length=10, choices=Form)
    record = models.BinaryField(help_text="JSON, compressed with zlib.")
    prepared = models.BinaryField(
        null=True, help_text="The boxes and the HTML of a long page, signed."
    )
    kinds = models.TextField(
        blank=True, default="", help_text="The kind of each candidate, a letter each."
    )
    annotations = models.JSONField(
        default=list, blank=True, help_text="Those imported as accepted work, each apart."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(form__in=["simplified", "original"]), name="page_form_known"
            ),
        ]

    def __str__(self) -> str:
        return f"Page of {self.question}"
