import django.core.validators
import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotation", "0030_assignment_of_task_by_constraint")]

    operations = [
        migrations.CreateModel(
            name="Suggestion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "system",
                    models.CharField(
                        help_text="The name of the system, as people read it.", max_length=80
                    ),
                ),
                ("version", models.CharField(blank=True, max_length=80)),
                (
                    "position",
                    models.PositiveSmallIntegerField(
                        help_text="Its place among the system's, from 0."
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("pair", "Question and answer"),
                            ("answer", "Answer"),
                            ("passage", "Passage"),
                            ("long_answer", "Long answer"),
                        ],
                        max_length=11,
                    ),
                ),
                ("content", models.JSONField()),
                ("created_at", models.DateTimeField()),
                (
                    "question",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="suggestions",
                        to="annotation.question",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("question", "system", "version", "position"),
                        name="suggestion_once_per_position",
                    ),
                    models.CheckConstraint(
                        condition=~Q(system=""), name="suggestion_system_named"
                    ),
                    models.CheckConstraint(
                        condition=Q(kind__in=["pair", "answer", "passage", "long_answer"]),
                        name="suggestion_kind_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SuggestionUse",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "fate",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("accepted", "Accepted as it was"),
                            ("edited", "Accepted and edited"),
                            ("dismissed", "Dismissed"),
                        ],
                        default="",
                        max_length=9,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Why it was dismissed, if they said so.",
                        max_length=20,
                    ),
                ),
                ("shown_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="suggestion_uses",
                        to="annotation.assignment",
                    ),
                ),
                (
                    "suggestion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="uses",
                        to="annotation.suggestion",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("assignment", "suggestion"), name="suggestion_use_once"
                    ),
                    models.CheckConstraint(
                        condition=Q(fate__in=["", "accepted", "edited", "dismissed"]),
                        name="suggestion_fate_known",
                    ),
                    models.CheckConstraint(
                        condition=Q(fate="", decided_at__isnull=True)
                        | (~Q(fate="") & Q(decided_at__isnull=False)),
                        name="suggestion_decided_iff_fate",
                    ),
                    models.CheckConstraint(
                        condition=Q(reason="") | Q(fate="dismissed"),
                        name="suggestion_reason_only_if_dismissed",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="stagepolicy",
            name="suggestions",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The system whose suggestions people see; empty shows none.",
                max_length=80,
            ),
        ),
        migrations.AddField(
            model_name="stagepolicy",
            name="suggestions_held_out",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Per cent of the questions that show none, to measure anchoring.",
                validators=[django.core.validators.MaxValueValidator(100)],
            ),
        ),
        migrations.AddConstraint(
            model_name="stagepolicy",
            constraint=models.CheckConstraint(
                condition=Q(suggestions_held_out__lte=100), name="policy_held_out_a_percentage"
            ),
        ),
        migrations.AddField(
            model_name="qapair",
            name="suggestion",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="pairs",
                to="annotation.suggestion",
            ),
        ),
        migrations.AddConstraint(
            model_name="qapair",
            constraint=models.UniqueConstraint(
                condition=Q(suggestion__isnull=False),
                fields=("annotation", "suggestion"),
                name="pair_once_per_suggestion",
            ),
        ),
        migrations.AddIndex(
            model_name="qapair",
            index=models.Index(
                condition=Q(suggestion__isnull=False),
                fields=["suggestion"],
                name="pair_of_suggestion",
            ),
        ),
    ]
