"""Verdicts as suggestions, and what people had said before they were shown one."""

from django.db import migrations, models
from django.db.models import Q

KINDS = [
    ("pair", "Question and answer"),
    ("answer", "Answer"),
    ("passage", "Passage"),
    ("long_answer", "Long answer"),
    ("verdict", "Verdict"),
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0011_conflicts_of_interest")]

    operations = [
        migrations.AlterField(
            "suggestion", "kind", models.CharField(choices=KINDS, max_length=11)
        ),
        migrations.RemoveConstraint("suggestion", "suggestion_kind_known"),
        migrations.AddConstraint(
            "suggestion",
            models.CheckConstraint(
                condition=Q(kind__in=["pair", "answer", "passage", "long_answer", "verdict"]),
                name="suggestion_kind_known",
            ),
        ),
        migrations.AddField(
            "suggestionuse",
            "before",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The verdict that they had chosen before they were shown this one.",
                max_length=20,
            ),
        ),
    ]
